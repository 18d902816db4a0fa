// Search with embeddings of a real endpoint that is slow, wrong or gone: it always answers, says truly whether the endpoint had a part
// in it, and tells people once.
import { describe, expect, test } from "vitest";
import {
  embedWords,
  startEmbeddingsServer,
  type EmbeddingsServer,
  type ScriptedAnswer,
} from "../../../test/models/embeddings-server.ts";
import { manyTools, openEmbeddedScene, sceneKey, tool, type EmbeddedScene as Scene } from "./embedded-scene.fixture.ts";
import type { StoreLimits } from "./vector-store.ts";

type EmbeddedScene = Scene<EmbeddingsServer>;
const openScene = async (limits: Partial<StoreLimits> = {}) => openEmbeddedScene(await startEmbeddingsServer(), limits);

const files = [tool("read_file", "Reads a file"), tool("write_file", "Writes a file")];
const mail = [tool("send_message", "Sends a mail to somebody")];

/** The endpoint sees two things as the same that have no word in common. */
function meanTheSame({ server }: EmbeddedScene, ...texts: RegExp[]): void {
  const meaning = (text: string, width: number) =>
    texts.some((pattern) => pattern.test(text)) ? embedWords("the same", width) : embedWords(text, width);
  server.answer = ({ input }) => ({
    body: { data: input.map((text, index) => ({ index, embedding: [...meaning(text, server.width)] })) },
  });
}

describe("DSC-3 a search", () => {
  test("is answered by words, and said to be degraded, until every tool has its vector; then by both", async () => {
    const scene = await openScene();
    meanTheSame(scene, /send_message/, /letter/);
    await scene.put("files", files);
    await scene.put("mail", mail);
    expect(await scene.ask("post a letter, not a file")).toMatchObject({ degraded: true });
    expect(scene.search.observeEmbeddings()).toEqual({
      provider: "openai",
      model: "m",
      tools: 3,
      embedded: 0,
      degraded: true,
    });
    await scene.fill();
    expect(await scene.ask("write a letter")).toEqual({ found: expect.any(String), degraded: false });
    const { matches } = await scene.search.search("write a letter", { limit: 3 });
    expect(matches.map((match) => match.tool)).toContain("send_message");
    expect(scene.search.observeEmbeddings()).toEqual({
      provider: "openai",
      model: "m",
      tools: 3,
      embedded: 3,
      degraded: false,
    });
    expect(scene.gauges).toEqual({ embedded: 3, missing: 0, isFailing: false });
  });

  test("of nothing at all asks nothing and is whole", async () => {
    const scene = await openScene();
    expect(await scene.ask("read a file")).toEqual({ found: undefined, degraded: false });
    expect(scene.server.requests).toEqual([]);
  });

  test("is degraded again while a new tool has no vector, and sees those of the caller alone", async () => {
    const scene = await openScene();
    await scene.put("files", files);
    await scene.fill();
    await scene.put("mail", mail);
    expect((await scene.ask("send a mail")).degraded).toBe(true);
    await scene.fill();
    expect(await scene.ask("send a mail")).toEqual({ found: "send_message", degraded: false });
    const accept = (server: string) => server === "files";
    const { matches } = await scene.search.search("send a mail", { limit: 5, accept });
    expect(matches.every(({ server }) => server === "files")).toBe(true);
    scene.search.remove("mail");
    expect((await scene.ask("send a mail")).found).not.toBe("send_message");
  });

  test("of one moment go out in one request, and one that was asked before in none", async () => {
    const scene = await openScene();
    await scene.put("files", files);
    await scene.fill();
    scene.server.requests.length = 0;
    const answers = await Promise.all(["read a file", "write a file", "read a file"].map((query) => scene.ask(query)));
    expect(answers.every(({ degraded }) => !degraded)).toBe(true);
    expect(scene.server.requests.map(({ input }) => input)).toEqual([["read a file", "write a file"]]);
    await scene.ask("write a file");
    expect(scene.server.requests).toHaveLength(1);
  });

  test.each(["", "   ", "🦊", "__proto__", "constructor", "x".repeat(1_000_000), "\ud800"])(
    "%.20j is answered",
    async (query) => {
      const scene = await openScene();
      await scene.put("files", files);
      await scene.fill();
      scene.server.requests.length = 0;
      const { degraded } = await scene.search.search(query, { limit: 3 });
      expect(degraded).toBe(query.trim() === "");
      expect(scene.server.requests.every(({ input }) => Buffer.byteLength(input.join("")) <= 1_600)).toBe(true);
    },
  );
});

describe("a query's vector", () => {
  /** The endpoint holds its answers back until they are let go. */
  async function openHeld() {
    const scene = await openScene();
    await scene.put("files", files);
    await scene.fill();
    scene.server.requests.length = 0;
    const held = Promise.withResolvers<void>();
    scene.server.answer = () => ({ until: held.promise });
    return { scene, letGo: () => held.resolve() };
  }

  const isSettled = (promise: Promise<unknown>) =>
    Promise.race([promise.then(() => true), new Promise((resolve) => setTimeout(resolve, 50, false))]);

  test("that comes within 800 ms counts", async () => {
    const { scene, letGo } = await openHeld();
    const asked = scene.ask("read a file");
    await expect.poll(() => scene.server.requests).toHaveLength(1);
    await scene.clock.advance(799);
    expect(await isSettled(asked)).toBe(false);
    letGo();
    expect(await asked).toEqual({ found: "read_file", degraded: false });
    expect(scene.counted.at(-1)).toBe("query ok");
  });

  test("is waited for no longer, and is there for the next when it comes then", async () => {
    const { scene, letGo } = await openHeld();
    const asked = scene.ask("read a file");
    await expect.poll(() => scene.server.requests).toHaveLength(1);
    await scene.clock.advance(800);
    expect(await asked).toEqual({ found: "read_file", degraded: true });
    expect(scene.counted.at(-1)).toBe("query late");
    letGo();
    await expect.poll(async () => (await scene.ask("read a file")).degraded).toBe(false);
    expect(scene.server.requests).toHaveLength(1);
  });

  test("that is late three times is not waited for any more, and then tried by one query at a time", async () => {
    const { scene, letGo } = await openHeld();
    for (let at = 0; at < 3; at += 1) {
      const asked = scene.ask(`read a file ${at}`);
      await expect.poll(() => scene.server.requests).toHaveLength(at + 1);
      await scene.clock.advance(800);
      expect((await asked).degraded).toBe(true);
    }
    expect((await scene.ask("read a file now")).degraded).toBe(true);
    expect(scene.server.requests).toHaveLength(3);
    expect(scene.search.observeEmbeddings()).toMatchObject({
      last_error: "no answer within 800 ms; queries go without",
    });
    letGo();
    await expect.poll(async () => (await scene.ask("read a file 0")).degraded).toBe(false);
    await scene.clock.advance(2_000);
    const slow = Promise.withResolvers<void>();
    scene.server.answer = () => ({ until: slow.promise });
    const tried = scene.ask("one");
    expect((await scene.ask("two")).degraded).toBe(true);
    slow.resolve();
    expect((await tried).degraded).toBe(false);
    expect((await scene.ask("two")).degraded).toBe(false);
  });

  test("is asked for in eight requests at once, and not in nine", async () => {
    const { scene, letGo } = await openHeld();
    const asked: Promise<unknown>[] = [];
    for (let at = 0; at < 8; at += 1) {
      asked.push(scene.ask(`query ${at}`));
      await expect.poll(() => scene.server.requests).toHaveLength(at + 1);
    }
    expect((await scene.ask("query 9")).degraded).toBe(true);
    letGo();
    expect(await Promise.all(asked)).toEqual(
      Array.from({ length: 8 }, () => expect.objectContaining({ degraded: false })),
    );
    expect(scene.server.requests).toHaveLength(8);
  });
});

type Fault = [name: string, answer: ScriptedAnswer];
const faults: Fault[] = [
  ["500", { status: 500, body: { error: { message: `no ${sceneKey}` } } }],
  ["429 with Retry-After", { status: 429, headers: { "retry-after": "3" } }],
  ["401", { status: 401, body: { error: { message: `bad key ${sceneKey}` } } }],
  ["404", { status: 404 }],
  ["a page", { headers: { "content-type": "text/html" }, body: "<html>" }],
  ["NaN", { body: '{"data":[{"index":0,"embedding":[NaN]}]}' }],
  ["fewer items", { body: { data: [] } }],
  ["a huge body", { body: Buffer.alloc(9 * 1024 * 1024, " ") }],
  ["a redirect", { status: 302, headers: { location: "http://169.254.169.254/" } }],
  ["a cut connection", { cut: true }],
];

describe("an endpoint that answers", () => {
  test.each(faults)("%s from the start costs one small request a try, and search goes on", async (_name, answer) => {
    const scene = await openScene();
    scene.server.answer = () => answer;
    await scene.put("files", [...files, ...manyTools(100)]);
    await scene.clock.advance(50);
    await expect.poll(() => scene.gauges.isFailing).toBe(true);
    expect(await scene.ask("write a file")).toEqual({ found: "write_file", degraded: true });
    expect(scene.search.observeEmbeddings()).toMatchObject({
      embedded: 0,
      degraded: true,
      last_error: expect.any(String),
    });
    expect(scene.server.requests.map(({ input }) => input)).toEqual([["tool"]]);
    expect(scene.logs.filter(({ level }) => level === "WARNING")).toHaveLength(1);
    // It is asked again once in a while, and is well then.
    scene.server.answer = () => undefined;
    await scene.clock.advance(3_000);
    await scene.fill();
    expect(await scene.ask("write a file")).toEqual({ found: "write_file", degraded: false });
    expect(JSON.stringify([scene.logs, scene.search.observeEmbeddings()])).not.toContain(sceneKey);
  });

  test.each(faults)(
    "%s to queries leaves them to words; after three it is left alone, and then tried",
    async (_name, answer) => {
      const scene = await openScene();
      await scene.put("files", files);
      await scene.fill();
      scene.server.requests.length = 0;
      scene.server.answer = () => answer;
      for (let at = 0; at < 6; at += 1) {
        expect(await scene.ask(`write a file ${at}`)).toEqual({ found: "write_file", degraded: true });
      }
      expect(scene.server.requests).toHaveLength(3);
      expect(scene.gauges.isFailing).toBe(true);
      expect(scene.search.observeEmbeddings()).toMatchObject({
        embedded: 2,
        degraded: true,
        last_error: expect.any(String),
      });
      scene.server.answer = () => undefined;
      await scene.clock.advance(2_000);
      expect(await scene.ask("write a file 7")).toEqual({ found: "write_file", degraded: false });
      expect(scene.gauges.isFailing).toBe(false);
      expect(JSON.stringify([scene.logs, scene.search.observeEmbeddings()])).not.toContain(sceneKey);
    },
  );

  test("what it refuses of one caller's query is no reason to leave it alone", async () => {
    const scene = await openScene();
    await scene.put("files", files);
    await scene.fill();
    scene.server.answer = ({ input }) => (input.some((text) => text.includes("bad")) ? { status: 400 } : undefined);
    for (let at = 0; at < 5; at += 1) expect((await scene.ask(`bad ${at}`)).degraded).toBe(true);
    expect((await scene.ask("read a file")).degraded).toBe(false);
  });
});

describe("another width", () => {
  test("that a query is answered with drops all vectors, which are asked for anew", async () => {
    const scene = await openScene();
    await scene.put("files", files);
    await scene.fill();
    expect(await scene.ask("read it")).toEqual({ found: "read_file", degraded: false });
    scene.server.width = 32;
    expect(await scene.ask("read a file")).toEqual({ found: "read_file", degraded: true });
    expect(scene.search.observeEmbeddings()).toMatchObject({
      tools: 2,
      embedded: 0,
      last_error: expect.stringContaining("vectors of 64 numbers and now of 32"),
    });
    await scene.clock.advance(1_000);
    await scene.fill();
    expect(await scene.ask("read a file")).toEqual({ found: "read_file", degraded: false });
    expect(scene.search.observeEmbeddings()).not.toHaveProperty("last_error");
    // What is kept of queries from before does not count either.
    expect(await scene.ask("read it")).toEqual({ found: "read_file", degraded: false });
    expect(scene.server.requests.at(-1)?.input).toEqual(["read it"]);
  });

  test("with each answer is asked for less and less often, and search goes on", async () => {
    const scene = await openScene({ maxBatch: 10 });
    scene.server.answer = (_request, count) => {
      scene.server.width = 32 + (count % 2);
      return undefined;
    };
    await scene.put("files", [...files, ...manyTools(100)]);
    // Ten minutes.
    for (let second = 0; second < 600; second += 1) {
      await scene.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(scene.server.requests.length).toBeLessThan(60);
    expect(await scene.ask("write a file")).toEqual({ found: "write_file", degraded: true });
  });
});
