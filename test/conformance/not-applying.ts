// Scenarios, or single checks of them, that do not apply to Pallas, each with its reason. An entry that passes is stale, and
// the test says so.

/** Of the fixture server, which has the shipped transport code. */
export const serverScenarios: Record<string, string> = Object.fromEntries([
  ...[
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ].map((name) => [name, "the tasks extension is not offered, nor is it scored"]),
  [
    "http-custom-header-server-validation",
    "no tool of Pallas names an x-mcp-header, and the suite does not score it: its own fixture cannot pass it",
  ],
]);

const refusesQuestions =
  "an agent answers its downstream servers' questions to a user with a refusal: nobody sits in front of it";

/** Of our client. Scenarios named auth/… are those of an OAuth client, which it is not: its tokens come from elsewhere. */
export const clientScenarios: Record<string, string> = {
  "elicitation-sep1034-client-defaults": refusesQuestions,
  "sep-2322-client-request-state": refusesQuestions,
};

/** What of the server scenarios an agent passes without any fixture. */
export const fixtureFree = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "ping",
    "tools-list",
    "prompts-list",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "tools-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "input-required-result-unsupported-methods",
    "http-header-validation",
  ],
};
