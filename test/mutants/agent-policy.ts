// Mistakes in an agent's own judging: calls that leave it although they are denied or not approved, or as others than those that were
// approved.
import type { Mutant } from "./mutant.ts";

export const agentPolicyMutants: readonly Mutant[] = [
  {
    file: "agent-runtime/policy/gate.ts",
    find: 'if (decision.action === "allow") return',
    replace: 'if (decision.action !== "denyAbort") return',
    breaks: "what is denied, or to be asked about, is done",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: 'if (isSame(latest, now) && again?.rule === decision.rule && again?.action === "ask") return verdict;',
    replace: "return verdict;",
    breaks: "an approval outlasts the policy, and edited arguments are judged by nobody",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "call = { ...call, args: verdict.args };\n        const latest",
    replace: "const latest",
    breaks: "the arguments that were edited are not those that are judged",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "if (call.unnamed !== undefined) return denyFor(call, call.unnamed);",
    replace: "",
    breaks: "a call of a tool that nobody can name is judged by a name that is not its own",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "const admitted = limiter.admit(decision, judged);",
    replace: "const admitted = decision;",
    breaks: "nobody counts how often an agent calls",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "if (!(await isChanged(call))) return",
    replace: 'if (call.tool !== "") return',
    breaks: "a server changes its tool between the question and the call",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: 'abort: action === "denyAbort"',
    replace: "abort: false",
    breaks: "a denial that is to end the run lets the model go on",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "now === undefined || now.isFault) return undefined;",
    replace: "now === undefined) return undefined;",
    breaks: "without its policy an agent says that there are no tools, and not why",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "    record({ at: renderTime(clock), call: judged, before: decision.action });\n",
    replace: "",
    breaks: "a proposal of other rules is tried on nothing",
  },
  {
    file: "agent-runtime/policy/gate.ts",
    find: "    count(nameDecision(admitted));\n",
    replace: "",
    breaks: "no metric tells that calls are denied",
  },
  {
    file: "agent-runtime/policy/live-policy.ts",
    find: "policy === undefined && config.policy === undefined ?",
    replace: "policy === undefined ?",
    breaks: "an agent whose policy did not reach it does everything",
  },
  {
    file: "agent-runtime/policy/live-policy.ts",
    find: "readAt === -Infinity || policy !== source",
    replace: "readAt === -Infinity",
    breaks: "a policy that is edited holds only after a restart",
  },
  {
    file: "agent-runtime/policy/live-policy.ts",
    find: 'if ("fault" in live) return faulty(live.name, live.fault);',
    replace:
      'if ("fault" in live) return { name: live.name, generation: 0, policy: compilePolicy({ rules: [], default: "allow" }).policy, isFault: false };',
    breaks: "where no policy holds every call is made",
  },
  {
    file: "lib/approvals/decided.ts",
    find: '    case "denyContinue":\n    case "denyAbort":\n      return',
    replace: '    case "denyContinue":\n      return { args: call.args };\n    case "denyAbort":\n      return',
    breaks: "a no that lets the run go on is taken for a yes",
  },
  {
    file: "lib/approvals/decided.ts",
    find: "return readEdited(decision, call, asked);",
    replace: "return { args: call.args };",
    breaks: "what somebody changed before saying yes is sent as it was",
  },
  {
    file: "lib/approvals/decided.ts",
    find: ': findSchemaProblem(definition.inputSchema, value, "the arguments", ofStrangers);',
    replace: ": undefined;",
    breaks: "edited arguments reach a server that its schema refuses",
  },
  {
    file: "lib/approvals/decided.ts",
    find: "restoreRedacted(parse(text), args, redact)",
    replace: "restoreRedacted(parse(text), args, [])",
    breaks: "a call goes out with [redacted] in its arguments",
  },
  {
    file: "lib/approvals/decided.ts",
    find: "if (outputSchema === undefined) return",
    replace: "if (outputSchema !== null) return",
    breaks: "an answer in a tool's place is not what the tool promises",
  },
  {
    file: "lib/approvals/question.ts",
    find: "JSON.stringify(redact(args, decision.redact))",
    replace: "JSON.stringify(args)",
    breaks: "people are shown what the rule keeps from them",
  },
  {
    file: "lib/approvals/called-tool.ts",
    find: "...defined({ title, description, outputSchema, annotations })",
    replace: "...defined({ title, outputSchema, annotations })",
    breaks: "a server changes what its tool says it does, and the approval still holds",
  },
  {
    file: "agent-runtime/tools/dispatch.ts",
    find: "context.end(new DeniedRun(verdict.text));",
    replace: "",
    breaks: "a run that a policy ends fails without saying why",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: "const call = { ...named, args: inner, definition: found };",
    replace: 'const call = { server: registryServerName, tool: "find_tool", args: inner, definition: found };',
    breaks: "a tool that the policy denies is called through the registry",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: "withArgs: (sent) => ({ action, ...named, arguments: sent })",
    replace: "withArgs: (sent) => ({ ...args, arguments: sent })",
    breaks: "the registry calls another tool than the policy was asked about",
  },
  {
    file: "agent-runtime/policy/judged-routes.ts",
    find: "maxBytes: maxDryRunRequestBytes",
    replace: "maxBytes: 2 * maxDryRunRequestBytes",
    breaks: "a request for a trial takes more memory than is said",
  },
  {
    file: "agent-runtime/approvals/ask-approval.ts",
    find: '    if (decision.argumentsHash !== question.argumentsHash) return deny("what was decided is about other arguments");\n',
    replace: "",
    breaks: "a yes to other arguments is taken for one to these",
  },
  {
    file: "agent-runtime/approvals/ask-approval.ts",
    find: "const used = await asking.requests.use(name, decision, run.signal, timeoutMs);",
    replace: 'const used = { kind: "decided", decision } as const;',
    breaks: "a yes is worth more than one call",
  },
  {
    file: "agent-runtime/approvals/ask-approval.ts",
    find: "if (pending >= maxPendingApprovals) {",
    replace: "if (pending > maxPendingApprovals) {",
    breaks: "an agent waits for more approvals at a time than is said",
  },
  {
    file: "agent-runtime/approvals/answered-requests.ts",
    find: 'if (error instanceof RefusedByGateway && error.word === "used") return { kind: "taken" };',
    replace: 'if (error instanceof RefusedByGateway) return { kind: "decided", decision };',
    breaks: "an approval that was used, or expired meanwhile, allows another call",
  },
  {
    file: "agent-runtime/approvals/follow-approval.ts",
    find: 'return line.type === "expired" ? { kind: "denied"',
    replace: 'return line.type === "expired" && line.name === "" ? { kind: "denied"',
    breaks: "an approval that expired is waited for",
  },
];
