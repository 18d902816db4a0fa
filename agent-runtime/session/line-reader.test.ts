import fc from "fast-check";
import { open, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder } from "../testing/histories.ts";
import { createLineReader } from "./line-reader.ts";

const keep = keepUntilEnd();

async function openFile(bytes: Buffer): Promise<FileHandle> {
  const { path } = await keep(createTestFolder());
  await writeFile(join(path, "file"), bytes);
  const file = await open(join(path, "file"));
  await keep(Promise.resolve({ stop: () => file.close() }));
  return file;
}

/** The handle, and how often it was read. */
function countReads(file: FileHandle): { file: FileHandle; reads: () => number } {
  let reads = 0;
  const counting = new Proxy(file, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "read") reads += 1;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { file: counting, reads: () => reads };
}

test("what is read is what the file has there, in whatever order", async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31) % 251));
  const file = await openFile(bytes);
  const place = fc
    .tuple(fc.nat(bytes.length), fc.oneof(fc.nat(200), fc.nat(150_000)))
    .map(([start, length]) => ({ start, end: start + length }));
  await fc.assert(
    fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 20 }), async (places) => {
      const lines = createLineReader(file);
      for (const { start, end } of places) {
        expect(Buffer.compare(await lines.read(start, end), bytes.subarray(start, end))).toBe(0);
      }
    }),
    { numRuns: 100 },
  );
});

test.each(["forwards", "backwards"])("a thousand short lines, %s, are two reads", async (direction) => {
  const lineBytes = 100;
  const counted = countReads(await openFile(Buffer.alloc(1_000 * lineBytes, "x")));
  const lines = createLineReader(counted.file);
  const starts = Array.from({ length: 1_000 }, (_, at) => at * lineBytes);
  for (const start of direction === "forwards" ? starts : starts.toReversed()) {
    await lines.read(start, start + lineBytes);
  }
  expect(counted.reads()).toBeLessThanOrEqual(3);
});
