// Mistakes in how an agent meets its tool servers: which era it speaks, what it takes for an answer, how much of one, and
// what it says when there is none.
import type { Mutant } from "./mutant.ts";

const connecting: readonly Mutant[] = [
  {
    file: "lib/mcp/open-client.ts",
    find: 'if (first.kind === "unauthorized" ||',
    replace: "if (first instanceof McpError ||",
    breaks: "a server of the 2025 era that answers server/discover in an unheard-of way is never reached",
  },
  {
    file: "lib/mcp/open-client.ts",
    find: 'if (first.kind === "unauthorized" ||',
    replace: "if (",
    breaks: "a token that a server refused is sent to it again in the other era",
  },
  {
    file: "lib/mcp/open-client.ts",
    find: "connectTimeoutMs * firstEraShare",
    replace: "connectTimeoutMs",
    breaks: "a server that leaves server/discover unanswered has no time left to be asked in its own era",
  },
  {
    file: "lib/mcp/open-client.ts",
    find: 'if (first.kind === "timeout" && second.kind === "protocol")',
    replace: 'if (first.kind === "cancelled" && second.kind === "protocol")',
    breaks: "a server of the 2026 era that takes three seconds to wake up is not reached",
  },
  {
    file: "lib/mcp/open-client.ts",
    find: "await untilAborted(client.connect(transport, { signal: deadline.signal, timeout: sdkNeverMs }), deadline.signal);",
    replace: "await client.connect(transport, { signal: deadline.signal, timeout: sdkNeverMs });",
    breaks: "one odd answer stops every call of an agent until its pod restarts",
  },
  {
    file: "lib/mcp/open-client.ts",
    find: 'if (era === "2025") return',
    replace: 'if (era === "2026") return',
    breaks: "each reconnection to a server that leaves server/discover unanswered takes seconds",
  },
];

const answers: readonly Mutant[] = [
  {
    file: "lib/mcp/answer-form.ts",
    find: "status !== 202 && ",
    replace: "",
    breaks: "a call that is answered with 202 waits for its whole timeout",
  },
  {
    file: "lib/mcp/client-transport.ts",
    find: "if (messages.some(isAnswer)) return sent;",
    replace: "if (messages.length > 0) return sent;",
    breaks: "a call that gets the answer of another waits for its whole timeout",
  },
  {
    file: "lib/mcp/client-transport.ts",
    find: "asked.fail(error.message, error);",
    replace: "",
    breaks: "a tool whose answer is too long fails as if its server had gone",
  },
  {
    file: "lib/mcp/mend-answer.ts",
    find: 'delete tool["outputSchema"];',
    replace: "",
    breaks: "a result that does not fit its tool's schema is lost, although the tool has run",
  },
  {
    file: "lib/mcp/mend-answer.ts",
    find: 'result["content"] = blocks.map(mendBlock);',
    replace: 'result["content"] = blocks;',
    breaks: "`annotations: null` in one block loses the whole result",
  },
  {
    file: "lib/outgoing/response-limit.ts",
    find: "meter = createJsonMeter(answerBounds);\n        eventFrom",
    replace: "eventFrom",
    breaks: "a long stream of small events is refused as one text of too many values",
  },
  {
    file: "lib/outgoing/response-limit.ts",
    find: "if (why !== undefined)",
    replace: "if (bytes > maxBytes)",
    breaks: "16 MiB of brackets from a tool server end the agent for lack of memory",
  },
];

const schemas: readonly Mutant[] = [
  {
    file: "lib/mcp/schema-check.ts",
    find: "if (visit.steps > visit.bounds.maxSteps) throw new Undecided();",
    replace: "",
    breaks: "a schema that refers to itself twice at each level stops the agent",
  },
  {
    file: "lib/mcp/schema-check.ts",
    find: "if (undecided.some((keyword) => schema[keyword] !== undefined)) visit.passedOver += 1;",
    replace: "",
    breaks: "arguments are refused that do fit, where a schema says `not` of a pattern",
  },
  {
    file: "lib/mcp/schema-check.ts",
    find: "const isKnown = Object.hasOwn(known, key);",
    replace: "const isKnown = key in known;",
    breaks: "an argument named toString passes where no others than those named may",
  },
];

const links: readonly Mutant[] = [
  {
    file: "lib/mcp/tool-list.ts",
    find: "await settledWithin(refreshing, waitMs, clock)",
    replace: "await refreshing.then(() => true)",
    breaks: "a run waits without an end for the tools of one server",
  },
  {
    file: "lib/mcp/tool-list.ts",
    find: "tools === undefined && problem === undefined ? firstWaitMs",
    replace: "tools === undefined ? firstWaitMs",
    breaks: "every run waits a long time for a server that is down",
  },
  {
    file: "lib/mcp/tool-list.ts",
    find: "return error.cause instanceof McpError ? error.cause : error;",
    replace: "return error;",
    breaks: "health says of a server only that it is not tried again yet, and not what is wrong with it",
  },
  {
    file: "lib/mcp/link.ts",
    find: "    ask(onAsking) {\n      renewSuspect();",
    replace: "    ask(onAsking) {",
    breaks: "a server that came back in another era lends no tools until something is called on it",
  },
  {
    file: "lib/mcp/link-pool.ts",
    find: 'problem.kind !== "unauthorized" && ',
    replace: "",
    breaks: "one caller with a bad token makes the agent's health say that a server is down",
  },
  {
    file: "agent-runtime/tools/toolbox.ts",
    find: "if (link.problem() !== undefined) await link.tools();",
    replace: "",
    breaks: "health says that a server is down, long after it is back, until somebody calls",
  },
  {
    file: "agent-runtime/health/health.ts",
    find: "return state.reachable && detail !== undefined ?",
    replace: "return !state.reachable && detail !== undefined ?",
    breaks: "health says ok while the agent has no tools",
  },
  {
    file: "agent-runtime/mcp-surface/send-message.ts",
    find: "...renderUnavailable(unavailable)",
    replace: "",
    breaks: "the model does not know that tools are missing, and makes up what they would say",
  },
];

export const linkMutants: readonly Mutant[] = [...connecting, ...answers, ...schemas, ...links];
