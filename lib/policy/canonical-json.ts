// JSON in the one form of RFC 8785 (JCS), and the hash of a call's arguments: the same for the same value, whoever wrote
// it and in whatever order. Refuses what is no JSON, so that nothing is hashed as something else.
import { createHash } from "node:crypto";

/** Deeper values are refused, and so are those that contain themselves. */
const maxDepth = 2 ** 16;

/** An array or object that is being written. */
interface Frame {
  /** Of an object, in order; undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly values: readonly unknown[];
  written: number;
}

/**
 * Needs no stack of its own for nested values. Takes time in proportion to the value's size, but for sorting names.
 * @throws TypeError for what JSON cannot have: undefined, NaN, infinities, half a surrogate pair, objects of a class
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  const frames: Frame[] = [];
  write(value, parts, frames);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.written === frame.values.length) {
      parts.push(frame.names === undefined ? "]" : "}");
      frames.pop();
      continue;
    }
    if (frame.written > 0) parts.push(",");
    const name = frame.names?.[frame.written];
    if (name !== undefined) parts.push(renderString(name), ":");
    const next = frame.values[frame.written];
    frame.written += 1;
    write(next, parts, frames);
  }
  return parts.join("");
}

/** SHA-256 of the canonical arguments in UTF-8, in hexadecimal. A call without arguments has the empty object. */
export function hashArguments(args: unknown = {}): string {
  return createHash("sha256").update(canonicalJson(args)).digest("hex");
}

/** Writes a scalar, or the beginning of what the new frame goes on with. */
function write(value: unknown, parts: string[], frames: Frame[]): void {
  if (typeof value !== "object" || value === null) {
    parts.push(renderScalar(value));
    return;
  }
  if (frames.length === maxDepth) throw new TypeError(`expected JSON of at most ${maxDepth} levels, found more`);
  if (Array.isArray(value)) {
    parts.push("[");
    frames.push({ names: undefined, values: value, written: 0 });
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw noJson("an object of a class");
  parts.push("{");
  // Without a function of its own, sort compares UTF-16 code units, as the RFC demands.
  const names = Object.keys(value).sort();
  frames.push({ names, values: names.map((name): unknown => Reflect.get(value, name)), written: 0 });
}

function renderScalar(value: unknown): string {
  if (typeof value === "string") return renderString(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value !== "number") throw noJson(`a value of type ${typeof value}`);
  if (!Number.isFinite(value)) throw noJson(String(value));
  return JSON.stringify(value);
}

function renderString(text: string): string {
  if (!text.isWellFormed()) throw noJson("half a surrogate pair in a string");
  return JSON.stringify(text);
}

function noJson(found: string): TypeError {
  return new TypeError(`expected a JSON value, found ${found}`);
}
