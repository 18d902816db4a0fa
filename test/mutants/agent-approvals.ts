// Mistakes in how an agent asks whether a call may be made, and in how what comes of it reaches the call: a yes that nobody gave, one that is
// lost, and a call that is judged as another.
import type { Mutant } from "./mutant.ts";

export const agentApprovalMutants: readonly Mutant[] = [
  {
    file: "agent-runtime/approvals/follow-approval.ts",
    find: 'if (error.status !== 404 || name === undefined) return { kind: "denied"',
    replace: 'if (name !== "") return { kind: "denied"',
    breaks: "a gateway that lost its state denies what people have approved",
  },
  {
    file: "agent-runtime/approvals/gateway-approvals.ts",
    find: "status >= 500 || status === 401 || status === 408",
    replace: "status >= 500",
    breaks: "a key that was changed denies every call that waits",
  },
  {
    file: "agent-runtime/approvals/gateway-approvals.ts",
    find: "...post(asSent(what))",
    replace: "...post(what)",
    breaks: "what is kept from people leaves the agent",
  },
  {
    file: "agent-runtime/approvals/gateway-approvals.ts",
    find: "          timer.cancel();\n          timer = clock.schedule(silenceMs, hush);\n",
    replace: "",
    breaks: "a stream with heartbeats breaks off every half minute",
  },
  {
    file: "agent-runtime/approvals/ask-approval.ts",
    find: "if (waits?.leave() === true) void",
    replace: "if (waits !== undefined) void",
    breaks: "a cancelled call takes the approval from an equal one of the same agent",
  },
  {
    file: "agent-runtime/approvals/ask-approval.ts",
    find: "policy.askCaller === true && asking",
    replace: "asking",
    breaks: "callers approve their own calls where the rule does not ask them",
  },
  {
    file: "lib/approvals/ask-caller.ts",
    find: 'if (decision === "approve") return',
    replace: 'if (decision !== "deny") return',
    breaks: "any answer of the caller is a yes",
  },
  {
    file: "lib/approvals/ask-caller.ts",
    find: 'if (action !== "accept" ||',
    replace: 'if (action === "decline" ||',
    breaks: "a caller that dismissed the question has approved",
  },
  {
    file: "agent-runtime/approvals/answered-requests.ts",
    find: 'if (isDenial) return { kind: "decided", decision };',
    replace: "",
    breaks: "a no that ends the run lets it go on while the gateway is away",
  },
  {
    file: "agent-runtime/approvals/answered-requests.ts",
    find: 'error instanceof RefusedByGateway && error.word !== "undecided"',
    replace: "error instanceof RefusedByGateway",
    breaks: "a yes is lost where a replica has not heard of it yet",
  },
  {
    file: "agent-runtime/approvals/called-by.ts",
    find: "caller: proven?.name ?? anonymous.caller",
    replace: "caller: proven?.name ?? String(Reflect.get(Object(meta[chainMetaKey]), 0)?.caller ?? anonymous.caller)",
    breaks: "callers of an agent choose who they are by what they say",
  },
  {
    file: "agent-runtime/approvals/called-by.ts",
    find: "value.length < maxChainLinks ? value",
    replace: "value.length > 0 ? value",
    breaks: "what people are shown of a chain has no end",
  },
  {
    file: "agent-runtime/approvals/ndjson.ts",
    find: "if (bytes + end - from > maxBytes) throw tooLong(maxBytes);",
    replace: "",
    breaks: "a line of the gateway is longer than is said",
  },
  {
    file: "agent-runtime/approvals/on-waiting.ts",
    find: "goOn ??= time.pause();",
    replace: "goOn = time.pause();",
    breaks: "a run's time stands still for ever once an approval was asked",
  },
  {
    file: "agent-runtime/tools/dispatch.ts",
    find: "judged?.withArgs(verdict.args) ?? args",
    replace: "args",
    breaks: "a call goes out with the arguments that somebody took out of it",
  },
  {
    file: "agent-runtime/tools/dispatch.ts",
    find: "findReservedMisuse(error, downstream)",
    replace: "findReservedMisuse(undefined, downstream)",
    breaks: "a server passes its errors off as decisions of a policy",
  },
  {
    file: "agent-runtime/tools/dispatch.ts",
    find: "    const goOn = time.pause();\n    try {",
    replace: "    const goOn = () => undefined;\n    try {",
    breaks: "a run's time goes on while its caller is asked what a server asks",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: "return { call, withArgs: () => ({ action }) };",
    replace: "return { call, withArgs: () => args };",
    breaks: "the registry understands a call that the policy could not read",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: "({ ...sent, action })",
    replace: "({ action, ...sent })",
    breaks: "who edits a search makes a call of it",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: ", ...(isOther.test(tool.name) && { unnamed: howToName })",
    replace: "",
    breaks: "a tool is judged by a name that is another one's",
  },
  {
    file: "agent-runtime/tools/registry.ts",
    find: "judged: (args) => ({ call: { ...named, args, definition: found }",
    replace: "judged: (args) => ({ call: { server: registryServerName, tool: callAction, args, definition: found }",
    breaks: "a tool that was found is judged as the registry's own",
  },
];
