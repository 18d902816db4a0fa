// How often a resource is read, for how long it is followed and kept, and what a problem leaves of it.
import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createFakeTime } from "../testing/fake-time.ts";
import type { ConnectionState } from "./connection.ts";
import { Problem } from "./problem.ts";
import { createResources, jsonResource } from "./resources.ts";

const uri = "resource://agents/list";
const kind = jsonResource(z.array(z.string()));

function start(kindOfState: "live" | "connecting" = "live") {
  const time = createFakeTime();
  const reads: { uri: string; answer(text: string): Promise<void>; fail(error: unknown): Promise<void> }[] = [];
  const listeners = new Map<string, () => void>();
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
  const resources = createResources(
    {
      state: signal<ConnectionState>({ kind: kindOfState }),
      read: (asked) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        reads.push({
          uri: asked,
          answer: (text) => (resolve(text), settle()),
          fail: (error) => (reject(error), settle()),
        });
        return promise;
      },
      follow: (asked, onChange) => {
        listeners.set(asked, onChange);
        return () => void listeners.delete(asked);
      },
    },
    time,
  );
  return { time, reads, listeners, resources, change: () => listeners.get(uri)?.() };
}

describe("UI-1 a resource", () => {
  it("is read once for all who use it", async () => {
    const { resources, reads } = start();
    const [one, other] = [resources.use(uri, kind), resources.use(uri, kind)];
    expect(reads).toHaveLength(1);
    await reads[0]?.answer('["clerk"]');
    expect([one.loaded.value.data, other.loaded.value.data]).toEqual([["clerk"], ["clerk"]]);
  });

  it("is read one at a time: what changes meanwhile is read once more, however often it changed", async () => {
    const { resources, reads, change } = start();
    const { loaded } = resources.use(uri, kind);
    for (let times = 0; times < 100; times += 1) change();
    expect(reads).toHaveLength(1);
    await reads[0]?.answer('["old"]');
    expect(reads).toHaveLength(2);
    await reads[1]?.answer('["new"]');
    expect(reads).toHaveLength(2);
    expect(loaded.value.data).toEqual(["new"]);
  });

  it("is read by the connection's first word while that is being made, not before", () => {
    const { resources, reads, change } = start("connecting");
    resources.use(uri, kind);
    expect(reads).toEqual([]);
    change();
    expect(reads).toHaveLength(1);
  });

  it("is followed until the last lets go of it, who may do so twice", () => {
    const { resources, listeners } = start();
    const [one, other] = [resources.use(uri, kind), resources.use(uri, kind)];
    one.release();
    one.release();
    expect(listeners.has(uri)).toBe(true);
    other.release();
    expect(listeners.has(uri)).toBe(false);
  });

  it("is not read again once nobody looks, also where it had changed during a read", async () => {
    const { resources, reads, change } = start();
    const { release } = resources.use(uri, kind);
    change();
    release();
    await reads[0]?.answer("[]");
    expect(reads).toHaveLength(1);
  });

  it("is kept for 30 s after that and no longer", async () => {
    const { resources, reads, time } = start();
    const first = resources.use(uri, kind);
    await reads[0]?.answer('["clerk"]');
    first.release();
    time.advance(29_999);
    const second = resources.use(uri, kind);
    expect(second.loaded.value.data).toEqual(["clerk"]);
    second.release();
    time.advance(30_000);
    expect(resources.use(uri, kind).loaded.value.data).toBeUndefined();
  });

  it("keeps what was there through a problem that may pass, and nothing of what is gone", async () => {
    const { resources, reads, change } = start();
    const { loaded } = resources.use(uri, kind);
    await reads[0]?.answer('["clerk"]');
    change();
    await reads[1]?.fail(new Problem("unreachable", "nobody answers"));
    expect([loaded.value.data, loaded.value.problem?.kind]).toEqual([["clerk"], "unreachable"]);
    change();
    await reads[2]?.answer('["editor"]');
    expect([loaded.value.data, loaded.value.problem]).toEqual([["editor"], undefined]);
    change();
    await reads[3]?.fail(new Problem("gone", "it was deleted"));
    expect([loaded.value.data, loaded.value.problem?.kind]).toEqual([undefined, "gone"]);
  });

  it("of a form that the page does not know is a problem, and never half of it", async () => {
    const { resources, reads } = start();
    const { loaded } = resources.use(uri, kind);
    await reads[0]?.answer('["clerk", 1]');
    expect([loaded.value.data, loaded.value.problem?.kind]).toEqual([undefined, "refused"]);
  });
});

it("UI-1 at most 64 resources that nobody looks at are kept", async () => {
  const { resources, reads } = start();
  const open = async (at: number) => {
    const used = resources.use(`resource://x/${at}`, kind);
    await reads.at(-1)?.answer(`["${at}"]`);
    used.release();
  };
  for (let at = 0; at < 64; at += 1) await open(at);
  expect(resources.use("resource://x/0", kind).loaded.value.data).toEqual(["0"]);
  await open(64);
  expect(resources.use("resource://x/1", kind).loaded.value.data).toBeUndefined();
});

it("UI-1 nothing of who signed out is left for who signs in", async () => {
  const { resources, reads, listeners } = start();
  resources.use(uri, kind);
  await reads[0]?.answer('["clerk"]');
  resources.clear();
  expect(listeners.size).toBe(0);
  expect(resources.use(uri, kind).loaded.value.data).toBeUndefined();
});
