// Properties that hold for any order of events, tried on generated ones: of the queue, the store and the reflector.
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { LiveObject, RawObject } from "./object.ts";
import { Reflector } from "./reflector.ts";
import { Store, type Change } from "./store.ts";
import { FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";
import { WorkQueue } from "./work-queue.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

const key = fc.constantFrom("a", "b", "c");

describe("I1 the queue, under any order of adds, retries and ends of work", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), key, priority: fc.constantFrom(-100, 0, 10) }),
    fc.record({ kind: fc.constant("delay" as const), key, afterMs: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant("take" as const) }),
    fc.record({ kind: fc.constant("done" as const), key, retry: fc.boolean() }),
    fc.record({ kind: fc.constant("wait" as const), forMs: fc.integer({ min: 0, max: 60 }) }),
  );

  test("never two workers on one key, never a lost or late wake-up, never work before its time or unasked", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new ManualClock();
        const queue = new WorkQueue({ clock, backoff: { initialMs: 5, maxMs: 40, random: () => 0 } });
        /** Keys whose last add was not followed by a hand-out yet, and when the earliest of these adds falls due. */
        const owed = new Map<string, number>();
        const owe = (key: string, afterMs = 0) =>
          owed.set(key, Math.min(owed.get(key) ?? Number.POSITIVE_INFINITY, clock.now() + afterMs));
        /** Keys that a worker has, and how that worker is let go. */
        const inWork = new Map<string, () => void>();
        const finish = (key: string) => {
          queue.done(key);
          inWork.get(key)?.();
          return inWork.delete(key);
        };
        const worker = async () => {
          for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
            expect([...inWork.keys()]).not.toContain(item.key);
            expect(owed.get(item.key)).toBeLessThanOrEqual(clock.now());
            owed.delete(item.key);
            await new Promise<void>((resolve) => inWork.set(item.key, resolve));
          }
        };
        let workers: Promise<void>[] = [];
        for (const step of steps) {
          if (step.kind === "add") queue.add(step.key, { priority: step.priority });
          if (step.kind === "delay") queue.add(step.key, { afterMs: step.afterMs });
          if (step.kind === "add") owe(step.key);
          if (step.kind === "delay") owe(step.key, step.afterMs);
          if (step.kind === "take" && workers.length < 2) workers = [...workers, worker()];
          if (step.kind === "wait") await clock.advance(step.forMs);
          if (step.kind === "done" && inWork.has(step.key)) {
            if (step.retry) owe(step.key, queue.retry(step.key));
            finish(step.key);
          }
          await settle();
          // With a worker at leisure, what is due waits for nothing but the end of the same key's work. Asked after each
          // step, because a later add would hide a wake-up that was lost.
          const waiting = [...owed].filter(([key, dueAt]) => dueAt <= clock.now() && !inWork.has(key));
          expect(workers.length > inWork.size ? waiting : []).toEqual([]);
        }
        workers = [...workers, worker()];
        // Everything that is owed comes, once the work in flight ends and the delays are over.
        for (let round = 0; round < 10 && owed.size + inWork.size > 0; round += 1) {
          await clock.advance(100);
          for (const key of [...inWork.keys()]) finish(key);
        }
        expect([...owed.keys(), ...inWork.keys()]).toEqual([]);
        queue.shutDown();
        await Promise.all(workers);
      }),
      { numRuns: 300 },
    );
  });
});

function widget(name: string, resourceVersion: number, uid: string): LiveObject {
  const metadata = { name, namespace: "default", uid, resourceVersion: String(resourceVersion) };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata };
}

/** Checks each change against the one before it: what listeners hear is a history that a server could have had. */
class Auditor {
  readonly #known = new Map<string, LiveObject>();
  /** The newest version ever heard of, by name; it outlives the object. */
  readonly #newest = new Map<string, number>();

  /** Objects that came back after their deletion, older than they had been. A store alone cannot know that. */
  readonly resurrections: string[] = [];

  readonly violations: string[] = [];

  readonly hear = (change: Change<LiveObject>): void => {
    const { metadata } = change.type === "deleted" ? change.previous : change.object;
    const before = this.#known.get(metadata.name);
    const previous = change.type === "added" ? undefined : change.previous;
    if (previous !== before) this.violations.push(`${change.type} ${metadata.name} after something unheard of`);
    if (change.type === "modified" && metadata.uid !== before?.metadata.uid) {
      this.violations.push(`${metadata.name} changed its uid`);
    }
    if (change.type === "modified" && Number(metadata.resourceVersion) <= Number(before?.metadata.resourceVersion)) {
      this.violations.push(`${metadata.name} went back to ${metadata.resourceVersion}`);
    }
    const version = Number(metadata.resourceVersion);
    if (change.type === "added" && version <= (this.#newest.get(metadata.name) ?? 0)) {
      this.resurrections.push(`${metadata.name} came back at ${version}`);
    }
    this.#newest.set(metadata.name, Math.max(version, this.#newest.get(metadata.name) ?? 0));
    if (change.type === "deleted") this.#known.delete(metadata.name);
    else this.#known.set(metadata.name, change.object);
  };

  get state(): string[] {
    return [...this.#known.values()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  }
}

describe("I5 the store, under any order of events and lists", () => {
  const event = fc.record({
    kind: fc.constantFrom("upsert" as const, "upsert" as const, "remove" as const, "replace" as const),
    key,
    version: fc.integer({ min: 1, max: 30 }),
  });

  test("no event takes an object back, and listeners hear just what the store becomes", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const store = new Store<LiveObject>({
          indexes: {},
          onListenerError: (error) => {
            throw error;
          },
        });
        const auditor = new Auditor();
        store.onChange(auditor.hear);
        for (const { kind, key, version } of events) {
          // A new uid every ten versions, as if the object was deleted and made again in between.
          const object = widget(key, version, `${key}-${Math.floor(version / 10)}`);
          const before = store.get(`default/${key}`);
          if (kind === "upsert") store.upsert(object);
          if (kind === "remove") store.remove(object);
          if (kind === "replace") store.replace([object]);
          const after = store.get(`default/${key}`);
          // Older news changes nothing: the version afterwards is at least what it was, or the object is deleted by newer.
          const isStale = before !== undefined && version < Number(before.metadata.resourceVersion);
          expect(isStale ? after : undefined).toBe(isStale ? before : undefined);
          expect(auditor.state).toEqual(
            store
              .list()
              .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
              .sort(),
          );
        }
        expect(auditor.violations).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("I4 I5 OPR-7 the reflector, under any order of changes and problems", () => {
  const act = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), key }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), key }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          ...["reset", "end", "garbage", "half", "bookmark", "compact", "expired", "list-500", "watch-503"],
          ...["lost", "replaced", "twice"],
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("settle" as const) }) },
  );
  const status = { kind: "Status", code: 410, reason: "Expired", message: "old" };
  const expired = `${JSON.stringify({ type: "ERROR", object: status })}\n`;
  const fail = (fake: FakeApiServer, kind: string) => {
    if (kind === "reset") fake.resetWatches();
    if (kind === "end") fake.endWatches();
    if (kind === "garbage") fake.sendRaw('{"type":"ADD\n');
    if (kind === "bookmark") fake.bookmark();
    if (kind === "compact") fake.compact();
    if (kind === "list-500") fake.next.list.push((response) => response.writeHead(500).end());
    if (kind === "watch-503") fake.next.watch.push((response) => response.writeHead(503).end());
    if (kind === "half") {
      fake.sendRaw('{"type":"ADDED","object":{"metadata"');
      fake.endWatches();
    }
    if (kind === "expired") fake.sendRaw(expired);
    if (kind === "twice") {
      const object = fake.put("b", {}, { quiet: true });
      const line = `${JSON.stringify({ type: "MODIFIED", object })}\n`;
      fake.sendRaw(line);
      fake.sendRaw(line);
      fake.compact();
      fake.resetWatches();
    }
    if (kind === "replaced") {
      if (fake.get("c") !== undefined) fake.remove("c", { quiet: true });
      fake.put("c", {}, { quiet: true });
      fake.compact();
      fake.resetWatches();
    }
    // Changes that no watch tells of, noticed at the next list.
    if (kind === "lost") {
      fake.put("a", {}, { quiet: true });
      fake.compact();
      fake.resetWatches();
    }
  };

  test("the store becomes what the server holds, and never goes back on the way", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const fake = await FakeApiServer.start();
        const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
        const failures: unknown[] = [];
        const store = new Store<RawObject>({ indexes: {}, onListenerError: (error) => failures.push(error) });
        const auditor = new Auditor();
        store.onChange(auditor.hear);
        const reflector = new Reflector<RawObject>({
          transport,
          type: widgetType,
          target: store,
          parse: (raw) => raw,
          log: silentLog(),
          timing: { backoff: { initialMs: 1, maxMs: 4 } },
        });
        try {
          reflector.start();
          await reflector.synced;
          for (const { kind, ...rest } of acts) {
            const name = "key" in rest ? rest.key : "";
            if (kind === "put") fake.put(name);
            else if (kind === "remove" && fake.get(name) !== undefined) fake.remove(name);
            else if (kind === "settle") for (let i = 0; i < 30; i += 1) await settle();
            else fail(fake, kind);
          }
          const held = () =>
            ["a", "b", "c"].flatMap((name) => {
              const found = fake.get(name);
              return found === undefined ? [] : [`${name} ${found.metadata.resourceVersion}`];
            });
          await vi.waitFor(() => expect(auditor.state).toEqual(held()), { timeout: 5_000, interval: 2 });
          expect([...failures, ...auditor.violations, ...auditor.resurrections]).toEqual([]);
        } finally {
          await reflector.stop();
          await transport.close();
          await fake.stop();
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
