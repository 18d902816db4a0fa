import { describe, expect, test } from "vitest";
import { answerBounds, limitResponse } from "./response-limit.ts";

const encoder = new TextEncoder();
const maxBytes = 4 * 1024 * 1024;

/** What reading a body of these pieces fails with. */
async function problemOf(contentType: string, pieces: readonly string[]): Promise<string | undefined> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const answer = { status: 200, statusText: "", headers: new Headers({ "content-type": contentType }), body };
  const response = limitResponse(answer, maxBytes);
  const heard: string[] = [];
  response.onExcess = ({ message }) => void heard.push(message);
  const problem = await response.text().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : "?"),
  );
  expect(heard).toEqual(problem === undefined ? [] : [problem]);
  return problem;
}

const stream = "text/event-stream";
const flat = (values: number) => `[${Array.from({ length: values }, () => 1).join(",")}]`;
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const { maxDepth, maxStructure } = answerBounds;
const tooMany = /has more than 200000 structural characters$/;
const tooDeep = /is nested more than 200 deep$/;

describe("SEC-6 what JSON in an answer would become is bounded before it is parsed", () => {
  test.each([["application/json"], ["application/json; charset=utf-8"], ["application/problem+json"]])(
    "in a body of the type %s",
    async (type) => {
      expect(await problemOf(type, [deep(maxDepth)])).toBeUndefined();
      expect(await problemOf(type, [deep(maxDepth + 1)])).toMatch(tooDeep);
      expect(await problemOf(type, [flat(maxStructure - 1)])).toBeUndefined();
      expect(await problemOf(type, [flat(maxStructure)])).toMatch(tooMany);
    },
  );

  test("and not in a body that nobody parses", async () => {
    expect(await problemOf("text/html", [deep(maxDepth + 1)])).toBeUndefined();
  });

  test("in each event of a stream by itself", async () => {
    const event = `data: ${flat(maxStructure - 2)}\n\n`;
    expect(await problemOf(stream, [event, event, event.replaceAll("\n", "\r\n")])).toBeUndefined();
    expect(await problemOf(stream, [event + event])).toBeUndefined();
    expect(await problemOf(stream, [event, `data: ${flat(maxStructure + 1)}\n\n`])).toMatch(tooMany);
    expect(await problemOf(stream, [`data: ${deep(maxDepth + 1)}`])).toMatch(tooDeep);
  });

  test("however the events are cut into pieces", async () => {
    const lines = (values: number) => ["da", "ta: [1,", "1,".repeat(values), "1]\n", "\n"];
    expect(await problemOf(stream, [...lines(maxStructure - 5), ...lines(maxStructure - 5)])).toBeUndefined();
    expect(await problemOf(stream, [...lines(10), ...lines(maxStructure)])).toMatch(tooMany);
  });

  test("also where a comment before the data begins a text that never ends", async () => {
    expect(await problemOf(stream, [`: "\ndata: ${deep(maxDepth + 1)}\n\n`])).toMatch(tooDeep);
    expect(await problemOf(stream, [`: "\\\ndata: ${deep(maxDepth + 1)}\n\n`])).toMatch(tooDeep);
  });
});

test("SEC-6 who listens after the body has failed hears of it at once", async () => {
  const body = new Response(deep(maxDepth + 1)).body;
  const headers = new Headers({ "content-type": "application/json" });
  const response = limitResponse({ status: 200, statusText: "", headers, body }, maxBytes);
  await expect(response.text()).rejects.toThrow("nested more than");
  const heard: string[] = [];
  response.onExcess = ({ message }) => void heard.push(message);
  expect(heard).toEqual([expect.stringContaining("nested more than")]);
});
