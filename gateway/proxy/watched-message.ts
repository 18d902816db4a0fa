// Whether a request to an agent is a message to it, and whether its answer says that it failed: seen in the bytes that pass, of which
// none is kept, held back or changed. For counting alone; nobody is let in or kept out by it.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { agentTool } from "../discovery/may-call.ts";

export interface WatchedMessage {
  /** The body of the request; undefined where it is too long to be gathered, and so to be anything but a message. */
  body(bytes: Buffer | undefined): void;
  /** Each part of the answer, in order. */
  answer(bytes: Buffer): void;
  readonly isMessage: boolean;
  /** Whether the answer is an error: of the tool, or in place of its result. */
  readonly saysFailed: boolean;
}

/** Inside of a text of JSON its quotes would be escaped, so that no words of a model look like these. */
const marks = ['"isError":true', '"error":{"code":'].map((text) => Buffer.from(text));
const longestMark = Math.max(...marks.map(({ length }) => length));

/** @param headers of the request; those of the 2026 era say what it is */
export function watchMessage(headers: Readonly<Record<string, string | undefined>>): WatchedMessage {
  const { "mcp-method": method, "mcp-name": name } = headers;
  let isMessage = method === "tools/call" && name === agentTool;
  let saysFailed = false;
  let before: Buffer = Buffer.alloc(0);
  return {
    body(bytes) {
      if (method === undefined) isMessage = bytes === undefined || callsAgent(bytes);
    },
    answer(bytes) {
      if (saysFailed || !isMessage) return;
      const border = Buffer.concat([before, bytes.subarray(0, longestMark)]);
      saysFailed = marks.some((mark) => border.includes(mark) || bytes.includes(mark));
      before = Buffer.concat([before, bytes.subarray(-longestMark)]).subarray(-longestMark);
    },
    get isMessage() {
      return isMessage;
    },
    get saysFailed() {
      return saysFailed;
    },
  };
}

function callsAgent(bytes: Buffer): boolean {
  try {
    const message: unknown = JSON.parse(bytes.toString("utf8"));
    const params = isJsonObject(message) && message["method"] === "tools/call" ? message["params"] : undefined;
    return isJsonObject(params) && params["name"] === agentTool;
  } catch {
    return false;
  }
}
