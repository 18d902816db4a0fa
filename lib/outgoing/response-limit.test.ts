import { describe, expect, test } from "vitest";
import { answerBounds, limitResponse } from "./response-limit.ts";

const encoder = new TextEncoder();
const limitBytes = 4 * 1024 * 1024;

/** What reading a body of these pieces fails with. */
async function faultOf(contentType: string, pieces: readonly string[]): Promise<string | undefined> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const answer = { status: 200, statusText: "", headers: new Headers({ "content-type": contentType }), body };
  const response = limitResponse(answer, limitBytes);
  const heard: string[] = [];
  response.onExcess = ({ message }) => void heard.push(message);
  const fault = await response.text().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : "?"),
  );
  expect(heard).toEqual(fault === undefined ? [] : [fault]);
  return fault;
}

const stream = "text/event-stream";
const flat = (values: number) => `[${Array.from({ length: values }, () => 1).join(",")}]`;
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const { depthMax, structureMax } = answerBounds;
const tooMany = /has more than 200000 structural characters$/;
const tooDeep = /is nested more than 200 deep$/;

describe("SEC-6 what JSON in an answer would become is bounded before it is parsed", () => {
  test.each([["application/json"], ["application/json; charset=utf-8"], ["application/problem+json"]])(
    "in a body of the type %s",
    async (type) => {
      expect(await faultOf(type, [deep(depthMax)])).toBeUndefined();
      expect(await faultOf(type, [deep(depthMax + 1)])).toMatch(tooDeep);
      expect(await faultOf(type, [flat(structureMax - 1)])).toBeUndefined();
      expect(await faultOf(type, [flat(structureMax)])).toMatch(tooMany);
    },
  );

  test("and not in a body that nobody parses", async () => {
    expect(await faultOf("text/html", [deep(depthMax + 1)])).toBeUndefined();
  });

  test("in each event of a stream by itself", async () => {
    const event = `data: ${flat(structureMax - 2)}\n\n`;
    expect(await faultOf(stream, [event, event, event.replaceAll("\n", "\r\n")])).toBeUndefined();
    expect(await faultOf(stream, [event + event])).toBeUndefined();
    expect(await faultOf(stream, [event, `data: ${flat(structureMax + 1)}\n\n`])).toMatch(tooMany);
    expect(await faultOf(stream, [`data: ${deep(depthMax + 1)}`])).toMatch(tooDeep);
  });

  test("however the events are cut into pieces", async () => {
    const lines = (values: number) => ["da", "ta: [1,", "1,".repeat(values), "1]\n", "\n"];
    expect(await faultOf(stream, [...lines(structureMax - 5), ...lines(structureMax - 5)])).toBeUndefined();
    expect(await faultOf(stream, [...lines(10), ...lines(structureMax)])).toMatch(tooMany);
  });

  test("also where a comment before the data begins a text that never ends", async () => {
    expect(await faultOf(stream, [`: "\ndata: ${deep(depthMax + 1)}\n\n`])).toMatch(tooDeep);
    expect(await faultOf(stream, [`: "\\\ndata: ${deep(depthMax + 1)}\n\n`])).toMatch(tooDeep);
  });
});

test("SEC-6 who listens after the body has failed hears of it at once", async () => {
  const body = new Response(deep(depthMax + 1)).body;
  const headers = new Headers({ "content-type": "application/json" });
  const response = limitResponse({ status: 200, statusText: "", headers, body }, limitBytes);
  await expect(response.text()).rejects.toThrow("nested more than");
  const heard: string[] = [];
  response.onExcess = ({ message }) => void heard.push(message);
  expect(heard).toEqual([expect.stringContaining("nested more than")]);
});
