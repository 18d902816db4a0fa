// One request to a process that is not trusted, as an agent's admin port: guarded like everything that goes out (SEC-5), no more is
// read than the limit, no redirect is followed, no proxy asked, and the connection is its own and closed afterwards, since pods
// come and go. The deadline is the caller's signal.
import { request as send, type IncomingMessage } from "node:http";
import { guardLookup, refuseLiteral } from "./refused-addresses.ts";

export interface LimitedRequest {
  signal: AbortSignal;
  accept: string;
  /** Of the body. */
  maxBytes: number;
  /** Default GET. */
  method?: "GET" | "DELETE" | "POST";
  /** What is sent; its type is among the headers. */
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The answer, whatever its status. Rejects on a body over the limit, and with the signal's reason when that aborts first. */
export async function fetchLimited(url: string, request: LimitedRequest): Promise<{ status: number; text: string }> {
  const { signal } = request;
  try {
    const response = await open(url, request);
    return { status: response.statusCode ?? 0, text: await readBody(response, url, request.maxBytes) };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The body of a 200 answer. Rejects on any other too. */
export async function fetchText(url: string, request: LimitedRequest): Promise<string> {
  const { status, text } = await fetchLimited(url, request);
  if (status !== 200) throw new Error(`expected 200 from ${url}, found ${status}`);
  return text;
}

const open = (
  url: string,
  { signal, accept, method = "GET", body, headers }: LimitedRequest,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    refuseLiteral(new URL(url).hostname);
    const options = { method, signal, agent: false, lookup: guardLookup(), headers: { ...headers, accept } };
    send(url, options, resolve).on("error", reject).end(body);
  });

async function readBody(response: IncomingMessage, url: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.byteLength;
    // Leaving the loop closes the connection.
    if (sizeBytes > maxBytes) throw new Error(`expected at most ${maxBytes} bytes from ${url}, found more`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
