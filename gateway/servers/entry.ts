// One tool server as the gateway knows it: its link while it has an address, its tools as last listed, and whether it answered
// when it was last asked. Tools are kept while it is down or stopped; what may be shown of them is for whoever asks.
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import { createAskableLinks, type AskableLinks } from "../../lib/mcp/askable-links.ts";
import type { CallResult, ToolDescription } from "../../lib/mcp/connect.ts";
import type { CallOptions } from "../../lib/mcp/open-connection.ts";
import { createLink, type Link, type LinkOptions } from "../../lib/mcp/link.ts";
import { createLinkPool } from "../../lib/mcp/link-pool.ts";
import { relayedAsking } from "../../lib/mcp/relay.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { OpenFetch } from "../../lib/mcp/safe-fetch.ts";
import { renderTime, type Clock, type Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import { findAddress, type KnownServer, type PlainAddress } from "../state/servers.ts";
import { parseDurationMs } from "../../crds/units.ts";
import { Pins } from "./pins.ts";
import { idOfServer } from "./server-id.ts";

export type HealthStatus = "healthy" | "unhealthy" | "unknown";

export interface Health {
  readonly status: HealthStatus;
  /** When it was last asked. */
  readonly checkedAt?: string;
  readonly errorCount: number;
  /** Why it did not answer then, where it did not. */
  readonly error?: string;
}

export interface CheckResult {
  status: "healthy" | "unhealthy";
  latencyMs: number;
  error?: string;
}

export interface EntryParts {
  version: string;
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  log: Logger;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  /** Hears that tools or health may be others now. */
  onChange: (name: string) => void;
}

const listTimeoutMs = 30_000;
/** Of the background; each time up to twice as long. */
const refreshMs = 60_000;
const retryMs = 5_000;
/** Before the first list of what is started already, so that a gateway that starts does not ask all at once. */
const firstWithinMs = 1_000;
/** Changes that come at once are one. */
const settleMs = 100;
const defaultTimeoutMs = 60_000;
/** In a line of the log. */
const maxNamed = 10;
/** Of one server, whatever it lists. */
const maxTools = 20_000;

/** Makes a call in place of the gateway's own link. */
export type RunCall = (idleTimeoutMs: number) => Promise<CallResult>;

export interface EntryCall extends Omit<CallOptions, "idleTimeoutMs" | "ask" | "onCompleted"> {
  run?: RunCall | undefined;
  /** The way to ask the caller, where it can be asked. */
  asking?: Asking | undefined;
}

export class ServerEntry {
  readonly #parts: EntryParts;
  #known: KnownServer;
  #address: PlainAddress | undefined;
  #link: Link | undefined;
  /** For calls whose callers can be asked. */
  #asking: AskableLinks | undefined;
  #timer: Timer | undefined;
  /** As last listed; undefined while it never listed any. */
  #listedTools: readonly ToolDescription[] | undefined;
  /** Of these, what the resource lets through. */
  #tools: readonly ToolDescription[] | undefined;
  #offered: readonly ToolDescription[] | undefined;
  #pins = new Pins();
  #health: Health = { status: "unknown", errorCount: 0 };
  #isClosed = false;

  constructor(known: KnownServer, parts: EntryParts) {
    this.#known = known;
    this.#parts = parts;
    this.update(known, parts.random() * firstWithinMs);
  }

  get name(): string {
    return this.#known.name;
  }

  get known(): KnownServer {
    return this.#known;
  }

  get id(): number {
    return idOfServer(this.#known);
  }

  /** Whether it is started; those of the instance's spec always are. */
  get isActive(): boolean {
    return this.#known.resource?.spec.active ?? true;
  }

  get health(): Health {
    return this.#health;
  }

  /**
   * Those that are offered, as last listed; undefined while it never listed any. What waits for approval is none of them. The same
   * object for as long as they are the same.
   */
  get tools(): readonly ToolDescription[] | undefined {
    return this.#offered;
  }

  get pins(): Pins {
    return this.#pins;
  }

  /** False where the tools are others by now. */
  approve(toolsHash: string): boolean {
    const isApproved = this.#pins.approve(toolsHash);
    if (!isApproved) return false;
    this.#offer();
    this.#parts.onChange(this.name);
    return true;
  }

  /** Undefined while it has no address, which is why. */
  get problem(): string | undefined {
    if (this.#link !== undefined) return undefined;
    if (!this.isActive) return "the server is not active: activate it first";
    if (this.#known.inline !== undefined) {
      return "this server of the instance's spec needs secrets, which only agents hold; make it a PallasServer to call it here";
    }
    return "the server has no address yet: it is being started, or its condition Accepted says why not";
  }

  /** Why whoever runs servers does not take it as it is; undefined while they do, or have not said. */
  get refusal(): string | undefined {
    const { metadata, status } = this.#known.resource ?? {};
    const accepted = status?.conditions?.find(({ type }) => type === "Accepted");
    const isOfNow = accepted?.observedGeneration === metadata?.generation;
    return accepted?.status === "False" && isOfNow ? accepted.message : undefined;
  }

  /** Takes what the server is now; a link to another address is another link, whose tools are listed at once. */
  update(known: KnownServer, firstListMs = 0): void {
    if (this.#known.resource?.metadata.uid !== known.resource?.metadata.uid) this.#pins = new Pins();
    const isChosenAnew = JSON.stringify(choiceOf(this.#known)) !== JSON.stringify(choiceOf(known));
    this.#known = known;
    this.#pins.mode = known.resource?.spec.pin ?? "warn";
    const pinned = known.resource?.status?.pinned;
    if (pinned !== undefined) this.#pins.adopt(pinned);
    if (isChosenAnew) this.#choose();
    else this.#offer();
    const address = findAddress(known);
    if (JSON.stringify(address) === JSON.stringify(this.#address)) return;
    void this.#link?.close();
    void this.#asking?.close();
    this.#timer?.cancel();
    this.#address = address;
    this.#link = address && this.#openLink(address, { onToolsChanged: () => this.#schedule(settleMs) });
    this.#asking = address && this.#openAsking(address);
    const { checkedAt, errorCount } = this.#health;
    this.#health = { status: "unknown", errorCount, ...defined({ checkedAt }) };
    if (address !== undefined) this.#schedule(firstListMs);
  }

  async call(tool: string, args: Record<string, unknown>, { run, asking, ...options }: EntryCall): Promise<CallResult> {
    if (this.#link === undefined) throw new McpError("unreachable", this.problem ?? "the server has no address");
    const { timeout } = this.#known.resource?.spec ?? this.#known.inline ?? {};
    const idleTimeoutMs = timeout === undefined ? defaultTimeoutMs : parseDurationMs(timeout);
    const lease = asking && this.#asking?.lease(undefined, asking.can);
    const { link } = lease ?? { link: this.#link };
    const asked = relayedAsking(this.name, asking, this.#parts.clock);
    try {
      return await (run?.(idleTimeoutMs) ?? link.call(tool, args, { ...options, ...asked, idleTimeoutMs }));
    } catch (error) {
      if (error instanceof McpError && error.kind !== "cancelled" && error.kind !== "protocol") this.#countError();
      throw error;
    } finally {
      lease?.release();
    }
  }

  /** Lists its tools now. Never rejects. */
  async check(timeoutMs: number = listTimeoutMs): Promise<CheckResult> {
    const { clock, log } = this.#parts;
    const startedAt = clock.now();
    const link = this.#link;
    const latency = () => Math.round(clock.now() - startedAt);
    if (link === undefined) return { status: "unhealthy", latencyMs: 0, error: this.problem ?? "no address" };
    try {
      const tools = await within(timeoutMs, clock, (signal) =>
        link.use((connection) => connection.listTools(signal, timeoutMs)),
      );
      if (this.#link === link) this.#listed(tools);
      return { status: "healthy", latencyMs: latency() };
    } catch (cause) {
      const error = cause instanceof McpError ? cause.message : "the server cannot be asked";
      if (this.#link === link) this.#failed(error);
      log.debug({ server: this.name, err: cause }, "tools of a server cannot be listed");
      return { status: "unhealthy", latencyMs: latency(), error };
    }
  }

  resetErrors(): void {
    this.#health = { ...this.#health, errorCount: 0 };
    this.#parts.onChange(this.name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all([this.#link?.close(), this.#asking?.close()]);
  }

  #openAsking(address: PlainAddress): AskableLinks {
    const { clock } = this.#parts;
    return createAskableLinks((askable) =>
      createLinkPool({ open: () => this.#openLink(address, { askable }), keyOf: () => undefined, clock }),
    );
  }

  #openLink({ url, headers }: PlainAddress, options: Pick<LinkOptions, "askable" | "onToolsChanged">): Link {
    const { version, openFetch, memory, log, clock } = this.#parts;
    const sent = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
    return createLink({
      name: this.name,
      url,
      headers: async () => sent,
      clientVersion: version,
      log,
      clock,
      openFetch,
      memory,
      ...options,
    });
  }

  /** In place of what was scheduled before. */
  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.schedule(delayMs, () => void this.#refresh());
  }

  async #refresh(): Promise<void> {
    const link = this.#link;
    const { status } = await this.check();
    // Another address has its own turn.
    if (link !== this.#link || link === undefined) return;
    const everyMs = status === "healthy" ? refreshMs : retryMs;
    this.#schedule(everyMs * (1 + this.#parts.random()));
  }

  #listed(all: readonly ToolDescription[]): void {
    this.#listedTools = all;
    this.#choose();
    this.#note("healthy");
  }

  /** What is not offered any more is gone at once, and not with the next list. */
  #choose(): void {
    if (this.#listedTools === undefined) return;
    const { allow = [], deny = [] } = choiceOf(this.#known);
    const isOffered = ({ name }: ToolDescription) =>
      (allow.length === 0 || allow.some((pattern) => matchesToolPattern(name, pattern))) &&
      !deny.some((pattern) => matchesToolPattern(name, pattern));
    const tools = this.#listedTools.filter(isOffered).slice(0, maxTools);
    const before = this.#pins.changed.join("\n");
    const areOthers = this.#pins.list(tools);
    if (areOthers || this.#tools === undefined) this.#tools = tools;
    const { changed } = this.#pins;
    if (changed.length > 0 && changed.join("\n") !== before) {
      const tools = changed.slice(0, maxNamed);
      this.#parts.log.warn({ server: this.name, tools, count: changed.length }, "tools of a server changed");
    }
    this.#offer();
  }

  #offer(): void {
    const before = this.#offered;
    const offered = this.#tools?.filter(({ name }) => !this.#pins.isHidden(name));
    const isSame = before?.length === offered?.length && offered?.every((tool, at) => tool === before?.[at]);
    if (isSame !== true) this.#offered = offered;
  }

  #failed(error: string): void {
    this.#countError();
    this.#note("unhealthy", error);
  }

  #note(status: HealthStatus, error?: string): void {
    const { errorCount } = this.#health;
    this.#health = { status, checkedAt: renderTime(this.#parts.clock), errorCount, ...defined({ error }) };
    this.#parts.onChange(this.name);
  }

  #countError(): void {
    this.#health = { ...this.#health, errorCount: this.#health.errorCount + 1 };
  }
}

const choiceOf = ({ resource }: KnownServer) => resource?.spec.tools ?? {};

/** A connection that hangs counts like a list that does. */
async function within<T>(timeoutMs: number, clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const controller = new AbortController();
  const timer = clock.schedule(timeoutMs, () => {
    const error = new McpError("timeout", "Health check timed out");
    controller.abort(error);
    late.reject(error);
  });
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    timer.cancel();
  }
}
