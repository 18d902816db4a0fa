// How long an endpoint is alive: each model at its limit and one millisecond past it, and what nobody has heard of yet.
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { Liveness } from "./liveness.ts";

const cases: [string, Parameters<Liveness["observe"]>[1], number][] = [
  ["Persistent: two and a half heartbeats", { livenessModel: "Persistent", heartbeatIntervalSeconds: 30 }, 75_000],
  ["Persistent, no interval named: 60 s", { livenessModel: "Persistent" }, 60_000],
  ["Ephemeral: its time to live", { livenessModel: "Ephemeral", ttlSeconds: 10 }, 10_000],
  ["Ephemeral, no time named: 5 min", { livenessModel: "Ephemeral" }, 300_000],
];

describe("DIR-2 an endpoint is alive", () => {
  it.each(cases)("%s after a beat, and dead after that", async (_rule, endpoint, lifetimeMs) => {
    const clock = new ManualClock();
    const liveness = new Liveness(clock);
    liveness.keep(["a"]);
    liveness.beat("a");
    await clock.advance(lifetimeMs);
    expect(liveness.observe("a", endpoint)).toBe("live");
    await clock.advance(1);
    expect(liveness.observe("a", endpoint)).toBe("dead");
    liveness.beat("a");
    expect(liveness.observe("a", endpoint)).toBe("live");
  });

  it.each(cases)("%s, unknown, when nobody has heard of it yet", async (_rule, endpoint, lifetimeMs) => {
    const clock = new ManualClock();
    const liveness = new Liveness(clock);
    liveness.keep(["a"]);
    await clock.advance(lifetimeMs);
    // What is noted again is not new.
    liveness.keep(["a"]);
    expect(liveness.observe("a", endpoint)).toBe("unknown");
    await clock.advance(1);
    expect(liveness.observe("a", endpoint)).toBe("dead");
  });

  it("for itself alone, and is forgotten with its registration", () => {
    const liveness = new Liveness(new ManualClock());
    const endpoint = { livenessModel: "Ephemeral" } as const;
    liveness.keep(["a", "b"]);
    liveness.beat("b");
    expect([liveness.observe("a", endpoint), liveness.observe("b", endpoint)]).toEqual(["unknown", "live"]);
    liveness.keep(["b"]);
    expect([liveness.observe("a", endpoint), liveness.observe("b", endpoint)]).toEqual(["dead", "live"]);
    liveness.keep(["a", "b"]);
    expect(liveness.observe("a", endpoint)).toBe("unknown");
  });

  it("whatever somebody sets the machine's clock to", async () => {
    const clock = new ManualClock();
    const liveness = new Liveness(clock);
    liveness.beat("a");
    clock.setWall(-86_400_000);
    expect(liveness.observe("a", { livenessModel: "Persistent" })).toBe("live");
  });
});
