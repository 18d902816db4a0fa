// A person before an agent: a client of the TypeScript SDK that calls send_message through the gateway, with the token of an account.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as z from "zod";
import { defined } from "../../../lib/process/defined.ts";

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A message of progress, and when it came. */
export interface Heard {
  readonly message: string;
  /** By performance.now(). */
  readonly at: number;
}

const answerSchema = z.object({
  content: z.array(z.object({ text: z.string().default("") })),
  isError: z.boolean().default(false),
});

/** What clients commonly wait for a sign of life. */
const idleTimeoutMs = 60_000;

export interface Sent {
  readonly agent: string;
  readonly token: string;
  readonly message: string;
  readonly era?: "legacy" | "auto";
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

/**
 * Sends a message to the agent of this name in a session of its own, and hears its progress.
 * @param gateway its base URL
 */
export async function sendMessage(
  gateway: string,
  { agent, token, message, era = "auto", signal }: Sent,
  onHeard: (heard: Heard) => void = () => undefined,
): Promise<Answer> {
  const client = new Client({ name: "person", version: "1" }, { versionNegotiation: { mode: era } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${gateway}/proxy/${agent}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  try {
    const result = await client.callTool(
      { name: "send_message", arguments: { message } },
      {
        timeout: idleTimeoutMs,
        resetTimeoutOnProgress: true,
        onprogress: ({ message: line }) => {
          if (line !== undefined) onHeard({ message: line, at: performance.now() });
        },
        ...defined({ signal }),
      },
    );
    const { content, isError } = answerSchema.parse(result);
    return { text: content.map(({ text }) => text).join("\n"), isError };
  } finally {
    await client.close();
  }
}
