// Callers of an agent for tests: one of each era, with the progress they got.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connectMcp, type McpConnection } from "../../lib/mcp/connect.ts";
import type { Progress, ToolResult } from "../../lib/mcp/table.ts";

const neverAborts = new AbortController().signal;

/** A client of the 2026 era; `bearer` goes with each request. */
export const connect2026 = (url: string, bearer?: string): Promise<McpConnection> =>
  connectMcp({
    url,
    headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` },
    clientName: "test",
    clientVersion: "1.0.0",
    signal: neverAborts,
    connectTimeoutMs: 30_000,
  });

/** A client of the 2025 era, in a session of its own. */
export async function connect2025(url: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

export interface Answer {
  text: string;
  isError: boolean;
  sessionId: string | undefined;
  stopReason: unknown;
  progress: Progress[];
  lines: string[];
}

/** Sends one message and closes nothing. */
export async function sendMessage(
  connection: McpConnection,
  args: Record<string, unknown>,
  signal: AbortSignal = neverAborts,
  idleTimeoutMs = 30_000,
): Promise<Answer> {
  const progress: Progress[] = [];
  const onProgress = (received: Progress) => void progress.push(received);
  const result = await connection.callTool("send_message", args, { signal, idleTimeoutMs, onProgress });
  return renderAnswer(result, progress);
}

/** Connects, sends one message, and closes. */
export async function ask(url: string, args: Record<string, unknown>, bearer?: string): Promise<Answer> {
  const connection = await connect2026(url, bearer);
  try {
    return await sendMessage(connection, args);
  } finally {
    await connection.close();
  }
}

function renderAnswer(result: ToolResult, progress: Progress[]): Answer {
  const sessionId = result.meta?.["ca.helu.pallas/session_id"];
  return {
    text: result.content.map((content) => (content.type === "text" ? content.text : `<${content.type}>`)).join("|"),
    isError: result.isError === true,
    stopReason: result.structuredContent?.["stop_reason"],
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
    progress,
    lines: progress.map(({ message }) => message ?? ""),
  };
}
