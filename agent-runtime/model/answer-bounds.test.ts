// What a hostile provider answers in place of an answer: it is refused at the first piece that says so, by every client library.
import { describe, expect, test } from "vitest";
import type { RunProvider } from "../../crds/run-config.ts";
import { answerBounds } from "../../lib/outgoing/response-limit.ts";
import { boundAnswer, type AnswerLimits } from "./answer-bounds.ts";
import { modelsOf, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";

const pieceBytes = 64 * 1024;
const encoder = new TextEncoder();

/** `opening`, then brackets: ten million unless the reader leaves. */
function hostileBody(opening: string) {
  let sent = 0;
  const piece = encoder.encode("[".repeat(pieceBytes));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(sent === 0 ? encoder.encode(opening) : piece);
      sent += pieceBytes;
      if (sent > 10_000_000) controller.close();
    },
  });
  return { body, sentBytes: () => sent };
}

const kinds: readonly RunProvider["kind"][] = ["anthropic", "openai", "openai-compatible", "google", "bedrock"];
const answers = [
  ["an event of a stream", 200, "text/event-stream", 'data: {"a":'],
  ["an event of a stream that says it is text", 200, "text/plain", 'data: {"a":'],
  ["a body", 200, "application/json", '{"a":'],
  ["an error", 500, "application/json", '{"error":{"message":'],
  ["an error that says it is text", 400, "text/plain", '{"error":{"message":'],
] as const;

describe.each(kinds)("SEC-6 %s: ten million brackets", (kind) => {
  test.each(answers)("in %s are refused unread", async (_what, status, type, opening) => {
    const { body, sentBytes } = hostileBody(opening);
    const provider = testProvider({ name: "p", kind, baseUrl: "http://models.example", region: "eu-central-1" });
    const fetch = async () => new Response(body, { status, headers: { "content-type": type } });
    const models = modelsOf(provider, [testModel("p", "m")], { fetch });
    await expect(models.turn(turnRequest())).rejects.toMatchObject({ kind: "invalid_response" });
    expect(sentBytes()).toBeLessThan(pieceBytes * 10);
  });
});

const bytesOf = (text: string) => encoder.encode(text);

async function problemOf(pieces: readonly Uint8Array[], type: string, reads: AnswerLimits["reads"] = "events") {
  const answer = new Response(null, { headers: { "content-type": type } });
  const limits = { maxBytes: 100_000_000, reads, onBytes: () => undefined };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body.pipeThrough(boundAnswer(answer, limits))).arrayBuffer().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : "?"),
  );
}

describe("SEC-6 the bounds of an answer", () => {
  const events = "text/event-stream";
  const deep = (levels: number) => `data: ${"[".repeat(levels)}\n\n`;

  test("each event is as deep as the bound at most", async () => {
    const atBound = bytesOf(deep(answerBounds.maxDepth));
    expect(await problemOf([atBound, atBound], events)).toBeUndefined();
    expect(await problemOf([atBound, bytesOf(deep(answerBounds.maxDepth + 1))], events)).toContain("200 deep");
  });

  test("a body that is read whole is measured whole, whatever blank lines it has", async () => {
    const pieces = [bytesOf(`${"[".repeat(answerBounds.maxDepth)}\n\n`), bytesOf("[")];
    expect(await problemOf(pieces, "text/plain")).toBeUndefined();
    expect(await problemOf(pieces, "text/plain", "body")).toContain("200 deep");
  });

  test("arguments of calls, strings over many events, have so many brackets at most", async () => {
    const event = bytesOf(`data: {"arguments":"${"[{".repeat(5_000)}"}\n\n`);
    const hundred = Array.from({ length: 100 }, () => event);
    expect(await problemOf(hundred, events)).toBeUndefined();
    expect(await problemOf([...hundred, bytesOf('data: "["\n\n')], events)).toContain(
      "1000000 brackets inside of strings",
    );
  });

  test("a frame of AWS's streams has a mebibyte at most, however it is cut into pieces", async () => {
    const type = "application/vnd.amazon.eventstream";
    const frame = (length: number) => {
      const bytes = new Uint8Array(length);
      new DataView(bytes.buffer).setUint32(0, length);
      return bytes;
    };
    const mebibyte = 1024 * 1024;
    const atBound = frame(mebibyte);
    const cut = [atBound.subarray(0, 2), atBound.subarray(2, 5_000), atBound.subarray(5_000), frame(16), frame(16)];
    expect(await problemOf(cut, type)).toBeUndefined();
    expect(await problemOf([...cut, frame(mebibyte + 1).subarray(0, 4)], type)).toContain("a frame of more than");
  });

  test("a page in HTML is nobody's JSON", async () => {
    expect(await problemOf([bytesOf("[".repeat(1_000))], "text/html")).toBeUndefined();
  });
});
