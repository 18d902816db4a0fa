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
    "a header that repeats an argument of a call is not compared with it, since nothing goes by such headers; nor is it scored",
  ],
]);

/** Of our client. Scenarios named auth/… are those of an OAuth client, which it is not: its tokens come from elsewhere. */
export const clientScenarios: Record<string, string> = {
  "elicitation-sep1034-client-defaults":
    "it asks on the stream that belongs to no call, where nobody can say whose caller is meant: that is refused",
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
