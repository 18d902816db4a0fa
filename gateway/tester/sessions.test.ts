import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { Sessions, sessionBounds } from "./sessions.ts";

const target = { name: "s", url: "http://127.0.0.1:9/mcp", headers: {} };
const open = (bounds = sessionBounds) => {
  const clock = new ManualClock();
  const openFetch = () => ({ fetch: never, close: async () => undefined });
  const connect = { clientName: "t", clientVersion: "1", connectTimeoutMs: 60_000, openFetch };
  const sessions = new Sessions({ connect, clock, onEntry: () => undefined, bounds });
  onTestFinished(() => sessions.close());
  return { clock, sessions };
};
const signal = new AbortController().signal;
/** A server that never answers keeps a session busy. */
const never = () => new Promise<never>(() => undefined);

describe("DSC-9 sessions", () => {
  it("are one for each caller and server, and another for another address", () => {
    const { sessions } = open();
    const one = sessions.open("alice", "a", target);
    expect(sessions.open("alice", "a", { ...target })).toBe(one);
    expect(sessions.open("bob", "a", target)).not.toBe(one);
    expect(sessions.open("alice", "b", target)).not.toBe(one);
    expect(sessions.open("alice", "a", { ...target, url: "http://127.0.0.1:8/mcp" })).not.toBe(one);
    expect(sessions.open("alice", "a", { ...target, headers: { a: "1" } })).not.toBe(one);
    expect(sessions.count()).toBe(3);
  });

  it("of one caller are eight; the ninth costs the one used least recently", async () => {
    const { sessions, clock } = open();
    for (let n = 0; n < 8; n += 1) {
      sessions.open("alice", `${n}`, target);
      await clock.advance(1);
    }
    expect(sessions.of("alice")).toHaveLength(8);
    sessions.open("alice", "8", target);
    expect(sessions.of("alice")).toHaveLength(8);
    expect(sessions.find("alice", "0")).toBeUndefined();
    expect(sessions.find("alice", "1")).toBeDefined();
  });

  it("that are all in use make no room for another", () => {
    const { sessions } = open({ ...sessionBounds, maxPerCaller: 2 });
    for (const key of ["a", "b"]) {
      sessions
        .open("alice", key, target)
        .use(never, signal)
        .catch(() => undefined);
    }
    expect(() => sessions.open("alice", "c", target)).toThrow("requests running to 2 servers");
    expect(sessions.open("bob", "c", target)).toBeDefined();
  });

  it("of all are so many; the next caller is refused, and nobody loses one", () => {
    const { sessions } = open({ ...sessionBounds, max: 2 });
    sessions.open("alice", "a", target);
    sessions.open("bob", "a", target);
    expect(() => sessions.open("carol", "a", target)).toThrow("2 sessions");
    expect(sessions.count()).toBe(2);
  });

  it("end when nobody used them for ten minutes, and no timer is left", async () => {
    const { sessions, clock } = open();
    sessions.open("alice", "a", target);
    await clock.advance(sessionBounds.idleTtlMs - 1);
    expect(sessions.count()).toBe(1);
    await clock.advance(20_000);
    expect(sessions.count()).toBe(0);
    expect(clock.pending).toEqual([]);
  });

  it("do not end while a request runs", async () => {
    const { sessions, clock } = open();
    sessions
      .open("alice", "a", target)
      .use(never, signal)
      .catch(() => undefined);
    await clock.advance(2 * sessionBounds.idleTtlMs);
    expect(sessions.count()).toBe(1);
    await sessions.close();
    expect(sessions.count()).toBe(0);
  });
});
