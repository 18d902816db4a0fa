// JSON pointers (RFC 6901): what of a JSON value is meant. Only a value's own members are found, whatever their names.
import { maxima } from "./rules.ts";

/** The segments of a pointer, or in words that go on "expected" what it should be. */
export function parsePointer(text: string): readonly string[] | string {
  if (text.length > maxima.pointerChars) return `a JSON pointer of at most ${maxima.pointerChars} characters`;
  if (text === "") return [];
  if (!text.startsWith("/")) return 'a JSON pointer: "" or parts that begin with "/"';
  if (/~(?![01])/.test(text)) return 'a JSON pointer, in which "~" is written "~0" and "/" inside a name "~1"';
  const segments = text.slice(1).split("/");
  if (segments.length > maxima.pointerSegments) return `a JSON pointer of at most ${maxima.pointerSegments} parts`;
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether the segment can name an element of an array. `-`, the one past the last, names none that is there. */
export function isIndex(segment: string): boolean {
  return /^(?:0|[1-9]\d{0,15})$/.test(segment);
}

/** What is at the place; undefined where nothing is. */
export function findAt(value: unknown, segments: readonly string[]): unknown {
  let found = value;
  for (const segment of segments) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, segment)) return undefined;
    if (Array.isArray(found) && !isIndex(segment)) return undefined;
    found = Reflect.get(found, segment);
  }
  return found;
}
