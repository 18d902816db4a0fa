// The tool servers of an instance and everything that the gateway does with them (DSC-6, DSC-11): it keeps a link to each that is
// started, lists its tools in the background, calls them in the name of a caller, and counts and notes each call. Who may ask is
// judged before; which servers a caller sees is said by its identity.
import type { Identity } from "../../lib/auth/roles.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { findReservedMisuse } from "../../lib/mcp/policy-error.ts";
import type { CallResult } from "../../lib/mcp/connect.ts";
import type { Progress } from "../../lib/mcp/table.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createMemoryBudget, deriveBudgetBytes } from "../../lib/process/memory-budget.ts";
import { seesServer } from "../management/access.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { Permit } from "../policy/judged-call.ts";
import type { GatewayState } from "../state/state.ts";
import type { CallLog } from "./call-log.ts";
import { ServerEntry, type EntryParts, type RunCall } from "./entry.ts";
import type { CallTrend } from "./call-trend.ts";
import { Meters, type ToolMeter } from "./meter.ts";

export interface ToolServersParts extends Pick<EntryParts, "openFetch" | "version"> {
  state: Pick<GatewayState, "listServers" | "getServer" | "onChange">;
  calls: CallLog;
  metrics: Pick<GatewayMetrics, "countToolCall">;
  /** Absent: nobody reads calls by the hour. */
  trend?: Pick<CallTrend, "countTool">;
  log: Logger;
  clock: Clock;
  random?: () => number;
}

export interface ToolCall {
  server: ServerEntry;
  /** For a tool of this server, with the arguments. */
  permit: Permit;
  caller: Identity;
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** The way to ask the caller, where it can be asked. */
  asking?: Asking | undefined;
  /** In the caller's own session, where the caller answers what the server asks. */
  run?: RunCall | undefined;
}

export interface ToolServers {
  /** Of those that an identity sees, by name. */
  list(identity: Identity): readonly ServerEntry[];
  /** By its id or name; undefined where there is none, or the identity does not see it. */
  find(idOrName: string, identity: Identity): ServerEntry | undefined;
  /** All, whoever asks. */
  all(): readonly ServerEntry[];
  /** By its name, whoever asks. */
  get(name: string): ServerEntry | undefined;
  /** Rejects with McpError, or with a JsonRpcError where the server took a code of policies; metered and noted either way. */
  call(call: ToolCall): Promise<CallResult>;
  metersOf(server: string): ToolMeter[];
  /** Names of servers whose resource, tools or health changed; until what it returns is called. */
  onChange(listener: (server: string) => void): () => void;
  close(): Promise<void>;
}

type CallParts = Pick<ToolServersParts, "calls" | "metrics" | "trend" | "log" | "clock">;

/** Calls a tool; counts and notes how that went. */
async function callTool(parts: CallParts, meters: Meters, call: ToolCall): Promise<CallResult> {
  const { calls, metrics, trend, log, clock } = parts;
  const { server, permit, caller, signal, onProgress, asking, run } = call;
  const { tool, args } = permit;
  if (permit.server !== server.name) throw new Error(`expected a permit for "${server.name}", found another server's`);
  const { subject } = caller;
  const startedAt = clock.now();
  const facts = (success: boolean) => ({
    timestamp: renderTime(clock),
    server: server.name,
    tool,
    latency_ms: Math.round(clock.now() - startedAt),
    success,
    caller: subject,
  });
  const note = (success: boolean, response: unknown) => {
    const { timestamp, latency_ms: durationMs, server: name } = facts(success);
    meters.count({ server: name, tool, success, durationMs, at: timestamp });
    trend?.countTool({ server: name, tool, success, durationMs });
    metrics.countToolCall(success ? "ok" : "error", durationMs);
    calls.add({ ...facts(success), kind: "call", args, response });
    log.info({ server: name, tool, subject, success, durationMs }, "tool called");
  };
  const hear = (progress: Progress) => {
    calls.pass({ ...facts(true), kind: "progress" }, { token: `${server.name}/${tool}`, progress });
    onProgress?.(progress);
  };
  try {
    const result = await server.call(tool, args, { signal, onProgress: hear, asking, run });
    note(result.isError !== true, textOf(result.content));
    return result;
  } catch (error) {
    // What was refused before it went out is no call.
    if (error instanceof McpError) note(false, error.message);
    throw findReservedMisuse(error, server.name) ?? error;
  }
}

/** What a tool answers is text mostly: that, as clients of the interface read it. */
function textOf(content: CallResult["content"]): unknown {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.length < content.length ? content : texts.join("\n");
}

export function createToolServers(parts: ToolServersParts): ToolServers {
  const { state, log, clock, random = Math.random, version, openFetch } = parts;
  const memory = createMemoryBudget(deriveBudgetBytes());
  const entries = new Map<string, ServerEntry>();
  const listeners = new Set<(server: string) => void>();
  const meters = new Meters();
  const tell = (server: string) => {
    for (const listener of [...listeners]) listener(server);
  };
  const entryParts = { version, openFetch, memory, log, clock, random, onChange: tell };
  const follow = (name: string) => {
    const known = state.getServer(name);
    const entry = entries.get(name);
    if (known === undefined) {
      entries.delete(name);
      meters.forget(name);
      void entry?.close();
    } else if (entry === undefined) {
      entries.set(name, new ServerEntry(known, entryParts));
    } else {
      entry.update(known);
    }
    tell(name);
  };
  for (const { name } of state.listServers()) follow(name);
  const stop = state.onChange(({ servers }) => servers.forEach(follow));
  const all = () => [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    all,
    get: (name) => entries.get(name),
    list: (identity) => all().filter(({ name }) => seesServer(identity, name)),
    find(idOrName, identity) {
      // What was written a moment ago is in the state before its listeners hear of it.
      if (state.getServer(idOrName)?.resource !== entries.get(idOrName)?.known.resource) follow(idOrName);
      // A name may be all digits too: it is looked for first.
      const named = entries.get(idOrName);
      const found = named ?? all().find(({ id }) => String(id) === idOrName);
      return found !== undefined && seesServer(identity, found.name) ? found : undefined;
    },
    call: (call) => callTool(parts, meters, call),
    metersOf: (server) => meters.of(server),
    onChange(listener) {
      const own = (server: string) => listener(server);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async close() {
      stop();
      listeners.clear();
      await Promise.all([...entries.values()].map((entry) => entry.close()));
    },
  };
}
