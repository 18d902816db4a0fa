// What fast-agent has settings for and Pallas has not, section by section: data. Of what is unneeded nothing is missing;
// what is unsupported needs a person.

/** By key. */
export type LeftOut = ReadonlyMap<string, { severity: "note" | "warn"; reason: string }>;

/** @param unneeded @param unsupported reason → its keys */
function leaveOut(unneeded: Readonly<Record<string, string>>, unsupported: Readonly<Record<string, string>>): LeftOut {
  const entries = (reasons: Readonly<Record<string, string>>, severity: "note" | "warn") =>
    Object.entries(reasons).flatMap(([reason, keys]) =>
      keys.split(" ").map((key) => [key, { severity, reason }] as const),
    );
  return new Map([...entries(unneeded, "note"), ...entries(unsupported, "warn")]);
}

const byItself = "Pallas looks after this itself";
const noCode = "agents run no code of their own";
const noCommands = "agents run no commands; serve a shell over MCP";
const noSetting = "Pallas has no setting for it";

export const leftOutOfAgents = leaveOut(
  {
    "traces are sent with spec.telemetry": "save_trajectory",
    "an agent has no terminal": "max_display_instances",
  },
  {
    "an agent itself asks nobody during a call; let it ask in its answer": "human_input",
    "keys belong to providers; give the key to the provider of its model": "api_key",
    "an agent may read all resources of its servers, or none with resources/read in tools.deny": "resources",
    "only tools of servers are offered": "prompts",
    "agents have no skills; put what they need into the instruction": "skills",
    [`${noCode}; serve the functions over MCP`]: "function_tools",
    [noCode]: "elicitation_handler tool_hooks lifecycle_hooks",
    "an agent has no terminal commands": "commands",
    [noCommands]: "shell",
    "agents have no files": "cwd",
    "name the agents in spec.agents": "subagents subagent_model",
    "agents have only the tools of their servers": "harness_tools",
    "each agent keeps its own history": "history_source history_merge_target",
    "spec.request.parallelToolCalls says whether tools run side by side": "max_parallel",
    "set spec.limits.wallClock of the agent that is called": "child_timeout_sec",
    "name the servers in mcp.servers": "mcp_connect",
    "an agent begins without a conversation; put examples into the instruction": "messages",
    "every agent takes a message": "tool_input_schema",
    "instructions have no variables; write them out": "variables",
    "spec.history says when conversations are condensed": "trim_tool_history",
  },
);

export const leftOutOfRequests = leaveOut(
  {},
  {
    "spec.request has no such field":
      "min_p presence_penalty frequency_penalty repetition_penalty service_tier streaming_timeout response_format structured_schema template_vars mcp_metadata tool_result_mode metadata systemPrompt",
  },
);

export const leftOutOfSettings = leaveOut(
  {
    "agents are processes of their own": "execution_engine",
    "there is no such folder": "home",
    "histories are always kept; see spec.history": "session_history session_history_window",
    "an agent has no terminal": "tui",
    "agents run no commands": "environments default_environment",
    "agents have no files": "git_aware",
    "the agents are the servers": "harness_app",
    "Pallas retries by itself": "llm_retries",
    "spec.history says when conversations are condensed": "compaction",
  },
  {
    "agents have no skills; put what they need into the instruction": "skills",
    "cards are imported from the project only": "cards",
    [`${noCode}; serve tools over MCP`]: "plugins",
    [noCode]: "ptc",
    "an agent has no terminal commands": "commands",
    [noCommands]: "shell_execution",
  },
);

export const leftOutOfTelemetry = leaveOut(
  { "it is the agent's name": "service_name", "spans are only sent": "console_debug", "all are sent": "sample_rate" },
  {},
);

export const leftOutOfMcp = leaveOut(
  { "set the timeout of each server": "defaults", [byItself]: "client diagnostics" },
  {},
);

const unneededOfServers = {
  "the key is the name": "name",
  "servers describe themselves": "description",
  "servers ask those callers that can be asked": "elicitation",
  [byItself]:
    "ping_interval_seconds max_missed_pings http_timeout_seconds http_read_timeout_seconds read_transport_sse_timeout_seconds reconnect_on_disconnect protocol_mode load_on_start implementation",
};
const unsupportedOfServers = {
  "Pallas signs in nowhere; put a token into a Secret and name it in headers, or set forwardInboundAuth": "auth",
  "agents have no files": "roots",
  "servers cannot ask the model": "sampling",
  "calls always come from the agent": "management",
  "connectors of a vendor are not MCP servers; serve the tools over Streamable HTTP": "connector_id",
  "all tools are listed": "defer_loading",
};

export const leftOutOfServers = leaveOut(unneededOfServers, unsupportedOfServers);

/** Of those that are started as programs. */
export const leftOutOfPrograms = leaveOut(
  { ...unneededOfServers, "its instructions are always given": "include_instructions" },
  {
    ...unsupportedOfServers,
    "a program gets no requests but its bridge's; give it its key in env": "headers access_token forward_inbound_auth",
    "it is started as a program": "url",
  },
);

export const leftOutOfProviders = leaveOut(
  {
    "models are named whole": "default_model",
    "caching is always on": "cache_mode cache_ttl",
    "there are metrics of cached tokens": "cache_diagnostics",
    "Pallas chooses the transport": "transport",
    "spec.history says when conversations are condensed": "native_compaction",
    "Pallas chooses how; set spec.output of the agents": "structured_output_mode",
  },
  {
    "set spec.request.effort of the agents": "reasoning reasoning_effort",
    [noSetting]: "text_verbosity service_tier",
    "set spec.limits.totalTokens of the agents": "task_budget",
    "tools of a vendor are not used; add an MCP server that searches": "web_search",
    "tools of a vendor are not used; add an MCP server that fetches": "web_fetch",
    "models on Vertex AI are not supported": "vertex_ai",
    "AWS profiles are not read; give a key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY": "profile",
    "name the provider behind the model, as in model-name:provider": "default_provider",
  },
);
