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
import { groupReports, type AgentTools, type Reported } from "./reported-tools.ts";
import { agentTool } from "./may-call.ts";

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

export class KnownTools {
  readonly #parts: KnownToolsParts;
  readonly #listeners = new Set<(name: string) => void>();
  readonly #away = new Map<string, string>();
  readonly #stops: (() => void)[];
  readonly #agentTool = createAgentTool();
  readonly #outlines = createOutlines();
  readonly #indexes = new WeakMap<readonly ToolDescription[], ReadonlyMap<string, ToolDescription>>();
  #reported: ReadonlyMap<string, Reported>;

  constructor(parts: KnownToolsParts) {
    this.#parts = parts;
    const { servers, state, agentTools } = parts;
    this.#reported = groupReports(agentTools.list(), new Map());
    for (const { name } of servers.all()) this.#noteReach(name);
    this.#stops = [
      servers.onChange((name) => this.#tell(name)),
      state.onChange(({ agents }) => agents.forEach((name) => this.#tell(name))),
      agentTools.onChange(() => this.#readReports()),
    ];
  }

  /** Of servers and agents. */
  names(): readonly string[] {
    const { servers, state } = this.#parts;
    const agents = state.listAgents().map(({ metadata }) => metadata.name);
    return [...new Set([...servers.all().map(({ name }) => name), ...agents])];
  }

  get(name: string): Source | undefined {
    const entry = this.#parts.servers.get(name);
    if (entry !== undefined) return this.#ofServer(entry);
    const agent = this.#parts.state.getAgent(name);
    if (agent === undefined) return undefined;
    return {
      ...{ name, kind: "agent", description: agent.spec.description, tags: [], tools: this.#agentTool(agent) },
      ...{ entry: undefined, unreachableSince: undefined, agentsWith: () => [] },
    };
  }

  find(server: string, name: string): KnownTool | undefined {
    const source = this.get(server);
    if (source === undefined) return undefined;
    const { tools } = source;
    const byName = this.#indexes.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
    this.#indexes.set(tools, byName);
    const tool = byName.get(name);
    return tool && { source, tool };
  }

  /** Names of sources that may be others now; until what it returns is called. */
  onChange(listener: (name: string) => void): () => void {
    const own = (name: string) => listener(name);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
    this.#listeners.clear();
  }

  #ofServer(entry: ServerEntry): Source {
    const { name, known, tools } = entry;
    const { title, description, tags = [] } = known.resource?.spec ?? {};
    const report = tools === undefined && entry.problem !== undefined ? this.#reported.get(name) : undefined;
    const words = [title, description].filter((text) => text !== undefined).join(": ");
    const shared = {
      ...{ name, tags, entry, description: words === "" ? report?.description : words },
      unreachableSince: this.#away.get(name),
      agentsWith: (tool: string) => report?.agentsWith.get(tool) ?? [],
    };
    if (tools !== undefined) return { ...shared, kind: "server", tools };
    if (report === undefined) return { ...shared, kind: "outline", tools: this.#outlines(entry) };
    return { ...shared, kind: "reported", tools: report.tools, unreachableSince: undefined };
  }

  #readReports(): void {
    const before = this.#reported;
    this.#reported = groupReports(this.#parts.agentTools.list(), before);
    for (const name of new Set([...before.keys(), ...this.#reported.keys()])) {
      if (before.get(name) !== this.#reported.get(name)) this.#tell(name);
    }
  }

  #tell(name: string): void {
    this.#noteReach(name);
    for (const listener of [...this.#listeners]) listener(name);
  }

  #noteReach(name: string): void {
    const entry = this.#parts.servers.get(name);
    if (entry === undefined || isReached(entry)) this.#away.delete(name);
    else if (!this.#away.has(name)) this.#away.set(name, renderTime(this.#parts.clock));
  }
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
