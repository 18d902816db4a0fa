// A server that speaks stdio, served in both eras: sessions of the 2025 era with a process each or one for all, and requests of
// the 2026 era, which stand alone, by that one. It sees to it that the server is there before anybody asks.
import type { BridgeConfig, BridgeHealth } from "../crds/bridge-config.ts";
import { createDispatcher } from "../lib/mcp/dispatch.ts";
import type { Leg } from "../lib/mcp/serve-2025.ts";
import type { StreamLeg } from "../lib/mcp/serve-2026.ts";
import { createSubscriptionHub } from "../lib/mcp/subscription-hub.ts";
import type { Clock, Timer } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import type { Logger } from "../lib/process/log.ts";
import type { BridgeMetrics } from "./metrics.ts";
import { openOwnPeer, openSharedPeer } from "./peers.ts";
import { createPlaces, type Places } from "./places.ts";
import { createRelayLeg, type RelayLegOptions } from "./relay/leg.ts";
import { createToolFilter, type ToolFilter } from "./relay/tool-filter.ts";
import { lookAtServer, observeAnswer } from "./look-at-server.ts";
import { SharedChanges } from "./shared/shared-changes.ts";
import { createSharedClient, type SharedClient } from "./shared/shared-client.ts";
import { SharedServer } from "./shared/shared-server.ts";
import type { Served } from "./served.ts";
import type { ErrorLog } from "./stdio/error-log.ts";
import type { Launch } from "./stdio/server-process.ts";
import { Starts } from "./stdio/starts.ts";

export interface StdioServerParts {
  readonly config: Pick<BridgeConfig, "server" | "sessions" | "tools" | "timeoutMs">;
  readonly launch: Launch;
  readonly errorLog: ErrorLog;
  /** For a process to answer `initialize`, the fetching of its package with it. */
  readonly startTimeoutMs: number;
  readonly abandonedAfterMs: number;
  /** Called when no process runs any more. */
  /** Ends what a start in progress may wait for. */
  readonly onClosing?: () => void;
  readonly onClosed?: () => void;
  readonly metrics: BridgeMetrics;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Sessions that share one process. */
const maxSharedSessions = 256;

export class StdioServer implements Served {
  readonly leg2025: Leg;
  readonly #parts: StdioServerParts;
  readonly #starts: Starts;
  readonly #shared: SharedServer;
  readonly #changes: SharedChanges;
  readonly #client: SharedClient;
  readonly #filter: ToolFilter;
  #leg2026: Promise<StreamLeg> | undefined;
  #toolCount: number | undefined;
  #isKnown = false;
  #looking: Promise<void> | undefined;
  #retry: Timer | undefined;
  #isClosed = false;

  /** The server is started at once. */
  constructor(parts: StdioServerParts) {
    const { config, launch, startTimeoutMs, abandonedAfterMs, metrics, errorLog, log, clock } = parts;
    const { sessions, timeoutMs } = config;
    const { idleTtlMs } = sessions;
    this.#parts = parts;
    this.#filter = createToolFilter(config.tools);
    const onFailed = (retryMs: number) => this.#lookLater(retryMs);
    this.#starts = new Starts({ launch, startTimeoutMs, errorLog, counts: metrics, onFailed, log, clock });
    const places = createPlaces(sessions.max, { fullText: renderFull(sessions.max), onFull: metrics.onFull });
    this.#shared = new SharedServer({
      starts: this.#starts,
      clientVersion: config.server.version,
      idleTtlMs,
      takePlace: places.take,
      onStarted: () => this.#changes.connect(),
      clock,
    });
    this.#changes = new SharedChanges(this.#shared, clock);
    this.#client = createSharedClient({ shared: this.#shared, timeoutMs, onCallEnd: metrics.onCall, clock });
    const isShared = sessions.processes === "shared";
    this.leg2025 = createRelayLeg({
      openPeer: isShared ? openSharedPeer(this.#shared) : openOwnPeer(this.#starts),
      filter: this.#filter,
      timeoutMs,
      idleTtlMs,
      abandonedAfterMs,
      takePlace: isShared ? renderSharedPlaces(metrics) : (makeRoom) => this.#takePlace(places, makeRoom),
      onCallEnd: (_call, outcome, durationMs) => metrics.onCall(outcome, durationMs),
      onToolCount: (count) => (this.#toolCount = count),
      onRestart: metrics.onRestart,
      clock,
      log,
    });
    this.#look();
  }

  load2026(): Promise<StreamLeg> {
    return (this.#leg2026 ??= this.#open2026().catch((error: unknown) => {
      this.#leg2026 = undefined;
      throw error;
    }));
  }

  observeUnready(): string | undefined {
    return this.#isKnown ? undefined : (this.#starts.state.message ?? "the server has not answered yet");
  }

  health(): BridgeHealth {
    return { ...this.#starts.state, processes: this.#starts.count, ...defined({ toolCount: this.#toolCount }) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#parts.onClosing?.();
    this.#retry?.cancel();
    this.#changes.close();
    await this.leg2025.close();
    await this.#leg2026?.then((leg) => leg.close()).catch(() => undefined);
    await this.#starts.close();
    this.#parts.onClosed?.();
  }

  /** The shared process is there for whoever needs no session: it makes room while it has nothing to do. */
  async #takePlace(places: Places, makeRoom: () => Promise<void>): Promise<() => void> {
    await this.#shared.settled();
    if (places.isFull()) await this.#looking;
    if (places.isFull() && this.#shared.isIdle) void this.#shared.end();
    if (places.isFull()) await makeRoom();
    return places.take();
  }

  #look(): void {
    const { log } = this.#parts;
    this.#looking = lookAtServer(this.#shared, this.#client, this.#filter)
      .then((count) => {
        this.#toolCount = count;
      })
      .catch((error: unknown) => {
        if (this.#starts.state.status === "ok") log.warn({ err: error }, "tools of the server cannot be listed");
      })
      .finally(() => {
        this.#isKnown ||= this.#starts.state.status === "ok";
      });
  }

  #lookLater(afterMs: number): void {
    this.#retry?.cancel();
    if (!this.#isClosed) this.#retry = this.#parts.clock.schedule(afterMs, () => this.#look());
  }

  async #open2026(): Promise<StreamLeg> {
    const { log, clock } = this.#parts;
    const { message: initialized } = await observeAnswer(this.#shared);
    const { createStandalone } = await import("./shared/standalone-table.ts");
    const { createStreamLeg } = await import("../lib/mcp/serve-2026.ts");
    const { table, extension } = createStandalone({
      client: this.#client,
      changes: this.#changes,
      filter: this.#filter,
      initialized,
      clock,
    });
    const hub = createSubscriptionHub(table, clock);
    const dispatcher = createDispatcher(table, log);
    return createStreamLeg({ table, dispatcher, extension, hub, log, clock, isAlone: async () => true });
  }
}

const renderFull = (max: number): string =>
  `All ${max} processes of this server are taken by other sessions: end one, try again later, or raise spec.sessions.max or set spec.sessions.processes to shared`;

function renderSharedPlaces({ onFull }: Pick<BridgeMetrics, "onFull">): RelayLegOptions["takePlace"] {
  const fullText = `This server has ${maxSharedSessions} sessions open: end one, or try again later`;
  const places = createPlaces(maxSharedSessions, { fullText, onFull });
  return async (makeRoom) => {
    if (places.isFull()) await makeRoom();
    return places.take();
  };
}
