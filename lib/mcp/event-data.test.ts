import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventDataReader } from "./event-data.ts";

function read(chunks: readonly Uint8Array[], limit = 1_000) {
  const found: string[] = [];
  const take = createEventDataReader((data) => found.push(data), limit);
  for (const chunk of chunks) take(chunk);
  return found;
}

describe("the data of events as they pass", () => {
  test("is that of each event, however the stream is cut and its lines end", () => {
    const stream = Buffer.from(
      'event: message\ndata: {"a":"é😀"}\n\n: comment\n\r\nid: 1\r\ndata:b\r\ndata: c\r\n\r\ndata: cut',
    );
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const chunks = at.slice(1).map((end, index) => stream.subarray(at[index] ?? 0, end));
        expect(read(chunks)).toEqual(['{"a":"é😀"}', "b\nc"]);
      }),
    );
  });

  test("of exactly the limit is read, of one character more is passed over, and the next is read", () => {
    const event = (characters: number) => Buffer.from(`data: ${"x".repeat(characters - "data: ".length)}\n\n`);
    expect(read([event(100), event(101), event(50)], 100).map((data) => data.length)).toEqual([94, 44]);
    const pieces = [
      Buffer.from("data: "),
      Buffer.from("x".repeat(200)),
      Buffer.from("\r"),
      Buffer.from("\n\r\ndata: y\n\n"),
    ];
    expect(read(pieces, 100)).toEqual(["y"]);
  });
});
