// A remote server whose secrets only the bridge holds: looked at from time to time, reached by remote-leg.ts.
import type { BridgeConfig, BridgeHealth, BridgeTarget } from "../../crds/bridge-config.ts";
import { probeMcp } from "../../lib/mcp/probe.ts";
import { createSafeFetch } from "../../lib/mcp/safe-fetch.ts";
import type { Leg } from "../../lib/mcp/serve-2025.ts";
import type { StreamLeg } from "../../lib/mcp/serve-2026.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { SecretReader } from "../environment.ts";
import type { BridgeMetrics } from "../metrics.ts";
import { createToolFilter } from "../relay/tool-filter.ts";
import type { Served } from "../served.ts";
import { readOwnHeaders, renderServerHeaders } from "./remote-headers.ts";
import { createRemoteLeg } from "./remote-leg.ts";

export interface RemoteServerParts {
  readonly config: Pick<BridgeConfig, "tools" | "timeoutMs">;
  readonly target: Extract<BridgeTarget, { kind: "remote" }>;
  readonly readSecret: SecretReader;
  /** Of one answer, or one event of a stream. */
  readonly maxMessageBytes: number;
  readonly metrics: BridgeMetrics;
  readonly log: Logger;
  readonly clock: Clock;
}

const connectTimeoutMs = 5_000;
const probeTimeoutMs = 10_000;
const probeEveryMs = 60_000;
const firstRetryMs = 1_000;

export class RemoteServer implements Served {
  readonly leg2025: Leg;
  readonly #parts: RemoteServerParts;
  readonly #closeFetch: () => Promise<void>;
  #health: BridgeHealth = { status: "starting", processes: 0 };
  #toolCount: number | undefined;
  #isKnown = false;
  #retryMs = firstRetryMs;
  #timer: Timer | undefined;
  #isClosed = false;

  /** The server is looked at at once. */
  constructor(parts: RemoteServerParts) {
    const { config, target, readSecret, metrics, maxMessageBytes, clock } = parts;
    this.#parts = parts;
    const safeFetch = createSafeFetch({ connectTimeoutMs, maxResponseBytes: maxMessageBytes });
    this.#closeFetch = () => safeFetch.close();
    this.leg2025 = createRemoteLeg({
      url: target.url,
      forwardInboundAuth: target.forwardInboundAuth,
      safeFetch,
      readHeaders: async (client) => renderServerHeaders(client, await readOwnHeaders(target, readSecret), target),
      filter: createToolFilter(config.tools),
      timeoutMs: config.timeoutMs,
      onEnd: metrics.onCall,
      onToolCount: (count) => (this.#toolCount = count),
      clock,
    });
    void this.#look();
  }

  async load2026(): Promise<StreamLeg> {
    return { ...this.leg2025, isOf2025: async () => false };
  }

  observeUnready(): string | undefined {
    return this.#isKnown ? undefined : (this.#health.message ?? "the server has not answered yet");
  }

  health(): BridgeHealth {
    return { ...this.#health, ...defined({ toolCount: this.#toolCount }) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.leg2025.close();
    await this.#closeFetch();
  }

  async #look(): Promise<void> {
    const { target, readSecret, log, clock } = this.#parts;
    const { url, forwardInboundAuth: forwardsInboundAuth } = target;
    const headers = async () => await readOwnHeaders(target, readSecret);
    const { reachable, detail } = await probeMcp({ url, headers, timeoutMs: probeTimeoutMs, forwardsInboundAuth });
    if (this.#isClosed) return;
    const was = this.#health.status;
    this.#health = reachable
      ? { status: "ok", processes: 0 }
      : { status: "down", processes: 0, message: `the remote server cannot be reached: ${detail ?? "no answer"}` };
    this.#isKnown ||= reachable;
    if (was !== this.#health.status) log.info({ status: this.#health.status, detail }, "remote server looked at");
    this.#retryMs = reachable ? firstRetryMs : Math.min(this.#retryMs * 2, probeEveryMs);
    this.#timer = clock.schedule(reachable ? probeEveryMs : this.#retryMs, () => void this.#look());
  }
}
