// The tools that discovery knows, of all its feeds: tools of the servers that the gateway asks itself, tools that agents report of servers
// which only they reach, and the agents themselves. A server wins over an agent of its name. What somebody may be told of it is said by
// may-call.ts.
import type { PallasAgent } from "../../crds/agent.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { JsonObjectSchema } from "../../lib/mcp/table.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import { titleFromName } from "../../crds/names.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import type { GatewayState } from "../state/state.ts";
import { agentTool } from "./may-call.ts";

/** Tools of servers that only agents reach, as they say themselves. */
export interface AgentTools {
  list(): readonly ReportedTools[];
  onChange(listener: () => void): () => void;
}

export interface ReportedTools {
  readonly agent: string;
  readonly server: string;
  readonly serverDescription?: string;
  readonly tools: readonly ToolDescription[];
}

export const noAgentTools: AgentTools = { list: () => [], onChange: () => () => undefined };

/**
 * server: called by the gateway. agent: its one tool is a message to it. reported: called by agents alone. outline: of a server that is
 * stopped and was not listed by this process; what was approved of its tools says their names.
 */
export type SourceKind = "server" | "agent" | "reported" | "outline";

/** One server, or one agent. */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  /** The same object for as long as they are the same. */
  readonly tools: readonly ToolDescription[];
  /** Of a server. */
  readonly entry: ServerEntry | undefined;
  /** When it was first seen stopped or down; undefined while it can be called. */
  readonly unreachableSince: string | undefined;
  /** Agents that have the tools, where they are reported. */
  agentsWith(tool: string): readonly string[];
}

export interface KnownTool {
  readonly source: Source;
  readonly tool: ToolDescription;
}

export interface KnownToolsParts {
  servers: Pick<ToolServers, "all" | "get" | "onChange">;
  state: Pick<GatewayState, "listAgents" | "getAgent" | "onChange">;
  agentTools: AgentTools;
  clock: Clock;
}

export interface KnownTools {
  /** Of servers and agents. */
  names(): readonly string[];
  get(name: string): Source | undefined;
  find(server: string, tool: string): KnownTool | undefined;
  /** Names of sources that may be others now; until what it returns is called. */
  onChange(listener: (name: string) => void): () => void;
  close(): void;
}

/** Of an agent's one tool. */
export const messageSchema: JsonObjectSchema = {
  type: "object",
  properties: {
    message: { type: "string", description: "The message to the agent." },
    session_id: { type: "string", description: "A conversation to go on with, as an answer named it." },
  },
  required: ["message"],
  additionalProperties: false,
};

const noTools: readonly ToolDescription[] = [];
const maxOutlined = 1_024;

export function createKnownTools({ servers, state, agentTools, clock }: KnownToolsParts): KnownTools {
  const listeners = new Set<(name: string) => void>();
  const away = new Map<string, string>();
  const toolsOfAgent = createAgentTool();
  const outlines = createOutlines();
  const indexes = new WeakMap<readonly ToolDescription[], ReadonlyMap<string, ToolDescription>>();
  let reported = groupReports(agentTools.list(), new Map());

  const noteReach = (name: string) => {
    const entry = servers.get(name);
    if (entry === undefined || isReached(entry)) away.delete(name);
    else if (!away.has(name)) away.set(name, renderTime(clock));
  };
  const tell = (name: string) => {
    noteReach(name);
    for (const listener of [...listeners]) listener(name);
  };
  for (const { name } of servers.all()) noteReach(name);
  const stops = [
    servers.onChange(tell),
    state.onChange(({ agents }) => agents.forEach(tell)),
    agentTools.onChange(() => {
      const before = reported;
      reported = groupReports(agentTools.list(), before);
      for (const name of new Set([...before.keys(), ...reported.keys()])) {
        if (before.get(name)?.tools !== reported.get(name)?.tools) tell(name);
      }
    }),
  ];

  const sourceOfServer = (entry: ServerEntry): Source => {
    const { name, known, tools } = entry;
    const { title, description, tags = [] } = known.resource?.spec ?? {};
    const report = tools === undefined && entry.problem !== undefined ? reported.get(name) : undefined;
    const shared = {
      name,
      description: [title, description].filter((text) => text !== undefined).join(": ") || report?.description,
      tags,
      entry,
      unreachableSince: away.get(name),
      agentsWith: (tool: string) => report?.agentsWith.get(tool) ?? [],
    };
    if (tools !== undefined) return { ...shared, kind: "server", tools };
    if (report !== undefined) {
      return { ...shared, kind: "reported", tools: report.tools, unreachableSince: undefined };
    }
    return { ...shared, kind: "outline", tools: outlines(entry) };
  };
  const get = (name: string): Source | undefined => {
    const entry = servers.get(name);
    if (entry !== undefined) return sourceOfServer(entry);
    const agent = state.getAgent(name);
    if (agent === undefined) return undefined;
    return {
      name,
      kind: "agent",
      description: agent.spec.description,
      tags: [],
      tools: toolsOfAgent(agent),
      entry: undefined,
      unreachableSince: undefined,
      agentsWith: () => [],
    };
  };
  const indexOf = (tools: readonly ToolDescription[]) => {
    const known = indexes.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
    indexes.set(tools, known);
    return known;
  };
  return {
    names() {
      const agents = state.listAgents().map(({ metadata }) => metadata.name);
      return [...new Set([...servers.all().map(({ name }) => name), ...agents])];
    },
    get,
    find(server, name) {
      const source = get(server);
      const tool = source && indexOf(source.tools).get(name);
      return source && tool && { source, tool };
    },
    onChange(listener) {
      const own = (name: string) => listener(name);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      stops.forEach((stop) => stop());
      listeners.clear();
    },
  };
}

/** Whether a call of its tools has somewhere to go. */
const isReached = ({ problem, health }: ServerEntry): boolean => problem === undefined && health.status !== "unhealthy";

/** An agent's one tool, made once for each form of the agent. */
function createAgentTool(): (agent: PallasAgent) => readonly ToolDescription[] {
  const made = new WeakMap<PallasAgent, readonly ToolDescription[]>();
  return (agent) => {
    const known = made.get(agent) ?? [renderAgentTool(agent)];
    made.set(agent, known);
    return known;
  };
}

function renderAgentTool({ metadata, spec }: PallasAgent): ToolDescription {
  const { title = titleFromName(metadata.name), description } = spec;
  return {
    name: agentTool,
    description: description === undefined ? `Asks the agent ${title}.` : `Asks the agent ${title}: ${description}`,
    inputSchema: messageSchema,
  };
}

/** Names of tools from a server's status, made once for each form of it. */
function createOutlines(): (entry: ServerEntry) => readonly ToolDescription[] {
  const made = new WeakMap<object, readonly ToolDescription[]>();
  return ({ known, isActive }) => {
    const pinned = known.resource?.status?.pinned;
    // One that is started will be listed in a moment.
    if (pinned === undefined || isActive) return noTools;
    const tools = made.get(pinned) ?? pinned.slice(0, maxOutlined).map(({ name }) => outlineOf(name));
    made.set(pinned, tools);
    return tools;
  };
}

const outlineOf = (name: string): ToolDescription => ({ name, inputSchema: { type: "object" } });

interface Reported {
  readonly description: string | undefined;
  readonly tools: readonly ToolDescription[];
  readonly agentsWith: ReadonlyMap<string, readonly string[]>;
  /** What it was made of. */
  readonly from: readonly ReportedTools[];
}

/** By server; of two agents that report a tool of one name the first says what it is. */
function groupReports(
  all: readonly ReportedTools[],
  before: ReadonlyMap<string, Reported>,
): ReadonlyMap<string, Reported> {
  const byServer = Map.groupBy(all, ({ server }) => server);
  return new Map([...byServer].map(([server, from]) => [server, mergeReports(from, before.get(server))]));
}

function mergeReports(from: readonly ReportedTools[], before: Reported | undefined): Reported {
  const isSame =
    before?.from.length === from.length &&
    from.every(({ tools, agent }, at) => {
      const old = before.from[at];
      return old?.agent === agent && old.tools === tools;
    });
  if (isSame && before !== undefined) return before;
  const tools = new Map<string, ToolDescription>();
  const agentsWith = new Map<string, string[]>();
  for (const { agent, tools: own } of from) {
    for (const tool of own) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
      agentsWith.set(tool.name, [...(agentsWith.get(tool.name) ?? []), agent]);
    }
  }
  const described = from.find(({ serverDescription }) => serverDescription !== undefined);
  return { description: described?.serverDescription, tools: [...tools.values()], agentsWith, from };
}
