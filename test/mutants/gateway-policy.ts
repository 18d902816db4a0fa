// Mistakes in the gateway's policy: calls that go out although they are denied or not approved, others than those that were approved, and what
// is shown to whom it is denied.
import type { Mutant } from "./mutant.ts";

export const gatewayPolicyMutants: readonly Mutant[] = [
  {
    file: "gateway/policy/gateway-policy.ts",
    find: 'if (isSame && again.action === "ask") return',
    replace: "if (true) return",
    breaks: "an approval outlasts the policy, and edited arguments are judged by nobody",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "isOtherTool(definition.name, definition, current())",
    replace: "false",
    breaks: "a server changes its tool between the question and the call",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "followed.now().generation === policy.generation && ",
    replace: "",
    breaks: "a policy that was changed while somebody thought does not hold",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "const admitted = limiter.admit(decision, call);",
    replace: "const admitted = decision;",
    breaks: "nobody counts how often somebody calls",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "    if (isFault) return () => false;\n",
    replace: "",
    breaks: "without its policy a gateway says that there are no tools, and not why",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "hasHints ? findHints() : undefined",
    replace: "undefined",
    breaks: "tools that are denied for what their server says of them are listed",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: 'if (decision.action === "allow") return',
    replace: 'if (decision.action !== "denyAbort") return',
    breaks: "what is denied, or to be asked about, is done",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "    ring.add(call, decision.action, renderTime(clock));\n",
    replace: "",
    breaks: "a proposal of other rules is tried on nothing that the gateway judged",
  },
  {
    file: "gateway/policy/gateway-policy.ts",
    find: "    metrics.countPolicyDecision(nameDecision(admitted));\n",
    replace: "",
    breaks: "no metric tells that calls through the gateway are denied",
  },
  {
    file: "gateway/policy/followed-policy.ts",
    find: "policy: denyAll(live.fault), isFault: true",
    replace: 'policy: compilePolicy({ rules: [], default: "allow" }).policy, isFault: true',
    breaks: "where no policy holds every call is made",
  },
  {
    file: "gateway/policy/judged-call.ts",
    find: "sessionId ?? null",
    replace: "null",
    breaks: "a yes holds in another session of the same person",
  },
  {
    file: "gateway/policy/asked-people.ts",
    find: "if (question.policy.askCaller !== true || asking",
    replace: "if (asking",
    breaks: "callers approve their own calls where the rule does not ask them",
  },
  {
    file: "lib/approvals/called-tool.ts",
    find: "readOnly: annotations?.readOnlyHint",
    replace: "readOnly: annotations?.readOnlyHint ?? true",
    breaks: "a tool that says nothing of itself passes for harmless",
  },
  {
    file: "gateway/policy/followed-policy.ts",
    find: "if (!policies.includes(name)) return;",
    replace: "if (policies.includes(name)) return;",
    breaks: "an edit of the policy reaches no gateway before its next start",
  },
  {
    file: "gateway/policy/followed-policy.ts",
    find: "if (nowText === text) return;",
    replace: "",
    breaks: "each status that is written compiles the policy anew",
  },
  {
    file: "gateway/policy/asked-people.ts",
    find: 'if (outcome.outcome === "decided") return outcome.decision;\n  throw denialError({ action: "denyContinue", reason: `nobody',
    replace:
      'if (outcome.outcome === "decided") return outcome.decision;\n  throw denialError({ action: "denyAbort", reason: `nobody',
    breaks: "a call that nobody answered ends its caller's run",
  },
  {
    file: "gateway/policy/asked-people.ts",
    find: "() => patience.abort(renderPending(metadata.name, spec.expiresAt))",
    replace: "() => undefined",
    breaks: "a plain request waits until its client gives up, and learns nothing",
  },
  {
    file: "lib/policy/judged-ring.ts",
    find: "if (text === undefined || text.length > maxCallChars) return;",
    replace: "if (text === undefined) return;",
    breaks: "one caller's long arguments push out what others called",
  },
  {
    file: "lib/policy/judged-ring.ts",
    find: "this.#chars > maxChars",
    replace: "this.#chars > maxChars * 2",
    breaks: "the memory of judged calls has no end",
  },
  {
    file: "gateway/policy/judged-call.ts",
    find: 'role: "none", agent: identity.agent }',
    replace: 'role: "caller", agent: identity.agent }',
    breaks: "agents pass for people with a role",
  },
  {
    file: "gateway/discovery/may-call.ts",
    find: " && !hides(server, tool, () => findHints(server, tool))",
    replace: "",
    breaks: "what the policy denies somebody is found, listed and suggested to them",
  },
  {
    file: "gateway/discovery/listed-tools.ts",
    find: "hidBefore(server, tool, findHints) !== hidesNow(server, tool, findHints)",
    replace: "hidesNow(server, tool, findHints)",
    breaks: "nobody hears that a tool is theirs again",
  },
  {
    file: "gateway/servers/tool-servers.ts",
    find: "throw findReservedMisuse(error, server.name) ?? error;",
    replace: "throw error;",
    breaks: "a server passes its errors off as decisions of a policy",
  },
  {
    file: "gateway/rest/call-route.ts",
    find: "visibleTools(server, policy.hides(caller))",
    replace: "server.tools ?? []",
    breaks: "REST suggests tools that are denied to its caller",
  },
  {
    file: "gateway/proxy/judged-message.ts",
    find: "const passOn = (message: unknown): JudgedMessage => ({ body: Buffer.from(JSON.stringify(message)) });",
    replace: "const passOn = (_message: unknown): JudgedMessage => ({ body: Buffer.from([]) });",
    breaks: "a message that is allowed comes empty",
  },
  {
    file: "gateway/proxy/judged-message.ts",
    find: "if (Array.isArray(message)) {",
    replace: "if (message === undefined) {",
    breaks: "in a list of messages goes out what is denied by itself",
  },
  {
    file: "gateway/proxy/proxy.ts",
    find: "body === undefined || !policy.isThere) return prepared;",
    replace: "body === undefined || policy.isThere) return prepared;",
    breaks: "the proxy is a way around the policy",
  },
  {
    file: "lib/mcp/policy-error.ts",
    find: "if (!isReservedCode(code)) return undefined;",
    replace: "if (code !== policyCodes.policy_denied) return undefined;",
    breaks: "a server forges the codes of policies but one",
  },
  {
    file: "lib/policy/restore.ts",
    find: "if (shown === redacted) return real;",
    replace: "if (real !== undefined) return real;",
    breaks: "what was redacted is put into another argument",
  },
];
