// What a process writes: every line into its log file, warnings and errors as one short line each on the terminal, and
// the last line kept for the report of a crash.
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** A longer line is cut into lines of this length. */
export const maxLineChars = 64 * 1024;
const maxShortChars = 200;

/** Hands every line to `onLine`; the last one even without a line break, when the stream ends. */
export function splitLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const take = (text: string): void => {
    rest += text;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    for (; rest.length >= maxLineChars; rest = rest.slice(maxLineChars)) onLine(rest.slice(0, maxLineChars));
  };
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  stream.on("end", () => {
    take(decoder.end());
    if (rest !== "") onLine(rest);
  });
}

const shownLevels = new Set(["WARNING", "ERROR", "FATAL"]);
/** Of an agent's health, and of a server that does not start, the table and the lines below it tell, with the end of it. */
const toldElsewhere = new Set(["agent is unhealthy", "server could not be started"]);
const leftOut = new Set(["time", "level", "logger", "message", "agent", "err", "error"]);

interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

function parseLogLine(line: string): LogLine | undefined {
  if (!line.startsWith("{")) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined; // a line that only looks like one of ours
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const fields: Record<string, unknown> = { ...parsed };
  const { level, message } = fields;
  return typeof level === "string" && typeof message === "string" ? { level, message, fields } : undefined;
}

/** `WARNING downstream is unreachable: connect ECONNREFUSED (server toolbox)`, or undefined for lines below a warning. */
export function shortLine(line: string): string | undefined {
  const parsed = parseLogLine(line);
  return parsed && shownLevels.has(parsed.level) && !toldElsewhere.has(parsed.message)
    ? `${parsed.level} ${describe(parsed)}`
    : undefined;
}

/** `INFO agent started (url …)` for every level; a line that is no log line as it stands. */
export function describeLine(line: string): string {
  const parsed = parseLogLine(line);
  return parsed === undefined ? line : `${parsed.level} ${describe(parsed)}`;
}

function describe({ message, fields }: LogLine): string {
  const error: unknown = fields["err"] ?? fields["error"];
  const cause: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  const details = Object.entries(fields)
    .filter(([name, value]) => !leftOut.has(name) && ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => `${name} ${String(value)}`);
  const text = `${message}${typeof cause === "string" ? `: ${cause}` : ""}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
  const flat = text.replaceAll(/\s+/g, " ");
  return flat.length > maxShortChars ? `${flat.slice(0, maxShortChars - 1)}…` : flat;
}

/** Whether a line says something by itself: not a stack frame, a field of a printed error, or Node's version below it. */
export const isTelling = (line: string): boolean => line.trim() !== "" && !/^(\s|\}|Node\.js v)/.test(line);

/** The message of a log line, or a line that is none as it stands: what a crash is reported with. */
export function plainLine(line: string): string {
  const parsed = parseLogLine(line);
  return parsed === undefined ? line.trim().slice(0, maxShortChars) : describe(parsed);
}
