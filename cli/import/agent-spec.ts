// One agent of the project → the spec of its PallasAgent.
import type { AgentSpec } from "../../crds/agent.ts";
import { todo } from "../../plan/accept.ts";
import { listNames } from "../../plan/fault.ts";
import type { AgentSource, AgentSources } from "./agent-sources.ts";
import type { Field } from "./field.ts";
import { MapReader, type Placed } from "./map-reader.ts";
import type { Notes } from "./notes.ts";
import type { Providers } from "./providers.ts";
import { importRequest, refuseRequestRest } from "./request.ts";
import type { ImportedServers } from "./servers.ts";

type SubAgent = NonNullable<AgentSpec["agents"]>[number];
type UsedServer = NonNullable<AgentSpec["servers"]>[number];

export interface AgentSurroundings {
  instance: string;
  sources: AgentSources;
  servers: ImportedServers;
  providers: Providers;
  notes: Notes;
}

/** The agent's text is apart: a long one becomes a ConfigMap. */
export interface ImportedAgent {
  source: AgentSource;
  instruction: string | undefined;
  spec: Omit<AgentSpec, "replicas" | "emitLoopProgress"> & { emitLoopProgress?: false };
}

const known = [
  ...["name", "instruction", "description", "title", "model", "servers", "agents", "tools", "request_params"],
  "use_history",
];
const unneeded: Readonly<Record<string, string>> = {
  save_trajectory: "traces are sent with spec.telemetry",
  max_display_instances: "there is no terminal of an agent",
};
const unsupported: Readonly<Record<string, string>> = {
  human_input: "an agent itself asks nobody during a call; let it ask in its answer",
  api_key: "keys belong to providers; give the key to the provider of its model",
  resources: "an agent may read all resources of its servers, or none with resources/read in tools.deny",
  prompts: "only tools of servers are offered",
  skills: "agents have no skills; put what they need into the instruction",
  function_tools: "agents run no code of their own; serve the functions over MCP",
  elicitation_handler: "agents run no code of their own",
  tool_hooks: "agents run no code of their own",
  lifecycle_hooks: "agents run no code of their own",
  commands: "there are no commands of a terminal",
  shell: "agents run no commands; serve a shell over MCP",
  cwd: "agents have no files",
  subagents: "name the agents in spec.agents",
  subagent_model: "name the agents in spec.agents",
  harness_tools: "agents have only the tools of their servers",
  history_source: "each agent keeps its own history",
  history_merge_target: "each agent keeps its own history",
  max_parallel: "spec.request.parallelToolCalls says whether tools run side by side",
  child_timeout_sec: "set spec.limits.wallClock of the agent that is called",
  mcp_connect: "name the servers in mcp.servers",
  messages: "an agent begins without a conversation; put examples into the instruction",
  tool_input_schema: "every agent takes a message",
  variables: "instructions have no variables; write them out",
  trim_tool_history: "spec.history says when conversations are condensed",
};

export function importAgent(source: AgentSource, around: AgentSurroundings): ImportedAgent {
  const notes = around.notes.about(source.name);
  const { deployed, definition, place } = source;
  const entries = definition?.fields ?? new Map<string, Field>();
  const fields = new MapReader({ kind: "map", entries, place: definition?.place ?? place }, "", notes);
  // Every agent is served, the default one too.
  for (const key of ["name", "default", "tool_only", "schema_version"]) fields.take(key);
  const instruction = importInstruction(fields, notes);
  const title = deployed?.title ?? fields.text("title");
  const description = fields.text("description");
  const params = fields.map("request_params");
  const model = importModel(fields.text("model") ?? params.text("model"), around, notes);
  const request = importRequest(params, model?.request ?? new Map());
  const keepsHistory = [fields.flag("use_history"), params.flag("use_history")].every(
    (found) => found?.value !== false,
  );
  const hasLoopProgress = params.flag("emit_loop_progress")?.value ?? true;
  refuseRequestRest(params);
  const { servers, agents } = importUses(fields, source, around, notes);
  const dependsOn = importDependencies(source, agents, around, notes);
  fields.leaveOut(unneeded, "note");
  fields.leaveOut(unsupported, "warn");
  fields.refuseRest([...known, ...Object.keys(unneeded), ...Object.keys(unsupported)]);
  const text = deployed?.description?.value ?? description?.value;
  return {
    source,
    instruction,
    spec: {
      instanceRef: { name: around.instance },
      ...(title === undefined ? {} : { title: title.value }),
      ...(text === undefined ? {} : { description: text }),
      ...(model === undefined ? {} : { model: model.ref }),
      ...(Object.keys(request).length === 0 ? {} : { request }),
      ...(servers.length === 0 ? {} : { servers }),
      ...(agents.length === 0 ? {} : { agents }),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...(keepsHistory ? {} : { scope: "request" as const }),
      ...(hasLoopProgress ? {} : { emitLoopProgress: false as const }),
      ...(deployed?.port === undefined ? {} : { port: deployed.port.value }),
    },
  };
}

/** What a ConfigMap holds, with room for its name. */
const maxInstructionBytes = 1_000_000;

function importInstruction(fields: MapReader, notes: Notes): string | undefined {
  const isGiven = fields.has("instruction");
  const found = fields.text("instruction");
  // An agent that lost its text must not run on that of nobody; `pallas check` refuses this.
  if (found === undefined) return isGiven ? todo : undefined;
  if (found.value.trim() === "") return undefined;
  if (Buffer.byteLength(found.value) > maxInstructionBytes) {
    const message = `instruction: not carried over: it has more than ${maxInstructionBytes} bytes; shorten it`;
    notes.warn(found.field.place, message);
    return todo;
  }
  warnOfTemplates(found, notes);
  return found.value;
}

const importModel = (found: Placed<string> | undefined, { providers }: AgentSurroundings, notes: Notes) =>
  found === undefined ? undefined : providers.resolve(found, "model", notes);

/** The servers and agents that it calls. A server that is an agent of the project is one of its agents. */
function importUses(
  fields: MapReader,
  source: AgentSource,
  { sources, servers: imported }: AgentSurroundings,
  notes: Notes,
): { servers: UsedServer[]; agents: SubAgent[] } {
  const servers = new Map<string, UsedServer>();
  const agents = new Map<string, SubAgent>();
  const filters = importFilters(fields.map("tools"));
  const addAgent = (key: string, { place }: Field, forwardInboundAuth: boolean): void => {
    const found = sources.lookUp(key, source);
    if (typeof found === "string") notes.warn(place, `agent "${key}": not carried over: it names an agent ${found}`);
    else if (found === source) notes.warn(place, `agent "${key}": not carried over: an agent cannot call itself`);
    else agents.set(found.name, { name: found.name, ...(forwardInboundAuth ? { forwardInboundAuth } : {}) });
  };
  for (const { value, field } of fields.texts("servers")) {
    const server = imported.byName.get(value);
    const allow = filters.get(value);
    filters.delete(value);
    if (server?.kind === "agent") addAgent(server.key, field, server.forwardInboundAuth);
    else if (server?.kind === "server") {
      servers.set(server.name, { name: server.name, ...(allow === undefined ? {} : { tools: { allow } }) });
    } else if (server?.kind === "gone") {
      notes.warn(field.place, `server "${value}": not carried over: see mcp.servers.${value}`);
    } else {
      const names = listNames(imported.byName.keys());
      notes.warn(field.place, `server "${value}": not carried over: mcp.servers has no such server; there is ${names}`);
    }
  }
  for (const { value, field } of fields.texts("agents")) addAgent(value, field, false);
  for (const name of filters.keys()) {
    notes.warn(fields.field.place, `tools.${name}: not carried over: it is not one of the agent's servers`);
  }
  return { servers: [...servers.values()], agents: [...agents.values()] };
}

function importFilters(reader: MapReader): Map<string, string[]> {
  const filters = new Map<string, string[]>();
  for (const name of reader.keys) {
    const patterns = reader.texts(name).map(({ value }) => value);
    if (patterns.length > 0) filters.set(name, [...new Set(patterns)]);
  }
  return filters;
}

function importDependencies(
  source: AgentSource,
  agents: readonly SubAgent[],
  { sources }: AgentSurroundings,
  notes: Notes,
): string[] {
  const names = (source.deployed?.dependsOn ?? []).flatMap(({ value, field }): string[] => {
    const found = sources.lookUp(value, source);
    if (typeof found !== "string") return [found.name];
    notes.warn(field.place, `depends_on "${value}": not carried over: it names an agent ${found}`);
    return [];
  });
  return [...new Set(names)].filter((name) => agents.every((agent) => agent.name !== name));
}

const templates = /(?<!\\)\{\{ {0,4}([a-zA-Z_]{1,40})(?::[^}]{0,500})?\}\}/g;

function warnOfTemplates({ value, field }: Placed<string>, notes: Notes): void {
  const names = new Set([...value.matchAll(templates)].map(([, name = ""]) => name));
  if (names.size === 0) return;
  const message = `the instruction has ${listNames(names)} in double braces, which nothing fills in; write out what it stands for`;
  notes.warn(field.place, message);
}
