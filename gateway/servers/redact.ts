// What of arguments and answers may be kept: everything but the values of keys that sound like secrets, also where they are JSON in a
// text, as most tools answer, and no more than so much. A value that is secret without saying so is not found, which is why nothing
// is kept unless somebody asks for it. Pure, and linear in what it reads.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";

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
/** A longer text that may be JSON is not read, and not kept. */
const maxReadChars = 256 * 1024;
const bounds = { maxDepth: 64, maxStructure: 50_000 };

function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[-_ ]/g, "");
  return secretWords.some((word) => plain.includes(word));
}

/** A copy. */
export function redact(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) return "…";
  if (typeof value === "string") return redactText(value, depth);
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, isSecretKey(key) ? redacted : redact(each, depth + 1)]));
}

/** Text stays as it is unless it is JSON with a secret in it. */
function redactText(text: string, depth: number): string {
  if (!/^\s{0,100}[[{]/.test(text)) return text;
  const isTooMuch = text.length > maxReadChars || createJsonMeter(bounds)(Buffer.from(text)) !== undefined;
  if (isTooMuch) return `[${text.length} characters]`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const plain = JSON.stringify(redact(value, depth + 1));
  return plain === JSON.stringify(value) ? text : plain;
}

/** The value itself, or the beginning of its text where that is longer. */
export function shortenJson(value: unknown, maxChars: number): unknown {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= maxChars ? value : `${text.slice(0, maxChars)}…`;
}
