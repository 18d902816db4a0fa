import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { maxLineChars, plainLine, shortLine, splitLines } from "./child-output.ts";
import { openLogFile } from "./log-file.ts";

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  splitLines(stream, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
  return lines;
}

describe("LOG-2 lines of processes", () => {
  test("are put together from pieces, characters too, and the last needs no line break", async () => {
    const euro = Buffer.from("€");
    expect(await linesOf("one\ntw", "o\n", euro.subarray(0, 1), euro.subarray(1), "\n\nlast")).toEqual([
      "one",
      "two",
      "€",
      "",
      "last",
    ]);
  });

  test("one of the greatest length stays whole, one character more is cut", async () => {
    expect((await linesOf(`${"x".repeat(maxLineChars)}\n`)).map(({ length }) => length)).toEqual([maxLineChars]);
    expect((await linesOf("x".repeat(maxLineChars + 1))).map(({ length }) => length)).toEqual([maxLineChars, 1]);
  });

  test("warnings and errors are shortened for the terminal, the rest stays in the log", () => {
    const line = (level: string) =>
      JSON.stringify({
        time: "t",
        level,
        logger: "l",
        agent: "a",
        message: "downstream failed",
        server: "s",
        err: { message: "refused", stack: "…" },
      });
    expect(shortLine(line("WARNING"))).toBe("WARNING downstream failed: refused (server s)");
    expect(shortLine(line("ERROR"))).toBe("ERROR downstream failed: refused (server s)");
    expect([line("INFO"), line("DEBUG"), "plain text", "{broken", "{}"].map(shortLine)).toEqual(
      Array(5).fill(undefined),
    );
    expect(plainLine("  Error: no such file ")).toBe("Error: no such file");
  });
});

describe("LOG-2 log files are rotated", () => {
  test("at the limit, not before, and no more than five are kept", async () => {
    const folder = await temporaryFolder();
    const log = openLogFile(join(folder, "logs", "a.log"), { maxFileBytes: 10, maxFiles: 5 });
    for (const name of "abcdefg") {
      log.write(name.repeat(4));
      log.write(name.repeat(4)); // ten bytes with the line breaks
    }
    log.close();
    const files = (await readdir(join(folder, "logs"))).toSorted();
    expect(files).toEqual(["a.log", "a.log.1", "a.log.2", "a.log.3", "a.log.4"]);
    const contents = files.map((name) => readFileSync(join(folder, "logs", name), "utf8"));
    expect(contents).toEqual(["g", "f", "e", "d", "c"].map((name) => `${name.repeat(4)}\n`.repeat(2)));
  });

  test("writing goes on where an earlier run ended", async () => {
    const path = join(await temporaryFolder(), "a.log");
    for (const line of ["1234", "5678", "9"]) {
      const log = openLogFile(path, { maxFileBytes: 10, maxFiles: 5 });
      log.write(line);
      log.close();
    }
    expect(readFileSync(path, "utf8")).toBe("9\n");
    expect(readFileSync(`${path}.1`, "utf8")).toBe("1234\n5678\n");
  });
});
