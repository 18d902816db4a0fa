// A process that speaks MCP on its standard streams, whoever runs it: what it takes, what is heard of it, and how its output
// becomes messages. It refuses answers that would cost too much memory before anybody parses them, and knows no method.
import { rpcCodes } from "../../lib/mcp/json-rpc.ts";
import { answerBounds } from "../../lib/outgoing/response-limit.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";
import { createLineReader, type LineReader, type LongLine } from "./line-reader.ts";
import { readMessages, type Received, type RpcId } from "./messages.ts";
import type { ShowText } from "./shown-text.ts";

export interface ServerProcess {
  /** For what it says of itself. */
  readonly showText: ShowText;
  /** Sends one message, a text without an end of line. Does nothing once the process has ended. */
  send(text: string): void;
  /** Bytes sent that the process has not read. */
  unreadBytes(): number;
  /** Ends the process and all that it started; resolves when it is over. */
  end(): Promise<void>;
}

export interface ProcessEvents {
  onMessage(received: Received): void;
  /** A message that was too large; `id` where it can be told whose answer it is. */
  onRefused(refused: { readonly id: RpcId | undefined; readonly why: string }): void;
  /** Once, when nothing comes any more. `why` goes on "the server's process …". */
  onEnd(why: string): void;
}

/** What is counted of all processes. */
export interface ProcessCounts {
  /** A line on standard output that is no message. */
  onStray(): void;
  onRead(bytes: number): void;
}

/** Starts a process. Rejects with a sentence when that cannot be; nothing is left running then. */
export type Launch = (events: ProcessEvents) => Promise<ServerProcess>;

/** Lines up to here are parsed without being measured: they cannot cost much. */
const unmeasuredBytes = 64 * 1024;

export interface OutputOptions {
  /** Of one message. */
  readonly maxMessageBytes: number;
  readonly counts: ProcessCounts;
}

/** Reads a process's standard output. */
export function readOutput(events: ProcessEvents, { maxMessageBytes, counts }: OutputOptions): LineReader {
  const refuse = (line: Pick<LongLine, "head" | "tail">, why: string) => {
    events.onRefused({ id: findId(line), why });
  };
  const reader = createLineReader({
    maxLineBytes: maxMessageBytes,
    onLine(line) {
      const problem = line.length > unmeasuredBytes ? createJsonMeter(answerBounds)(Buffer.from(line)) : undefined;
      if (problem !== undefined) return refuse({ head: line.slice(0, 512), tail: line.slice(-512) }, `it ${problem}`);
      const messages = readMessages(line);
      if (messages.length === 0 && line.trim() !== "") counts.onStray();
      for (const received of messages) events.onMessage(received);
    },
    onLong: (line) => refuse(line, `it has ${line.bytes} bytes, more than ${maxMessageBytes}`),
  });
  return {
    push(chunk) {
      counts.onRead(chunk.length);
      reader.push(chunk);
    },
    end: reader.end,
  };
}

/** The id of an answer by its text's beginning or end, where every library writes it. */
function findId({ head, tail }: Pick<LongLine, "head" | "tail">): RpcId | undefined {
  const id = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){1,200}"|-?\d{1,16})`;
  const found =
    new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${id}`).exec(head)?.[1] ??
    new RegExp(String.raw`[,}]\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`).exec(tail)?.[1];
  if (found === undefined) return undefined;
  const id_: unknown = JSON.parse(found);
  return typeof id_ === "string" || typeof id_ === "number" ? id_ : undefined;
}

/** What a call is answered whose process has ended. */
export const renderLoss = (why: string) => ({
  code: rpcCodes.serverError,
  message: `The server's process ${why} during the call; the next call starts it anew`,
});
