// A client that costs little beside the server that it measures: tool calls of either era over kept connections, a fixed
// number at a time, each answer read to its end and looked at.
import { Agent, request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";

export interface Target {
  readonly url: string;
  readonly tool: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `plain` sends the call without a session and without the headers of any era, `rest` as `{ tool, args }` alone. */
  readonly era: "2025" | "2026" | "plain" | "rest";
}

export interface LoadResult {
  readonly seconds: number;
  /** One per call. */
  readonly latenciesMs: number[];
}

/** What every call says; an answer must hold it. */
export const sentText = "What is new in the world of small servers?";
const timeoutMs = 60_000;

/** Makes `calls` calls, `concurrency` at a time; each worker has a connection, and in the 2025 era a session, of its own. */
export async function runLoad(target: Target, load: { calls: number; concurrency: number }): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency });
  try {
    const workers = await Promise.all(Array.from({ length: load.concurrency }, () => openWorker(target, agent)));
    const latenciesMs: number[] = [];
    let left = load.calls;
    const startedAt = performance.now();
    await Promise.all(
      workers.map(async (call) => {
        while (left-- > 0) {
          const calledAt = performance.now();
          await call();
          latenciesMs.push(performance.now() - calledAt);
        }
      }),
    );
    return { seconds: (performance.now() - startedAt) / 1_000, latenciesMs };
  } finally {
    agent.destroy();
  }
}

/** Resolves to a function that makes one call. */
async function openWorker({ url, tool, era, headers: own = {} }: Target, agent: Agent): Promise<() => Promise<void>> {
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...own,
    ...(era === "2025" ? await openSession(url, agent, own) : {}),
    ...(era === "2026" && { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool }),
  };
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const args = { message: sentText };
  const params = { name: tool, arguments: args, ...(era === "2026" && { _meta: envelope }) };
  const body = JSON.stringify(
    era === "rest" ? { tool, args } : { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  );
  return async () => {
    const answer = await post(url, { agent, headers, body });
    if (answer.status !== 200 || !answer.text.includes(sentText) || answer.text.includes('"isError":true')) {
      throw new Error(`expected an answer with the text that was sent, found ${answer.status} ${answer.text}`);
    }
  };
}

/** The headers that belong to a new session. */
async function openSession(url: string, agent: Agent, own: Target["headers"]): Promise<Record<string, string>> {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", ...own };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const opened = await post(url, { agent, headers, body });
  const id = opened.headers["mcp-session-id"];
  if (opened.status !== 200) throw new Error(`expected a session, found ${opened.status} ${opened.text}`);
  const version = { "mcp-protocol-version": "2025-11-25" };
  // A server that keeps no sessions names none.
  const session = typeof id === "string" ? { ...version, "mcp-session-id": id } : version;
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await post(url, { agent, headers: { ...headers, ...session }, body: initialized });
  return session;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

function post(url: string, sent: { agent: Agent; headers: Record<string, string>; body: string }): Promise<Answer> {
  const { agent, headers, body } = sent;
  return new Promise((resolve, reject) => {
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const posted = request(url, { method: "POST", agent, headers: { ...headers, ...length }, timeout: timeoutMs });
    posted.on("timeout", () => posted.destroy(new Error(`expected an answer of ${url} within ${timeoutMs} ms`)));
    posted.on("error", reject);
    posted.on("response", (response) => {
      let received = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (received += chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
      );
    });
    posted.end(body);
  });
}
