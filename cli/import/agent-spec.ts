// One agent of the project → the spec of its PallasAgent.
import type { AgentSpec } from "../../crds/agent.ts";
import { todo } from "../../plan/accept.ts";
import { listNames } from "../../plan/validation-error.ts";
import type { AgentSource, AgentSources } from "./agent-sources.ts";
import { emptyMap, type Draft, type Place } from "./field.ts";
import { leftOutOfAgents, leftOutOfRequests } from "./left-out.ts";
import { MapReader } from "./map-reader.ts";
import type { Notes } from "./notes.ts";
import type { Providers } from "./providers.ts";
import { importRequest } from "./request.ts";
import type { ImportedServer } from "./servers.ts";

type SubAgent = NonNullable<AgentSpec["agents"]>[number];
type UsedServer = NonNullable<AgentSpec["servers"]>[number];

export interface AgentSurroundings {
  instance: string;
  sources: AgentSources;
  servers: ReadonlyMap<string, ImportedServer>;
  providers: Providers;
  notes: Notes;
}

/** The agent's text is apart: a long one becomes a ConfigMap. */
export interface ImportedAgent {
  source: AgentSource;
  instruction: string | undefined;
  spec: Draft<AgentSpec>;
}

export function importAgent(source: AgentSource, around: AgentSurroundings): ImportedAgent {
  const notes = around.notes.about(source.name);
  const { deployed, definition, place } = source;
  const settings = definition && { kind: "map" as const, entries: definition.fields, place: definition.place };
  const fields = new MapReader(settings ?? emptyMap(place), "", notes);
  // Every agent is served, the default one too.
  for (const key of ["name", "default", "tool_only", "schema_version"]) fields.take(key);
  const instruction = importInstruction(fields, notes);
  const title = fields.text("title");
  const description = fields.text("description");
  const params = fields.map("request_params");
  const named = [fields.text("model"), params.text("model")].find((each) => each !== undefined);
  const model = named && around.providers.resolve(named, "model", notes);
  const request = { ...importNamedRequest(model?.request, params.place, notes), ...importRequest(params) };
  const keepsHistory = ![fields.flag("use_history"), params.flag("use_history")].includes(false);
  const hasLoopProgress = params.flag("emit_loop_progress") ?? true;
  params.finish(leftOutOfRequests);
  const { servers, agents } = importUses(fields, source, around, notes);
  const dependsOn = (deployed?.dependsOn ?? []).flatMap(({ value, place: at }): string[] => {
    const found = around.sources.lookUp(value, source);
    if (typeof found !== "string") return agents.some(({ name }) => name === found.name) ? [] : [found.name];
    notes.warn(at, `depends_on "${value}": not carried over: it names an agent ${found}`);
    return [];
  });
  fields.finish(leftOutOfAgents);
  return {
    source,
    instruction,
    spec: {
      instanceRef: { name: around.instance },
      title: (deployed?.title ?? title)?.value,
      description: (deployed?.description ?? description)?.value,
      model: model?.ref,
      request,
      servers,
      agents,
      dependsOn: [...new Set(dependsOn)],
      scope: keepsHistory ? undefined : "request",
      emitLoopProgress: hasLoopProgress ? undefined : false,
      port: deployed?.port?.value,
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
  const { value, place } = found;
  if (value.trim() === "") return undefined;
  if (Buffer.byteLength(value) > maxInstructionBytes) {
    const message = `instruction: not carried over: it has more than ${maxInstructionBytes} bytes; shorten it`;
    notes.warn(place, message);
    return todo;
  }
  const names = new Set([...value.matchAll(templates)].map(([, name = ""]) => name));
  const message = `the instruction has ${listNames(names)} in double braces, which nothing fills in; write out what it stands for`;
  if (names.size > 0) notes.warn(place, message);
  return value;
}

const templates = /(?<!\\)\{\{ {0,4}([a-zA-Z_]{1,40})(?::[^}]{0,500})?\}\}/g;

/** What is behind `?` in a model's name. */
function importNamedRequest(named: ReadonlyMap<string, string> = new Map(), place: Place, notes: Notes) {
  const entries = [...named].map(([key, text]) => {
    const value = text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    return [key, { kind: "scalar", value, place }] as const;
  });
  const reader = new MapReader({ kind: "map", entries: new Map(entries), place }, "model", notes);
  const request = importRequest(reader);
  reader.finish(leftOutOfRequests);
  return request;
}

/** The servers and agents that it calls. A server that is an agent of the project is one of its agents. */
function importUses(
  fields: MapReader,
  source: AgentSource,
  { sources, servers: imported }: AgentSurroundings,
  notes: Notes,
): { servers: UsedServer[]; agents: SubAgent[] } {
  const servers = new Map<string, UsedServer>();
  const agents = new Map<string, SubAgent>();
  const filters = fields.map("tools");
  const addAgent = (key: string, place: Place, forwardInboundAuth: boolean): void => {
    const found = sources.lookUp(key, source);
    if (typeof found === "string") notes.warn(place, `agent "${key}": not carried over: it names an agent ${found}`);
    else if (found === source) notes.warn(place, `agent "${key}": not carried over: an agent cannot call itself`);
    else agents.set(found.name, { name: found.name, ...(forwardInboundAuth && { forwardInboundAuth }) });
  };
  for (const { value, place } of fields.texts("servers")) {
    const server = imported.get(value);
    const allow = [...new Set(filters.texts(value).map((pattern) => pattern.value))];
    if (server?.kind === "agent") {
      addAgent(server.key, place, server.forwardInboundAuth);
    } else if (server?.kind === "server" || server?.kind === "program") {
      const { name } = server.kind === "server" ? server.spec : server;
      servers.set(name, { ...servers.get(name), name, ...(allow.length > 0 && { tools: { allow } }) });
    } else {
      const names = listNames(imported.keys());
      const why =
        server === undefined ? `mcp.servers has no such server; there is ${names}` : `see mcp.servers.${value}`;
      notes.warn(place, `server "${value}": not carried over: ${why}`);
    }
  }
  for (const { value, place } of fields.texts("agents")) addAgent(value, place, false);
  for (const name of filters.keys) {
    notes.warn(fields.place, `tools.${name}: not carried over: it is not one of the agent's servers`);
  }
  return { servers: [...servers.values()], agents: [...agents.values()] };
}
