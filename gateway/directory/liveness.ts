// Which endpoints of others are alive (DIR-2), in memory alone: a beat is one entry of a map, and no write anywhere. What nobody has
// heard of in this process counts as alive for as long as one beat would, and is said to be unknown meanwhile: so a restart
// takes nobody out of the directory who still beats. Pods of ours are judged by their readiness, elsewhere.
import type { RegistrationSpec } from "../../crds/registration.ts";
import type { Clock } from "../../lib/process/clock.ts";

export type RegisteredEndpoint = NonNullable<RegistrationSpec["endpoints"]>[number];
/** live: it beat in time. unknown: it counts as live, and has not beaten since this process has known it. */
export type LivenessState = "live" | "unknown" | "dead";

const defaultTtlMs = 300_000;
/** Of a Persistent one that names no interval. */
const defaultPersistentMs = 60_000;
const missedHeartbeats = 2.5;

/** How long a beat lasts, that moment included. */
export function lifetimeMs(
  endpoint: Pick<RegisteredEndpoint, "livenessModel" | "ttlSeconds" | "heartbeatIntervalSeconds">,
) {
  const { livenessModel, ttlSeconds, heartbeatIntervalSeconds } = endpoint;
  if (livenessModel === "Ephemeral") return ttlSeconds === undefined ? defaultTtlMs : ttlSeconds * 1_000;
  if (heartbeatIntervalSeconds === undefined) return defaultPersistentMs;
  return heartbeatIntervalSeconds * missedHeartbeats * 1_000;
}

interface Heard {
  atMs: number;
  hasBeaten: boolean;
}

export class Liveness {
  readonly #clock: Pick<Clock, "now">;
  #heard = new Map<string, Heard>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Takes note of the endpoints that there are, by their keys, and forgets all others. */
  keep(keys: Iterable<string>): void {
    const atMs = this.#clock.now();
    const kept = new Map<string, Heard>();
    for (const key of keys) kept.set(key, this.#heard.get(key) ?? { atMs, hasBeaten: false });
    this.#heard = kept;
  }

  beat(key: string): void {
    this.#heard.set(key, { atMs: this.#clock.now(), hasBeaten: true });
  }

  observe(key: string, endpoint: Parameters<typeof lifetimeMs>[0]): LivenessState {
    const heard = this.#heard.get(key);
    if (heard === undefined || this.#clock.now() - heard.atMs > lifetimeMs(endpoint)) return "dead";
    return heard.hasBeaten ? "live" : "unknown";
  }
}
