// The client against real endpoints on loopback that fail in all ways: an error that says what was found, never the key, in bounded
// time and memory.
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmbeddingsServer, type ScriptedAnswer } from "../../../test/models/embeddings-server.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { createEmbeddingsClient, maxAnswerBytes, type EmbeddingsClient } from "./client.ts";
import { EmbeddingsError } from "./problem.ts";

const key = "sk-very-secret-0123456789";

async function open(answer?: ScriptedAnswer, readKey: () => Promise<string | undefined> = async () => key) {
  const server = await startEmbeddingsServer();
  if (answer !== undefined) server.answer = () => answer;
  const client = createEmbeddingsClient({ baseUrl: `${server.url}/`, model: "m", readKey, clock: systemClock });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}

const signal = new AbortController().signal;
const embed = (client: EmbeddingsClient, texts = ["a"], timeoutMs = 5_000) =>
  client.embed(texts, { timeoutMs, signal });

async function problemOf(promise: Promise<unknown>): Promise<EmbeddingsError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EmbeddingsError) return error;
  throw new Error("expected an EmbeddingsError", { cause: error });
}

test("asks once for all texts, with the key, and gives a vector of each in their order", async () => {
  const { server, client } = await open();
  const [first, second] = await embed(client, ["read a file", "send a mail"]);
  expect(server.requests).toEqual([
    {
      path: "/v1/embeddings",
      authorization: `Bearer ${key}`,
      model: "m",
      input: ["read a file", "send a mail"],
      encodingFormat: "float",
    },
  ]);
  const [again] = await embed(client, ["read a file"]);
  expect(again).toEqual(first);
  expect(second).not.toEqual(first);
  expect(Math.hypot(...(first ?? []))).toBeCloseTo(1);
});

test("the key is read before each request, and none is sent where there is none", async () => {
  const keys = ["one-key", "another-key", undefined];
  const { server, client } = await open(undefined, async () => keys[server.requests.length]);
  for (const _ of keys) await embed(client);
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([
    "Bearer one-key",
    "Bearer another-key",
    undefined,
  ]);
});

test("a key that cannot be read is said, and nothing is asked", async () => {
  const { server, client } = await open(undefined, () => Promise.reject(new Error('the key "k" cannot be read')));
  expect(await problemOf(embed(client))).toMatchObject({ kind: "auth", message: 'the key "k" cannot be read' });
  expect(server.requests).toEqual([]);
});

const said = (message: string) => ({ error: { message } });

describe("an answer that is none", () => {
  test.each<[string, ScriptedAnswer, Partial<EmbeddingsError>]>([
    [
      "500",
      { status: 500, body: said("it broke") },
      { kind: "failed", message: "the endpoint answered 500 (it broke); it is asked again later" },
    ],
    [
      "503 without words",
      { status: 503, body: "" },
      { kind: "failed", message: "the endpoint answered 503; it is asked again later" },
    ],
    ["400", { status: 400, body: said("too long") }, { kind: "refused" }],
    [
      "413 in FastAPI's words",
      { status: 413, body: { detail: "batch size 40 > 32" } },
      { kind: "refused", message: expect.stringContaining("(batch size 40 > 32)") },
    ],
    [
      "404",
      { status: 404, body: said("no such model") },
      { kind: "missing", message: expect.stringContaining("(no such model); check baseUrl") },
    ],
    [
      "401, whose words are not shown",
      { status: 401, body: said("Incorrect key sk-very") },
      { kind: "auth", message: "the endpoint answered 401; check the key that apiKey names, and what it may use" },
    ],
    [
      "429 with Retry-After",
      { status: 429, headers: { "retry-after": "7" }, body: said("slow down") },
      { kind: "limited", retryAfterMs: 7_000 },
    ],
    [
      "429 with a date that has passed",
      { status: 429, headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } },
      { kind: "limited", retryAfterMs: 0 },
    ],
    [
      "429 with nonsense",
      { status: 429, headers: { "retry-after": "soon" } },
      { kind: "limited", retryAfterMs: undefined },
    ],
    [
      "a page",
      { headers: { "content-type": "text/html" }, body: "<!doctype html><title>Sign in</title>" },
      { kind: "invalid", message: "expected JSON from the endpoint, found a page in HTML or XML; check baseUrl" },
    ],
    ["NaN as Python writes it", { body: '{"data":[{"index":0,"embedding":[NaN]}]}' }, { kind: "invalid" }],
    ["null for a number", { body: { data: [{ index: 0, embedding: [null] }] } }, { kind: "invalid" }],
    [
      "fewer items",
      { body: { data: [] } },
      { kind: "invalid", message: expect.stringContaining("expected 1 embeddings, found 0") },
    ],
    [
      "a deep one",
      { body: "[".repeat(100_000) },
      { kind: "invalid", message: expect.stringContaining("nested more than") },
    ],
    [
      "a deep one that says it is a text",
      { headers: { "content-type": "text/plain" }, body: "[".repeat(100_000) },
      { kind: "invalid", message: expect.stringContaining("nested more than") },
    ],
    [
      "a cut connection",
      { cut: true },
      { kind: "network", message: expect.stringMatching(/^unreachable, or the connection was cut/) },
    ],
  ])("%s", async (_what, answer, expected) => {
    const { client } = await open(answer);
    expect(await problemOf(embed(client))).toMatchObject(expected);
  });

  test("a redirect to a metadata address is not followed, and neither is one to another path", async () => {
    const { server, client } = await open({ status: 302, headers: { location: "http://169.254.169.254/latest" } });
    expect(await problemOf(embed(client))).toMatchObject({
      kind: "missing",
      message: expect.stringContaining("answered 302"),
    });
    server.answer = () => ({ status: 307, headers: { location: `${server.url}/other/embeddings` } });
    expect(await problemOf(embed(client))).toMatchObject({ kind: "missing" });
    expect(server.requests).toHaveLength(2);
  });

  test("a base URL that is a metadata address is never connected to", async () => {
    const parts = { model: "m", readKey: async () => key, clock: systemClock };
    const client = createEmbeddingsClient({ ...parts, baseUrl: "http://169.254.169.254/v1" });
    onTestFinished(() => client.close());
    expect(await problemOf(embed(client))).toMatchObject({
      kind: "network",
      message: expect.stringContaining("(EREFUSEDADDRESS)"),
    });
  });

  test("one at the limit of bytes is read, one byte more is refused", async () => {
    const { server, client } = await open();
    const start = '{"data":[{"index":0,"embedding":[1]}]';
    const sized = (bytes: number) => `${start}${" ".repeat(bytes - start.length - 1)}}`;
    server.answer = () => ({ body: sized(maxAnswerBytes) });
    await expect(embed(client)).resolves.toHaveLength(1);
    server.answer = () => ({ body: sized(maxAnswerBytes + 1) });
    expect(await problemOf(embed(client))).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(`limit of ${maxAnswerBytes} bytes`),
    });
  });

  test("nobody listens", async () => {
    const { server, client } = await open();
    await server.close();
    expect(await problemOf(embed(client))).toMatchObject({
      kind: "network",
      message: expect.stringContaining("(ECONNREFUSED)"),
    });
  });

  test("silence ends at the deadline, and the connection with it", async () => {
    const { server, client } = await open({ until: new Promise(() => undefined) });
    const startedAt = performance.now();
    expect(await problemOf(embed(client, ["a"], 200))).toMatchObject({
      kind: "late",
      message: "no answer within 0.2 s; it is asked again later",
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(1);
  });
});

test.each([400, 404, 429, 500])("what a %i says is shown in one line without the key, and cut", async (status) => {
  const { client } = await open({ status, body: said(`your\nkey ${key} and https://me:pass@host ${"x".repeat(500)}`) });
  const { message } = await problemOf(embed(client));
  expect(message).not.toContain(key);
  expect(message).not.toContain("me:pass");
  expect(message).toContain("(your key [redacted] and");
  expect(message.length).toBeLessThan(450);
});
