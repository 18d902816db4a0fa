// The headers that requests of one connection carry, asked for before each of them, and the memory of their values that
// keeps a server from handing them to a model: what was sent is taken out of what the server says about an error (BRR-4).
import { defined } from "../process/defined.ts";
import { McpError } from "./mcp-error.ts";
import type { ToolResult } from "./table.ts";

/**
 * Headers for one HTTP request. A function is asked before each of them, and once more with those that got HTTP 401: when
 * it then gives others, the request is made again with them.
 */
export type HeaderSource =
  | Record<string, string>
  | ((refused?: Record<string, string>) => Record<string, string> | Promise<Record<string, string>>);

export interface SentHeaders {
  /** The headers of the next request. Rejects with McpError when there are none to be had, or HTTP cannot carry them. */
  next(refused?: Record<string, string>): Promise<Record<string, string>>;
  /** `text` without any value that was sent. */
  redact(text: string): string;
}

/** Values remembered: a rotated secret may still be quoted by an answer that is under way. */
const maxValues = 32;
/** Shorter values are no secrets, and would tear holes into any text. */
const minSecretChars = 4;

/** Remembers nothing yet. */
export function createSentHeaders(source: HeaderSource): SentHeaders {
  const values = new Set<string>();
  const remember = (value: string) => {
    for (const part of [value, value.slice(value.indexOf(" ") + 1)]) {
      if (part.length < minSecretChars) continue;
      values.delete(part);
      values.add(part);
    }
    for (const oldest of [...values].slice(0, Math.max(0, values.size - maxValues))) values.delete(oldest);
  };
  return {
    async next(refused) {
      const headers = await readHeaders(source, refused);
      for (const [name, value] of Object.entries(headers)) {
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
          throw new McpError("protocol", `the value of header ${name} holds characters that HTTP cannot carry`);
        }
        remember(value);
      }
      return headers;
    },
    redact(text) {
      let redacted = text;
      for (const value of [...values].toSorted((a, b) => b.length - a.length)) {
        redacted = redacted.replaceAll(value, "[redacted]");
      }
      return redacted;
    },
  };
}

async function readHeaders(source: HeaderSource, refused?: Record<string, string>): Promise<Record<string, string>> {
  try {
    return typeof source === "function" ? await source(refused) : source;
  } catch (error) {
    if (error instanceof McpError) throw error;
    const sentence = error instanceof Error ? error.message : String(error);
    throw new McpError("unauthorized", sentence, { cause: error });
  }
}

/** Makes a request with the next headers; once more when they got HTTP 401 and there are others by now. */
export async function fetchWithHeaders(
  sent: SentHeaders,
  request: (headers: Record<string, string>) => Promise<Response>,
): Promise<{ headers: Record<string, string>; answer: Response }> {
  const headers = await sent.next();
  const answer = await request(headers);
  if (answer.status !== 401) return { headers, answer };
  const renewed = await sent.next(headers);
  if (Object.entries(renewed).every(([name, value]) => headers[name] === value)) return { headers, answer };
  await answer.body?.cancel();
  return { headers: renewed, answer: await request(renewed) };
}

/** The same error without what was sent. */
export function redactError(error: McpError, sent: SentHeaders): McpError {
  const { kind, code, said, cause } = error;
  const message = sent.redact(error.message);
  if (message === error.message && said === undefined) return error;
  return new McpError(kind, message, {
    cause,
    ...defined({ code }),
    ...(said !== undefined && { said: sent.redact(said) }),
  });
}

/** A result that reports an error, without what was sent; any other result as it is. */
export function redactFailure(result: ToolResult, sent: SentHeaders): ToolResult {
  if (result.isError !== true) return result;
  const { structuredContent: _, ...rest } = result;
  const content = result.content.map((part) =>
    part.type === "text" ? { ...part, text: sent.redact(part.text) } : part,
  );
  return { ...rest, content };
}
