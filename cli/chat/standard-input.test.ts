import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { UsageError } from "../manifests/find-files.ts";
import { maxInputBytes, readStandardInput } from "./standard-input.ts";

const read = (...chunks: (string | Buffer)[]) => readStandardInput(Readable.from(chunks));

test("CLI-4 a piped text is one message, put together from pieces, without the last line break", async () => {
  const euro = Buffer.from("€");
  expect(await read("one\ntwo ", euro.subarray(0, 1), euro.subarray(1), "\n\n")).toBe("one\ntwo €");
});

test("CLI-4 nothing, no text and too much are misuse", async () => {
  await expect(read(" \n")).rejects.toThrow(UsageError);
  await expect(read(Buffer.from([0xff, 0xfe, 0x00]))).rejects.toThrow("not UTF-8 text; send images with --image");
  const most = Buffer.alloc(maxInputBytes, "x");
  expect(await read(most)).toHaveLength(maxInputBytes);
  await expect(read(most, "x")).rejects.toThrow(`more than ${maxInputBytes} bytes`);
});
