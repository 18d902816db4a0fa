// Files of one JSON object a line, gzipped where their name says so. Errors name the file and the line.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type * as z from "zod";
import { readRegularFile } from "../read-bounded.ts";
import { UsageError } from "../manifests/find-files.ts";

/** Bytes of a file, and of what a gzipped one holds. */
const maxDataBytes = 128 * 1024 * 1024;

const unzip = promisify(gunzip);

async function readBytes(path: string): Promise<Buffer> {
  const found = await readRegularFile(path, maxDataBytes).catch((error: unknown) => {
    throw new UsageError(`${path}: cannot be read (${Reflect.get(Object(error), "code")}); name a file of JSON lines`);
  });
  if (found.kind === "not a file") throw new UsageError(`${path}: expected a file of JSON lines, found something else`);
  if (found.kind === "too large") {
    throw new UsageError(`${path}: expected at most ${maxDataBytes} bytes, found ${found.size}; divide it`);
  }
  if (!path.endsWith(".gz")) return found.bytes;
  return unzip(found.bytes, { maxOutputLength: maxDataBytes }).catch((error: unknown) => {
    const isTooLarge = Reflect.get(Object(error), "code") === "ERR_BUFFER_TOO_LARGE";
    const expected = isTooLarge ? `expected at most ${maxDataBytes} bytes when unpacked` : "expected gzipped data";
    throw new UsageError(`${path}: ${expected}; ${isTooLarge ? "divide it" : "its name ends in .gz"}`);
  });
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>, place: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${place}: expected one JSON object, found ${JSON.stringify(text.slice(0, 40))}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${place}: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`);
}

/**
 * The objects of a file, in order; empty lines are passed over.
 * @throws UsageError when it cannot be read, is too large, or a line is not as the schema says
 */
export async function readJsonLines<Line>(path: string, schema: z.ZodType<Line>): Promise<Line[]> {
  const bytes = await readBytes(path);
  const lines: Line[] = [];
  let number = 0;
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const text = bytes.toString("utf8", at, end === -1 ? bytes.length : end).trim();
    at = end === -1 ? bytes.length : end + 1;
    number += 1;
    if (text !== "") lines.push(parseLine(text, schema, `${path}:${number}`));
  }
  return lines;
}
