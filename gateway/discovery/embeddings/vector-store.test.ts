// How vectors of tools are fetched: in which batches, how many at once, each text once, when again, and where it ends.
import { describe, expect, test } from "vitest";
import { startEmbeddingsServer, type EmbeddingsServer } from "../../../test/models/embeddings-server.ts";
import { manyTools, openEmbeddedScene, tool, type EmbeddedScene as Scene } from "./embedded-scene.fixture.ts";
import type { StoreLimits } from "./vector-store.ts";

type EmbeddedScene = Scene<EmbeddingsServer>;
const openScene = async (limits: Partial<StoreLimits> = {}) => openEmbeddedScene(await startEmbeddingsServer(), limits);

/** Texts of tools that the endpoint was asked for, by request. */
const batches = ({ server }: EmbeddedScene): string[][] =>
  server.requests
    .map(({ input }) => [...input])
    .filter((input) => input[0] !== "tool" && input[0] !== "anything at all");

const names = (texts: readonly string[]) => texts.map((text) => text.split(":")[0]);

describe("batches", () => {
  test("of all servers together are as large as the width allows, two at once, after one text alone", async () => {
    const scene = await openScene({ maxBatch: 40, maxBatchNumbers: 64 * 30 });
    const held = Promise.withResolvers<void>();
    scene.server.answer = ({ input }) => (input.length > 1 ? { until: held.promise } : undefined);
    await Promise.all([scene.put("a", manyTools(45, "a")), scene.put("b", manyTools(45, "b"))]);
    await scene.clock.advance(50);
    await expect.poll(() => scene.server.requests).toHaveLength(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(scene.server.requests.map(({ input }) => input.length)).toEqual([1, 30, 30]);
    held.resolve();
    await scene.fill();
    expect(scene.server.requests[0]?.input).toEqual(["tool"]);
    expect(batches(scene).map(({ length }) => length)).toEqual([30, 30, 30]);
  });

  test("hold each text once, however many servers list it, and none that has its vector", async () => {
    const scene = await openScene();
    const all = manyTools(20);
    await scene.put("a", all);
    await scene.put("a", [...all, ...all]);
    await scene.fill();
    expect(batches(scene).flat()).toHaveLength(20);
    // One tool is another, one is gone.
    scene.server.requests.length = 0;
    await scene.put("a", [...all.slice(2), tool("tool_0", "Does something else")]);
    await scene.fill();
    expect(batches(scene).flat()).toEqual([expect.stringContaining("Does something else")]);
    // And comes back.
    await scene.put("a", all);
    expect((await scene.ask("tool")).degraded).toBe(false);
    expect(batches(scene).flat()).toHaveLength(1);
    expect(scene.search.observeEmbeddings()).toMatchObject({ tools: 20, embedded: 20 });
  });

  test("that a server's list changes meanwhile are not asked for any more", async () => {
    const scene = await openScene({ maxBatch: 10 });
    await scene.put("a", manyTools(100, "old"));
    await scene.put("a", manyTools(5, "new"));
    await scene.put("b", manyTools(5, "b"));
    scene.search.remove("b");
    await scene.fill();
    expect(names(batches(scene).flat())).toEqual(Array.from({ length: 5 }, (_, at) => `new_${at}`));
  });

  test("of two puts at once the later one counts, though its texts are fewer", async () => {
    const scene = await openScene();
    // Each takes a while to read, so that others have a turn in between.
    const slow = manyTools(100, "old").map(({ description = "", ...rest }) => ({
      ...rest,
      get description() {
        scene.clock.stall(1);
        return description;
      },
    }));
    const first = scene.put("a", slow);
    const second = scene.put("a", manyTools(3, "new"));
    await Promise.all([first, second]);
    await scene.fill();
    expect(scene.search.observeEmbeddings()).toMatchObject({ tools: 3 });
    expect((await scene.ask("what new number 1 does")).found).toBe("new_1");
  });
});

describe("an endpoint that takes less at once than it is given", () => {
  test("gets halves, and from then on no more than it took", async () => {
    const scene = await openScene({ maxBatch: 100, maxAtOnce: 1 });
    scene.server.answer = ({ input }) =>
      input.length > 32 ? { status: 413, body: { error: "batch size > maximum allowed batch size 32" } } : undefined;
    await scene.put("a", manyTools(200));
    await scene.fill();
    const sizes = batches(scene).map(({ length }) => length);
    expect(sizes.slice(0, 7)).toEqual([100, 50, 25, 25, 50, 25, 25]);
    expect(sizes.slice(7)).toEqual([25, 25, 25, 25]);
    expect((await scene.ask("tool number 3")).degraded).toBe(false);
  });

  test("as a text: gets it once more, short; and one that it refuses even so is found by its words", async () => {
    const scene = await openScene();
    scene.server.answer = ({ input }) =>
      input.some((text) => text.length > 1_000 || text.startsWith("bad")) ? { status: 400 } : undefined;
    await scene.put("a", [
      ...manyTools(30),
      tool("long", `Turns a ${"very ".repeat(300)}long thing`),
      tool("bad", "Fails"),
    ]);
    await scene.fill();
    expect(await scene.ask("fails bad")).toEqual({ found: "bad", degraded: false });
    expect(scene.search.observeEmbeddings()).toEqual({
      ...{ provider: "openai", model: "m", degraded: false },
      ...{ tools: 32, embedded: 32, refused: 1 },
    });
    scene.search.remove("a");
    await scene.put("a", manyTools(3));
    expect(scene.search.observeEmbeddings()).not.toHaveProperty("refused");
  });

  test.each([
    [3, "is well", 3, { degraded: false }],
    [4, "is one that fails", 3, { degraded: true, last_error: expect.stringContaining("answered 422") }],
  ])("that refuses %i texts %s where %i may be", async (count, _what, maxRefused, expected) => {
    const scene = await openScene({ maxRefused });
    scene.server.answer = ({ input }) => (input.some((text) => text.startsWith("bad")) ? { status: 422 } : undefined);
    await scene.put("a", [...manyTools(5), ...manyTools(count, "bad")]);
    await scene.clock.advance(50);
    await expect.poll(() => scene.search.observeEmbeddings()).toMatchObject(expected);
  });
});

describe("after a failure", () => {
  async function openFailing(headers: Record<string, string> = {}) {
    const scene = await openScene();
    scene.server.answer = () => ({ status: 429, headers });
    await scene.put("a", manyTools(3));
    await scene.clock.advance(50);
    await expect.poll(() => scene.gauges.isFailing).toBe(true);
    await expect.poll(() => scene.clock.pending).toHaveLength(1);
    return scene;
  }
  const tries = ({ server }: EmbeddedScene) => server.requests.length;

  test("it is asked again after a second, then after twice as long each time, and after five minutes at most", async () => {
    const scene = await openFailing();
    const pauses: number[] = [];
    for (let at = 1; at <= 11; at += 1) {
      expect(tries(scene)).toBe(at);
      const [pause = 0] = scene.clock.pending;
      pauses.push(pause / 1_000);
      await scene.clock.advance(pause - 1);
      expect(tries(scene)).toBe(at);
      await scene.clock.advance(1);
      await expect.poll(() => tries(scene)).toBe(at + 1);
      await expect.poll(() => scene.clock.pending).toHaveLength(1);
      await expect.poll(() => scene.clock.pending[0]).not.toBe(30_000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(scene.logs.filter(({ level }) => level === "WARNING")).toHaveLength(1);
  });

  test.each([
    ["7", 7_000],
    ["600", 600_000],
    ["601", 600_000],
    ["999999999", 600_000],
    ["0", 1_000],
  ])("Retry-After: %s is heeded, ten minutes at most", async (seconds, pauseMs) => {
    const scene = await openFailing({ "retry-after": seconds });
    expect(scene.clock.pending).toEqual([pauseMs]);
  });

  test("a change of tools asks no earlier", async () => {
    const scene = await openFailing({ "retry-after": "60" });
    await scene.put("b", manyTools(3, "b"));
    await scene.clock.advance(59_900);
    expect(tries(scene)).toBe(1);
    scene.server.answer = () => undefined;
    await scene.clock.advance(100);
    await scene.fill();
    expect((await scene.ask("b number 1")).degraded).toBe(false);
  });
});

describe("what vectors may take", () => {
  test.each([
    ["tools", { maxVectors: 10 }, "expected at most 10 tools of different texts, found 11"],
    [
      "bytes",
      { maxBytes: 640 },
      "expected at most 640 bytes of vectors, found that vectors of 11 tools, of 64 numbers each, take 704 bytes",
    ],
  ])("at the limit of %s is held; one more tool, and nothing is asked for", async (_what, limits, problem) => {
    const scene = await openScene(limits);
    await scene.put("a", manyTools(10));
    await scene.fill();
    scene.server.requests.length = 0;
    await scene.put("b", [tool("one_more", "Does more")]);
    await scene.clock.advance(1_000);
    expect(await scene.ask("one more")).toEqual({ found: "one_more", degraded: true });
    expect(scene.search.observeEmbeddings()).toMatchObject({
      tools: 11,
      embedded: 10,
      last_error: expect.stringContaining(problem),
    });
    expect(scene.server.requests).toEqual([]);
    // Those of tools that are gone make room.
    await scene.put("a", manyTools(9));
    await scene.fill();
    expect(await scene.ask("one more")).toEqual({ found: "one_more", degraded: false });
    expect(scene.search.observeEmbeddings()).not.toHaveProperty("last_error");
  });
});

test("after it is closed nothing is asked, and what is under way ends", async () => {
  const scene = await openScene();
  scene.server.answer = () => ({ until: new Promise(() => undefined) });
  await scene.put("a", manyTools(3));
  await scene.clock.advance(50);
  await expect.poll(() => scene.server.requests).toHaveLength(1);
  await scene.search.close();
  await scene.put("b", manyTools(3, "b"));
  await scene.clock.advance(600_000);
  expect(scene.server.requests).toHaveLength(1);
  expect(scene.clock.pending).toEqual([]);
  expect(scene.logs.filter(({ level }) => level === "WARNING" || level === "ERROR")).toEqual([]);
});
