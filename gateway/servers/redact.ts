// What of arguments and answers may be kept: everything but the values of keys that sound like secrets, and no more than so much.
// A value that is secret without saying so is not found, which is why nothing is kept unless somebody asks for it. Pure.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";

const secretWords = [
  "password",
  "passwd",
  "secret",
  "token",
  "apikey",
  "authorization",
  "credential",
  "privatekey",
  "cookie",
];
const redacted = "[redacted]";
const maxDepth = 32;

function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[-_ ]/g, "");
  return secretWords.some((word) => plain.includes(word));
}

/** A copy. */
export function redact(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, isSecretKey(key) ? redacted : redact(each, depth + 1)]));
}

/** The value itself, or the beginning of its text where that is longer. */
export function shortenJson(value: unknown, maxChars: number): unknown {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= maxChars ? value : `${text.slice(0, maxChars)}…`;
}
