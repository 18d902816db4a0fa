// How long a write waits for the watch to tell of it.
import { expect, it } from "vitest";
import type { PallasAgent } from "../../crds/agent.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";
import type { StateChange } from "../state/state.ts";
import { maxBehindMs, untilSeen } from "./seen.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

const agent = (uid: string, generation: number): PallasAgent => {
  const { metadata, ...rest } = sampleAgent("clerk");
  return { ...rest, metadata: { ...metadata, uid, generation } };
};

function start(first: PallasAgent | undefined) {
  let known = first;
  const clock = new ManualClock();
  const listeners = new Set<(change: StateChange) => void>();
  let isOver = false;
  const state = {
    find: () => known,
    onChange(listener: (change: StateChange) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  void untilSeen(agent("u", 2).metadata, state, clock).then(() => (isOver = true));
  const tell = async (next: PallasAgent) => {
    known = next;
    const change = { agents: ["clerk"], servers: [], registrations: [], policies: [], approvals: [], instance: false };
    for (const listener of listeners) listener(change);
    await settle();
    return isOver;
  };
  return { clock, listeners, tell, isOver: () => isOver };
}

it("MGM-3 a write is over once the watch has told of it, or of a later form", async () => {
  const { clock, listeners, tell } = start(agent("u", 1));
  expect(await tell(agent("other", 3))).toBe(false);
  expect(await tell(agent("u", 1))).toBe(false);
  expect(await tell(agent("u", 3))).toBe(true);
  expect([clock.pending, listeners.size]).toEqual([[], 0]);
});

it("MGM-3 a write waits for no watch that is broken, and not at all where it was told of", async () => {
  const { clock, listeners, isOver } = start(undefined);
  await clock.advance(maxBehindMs - 1);
  expect(isOver()).toBe(false);
  await clock.advance(1);
  expect([isOver(), listeners.size]).toEqual([true, 0]);
  const known = start(agent("u", 2));
  await settle();
  expect([known.isOver(), known.clock.pending]).toEqual([true, []]);
});
