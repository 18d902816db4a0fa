// What keeps a conversation from going on, in a sentence that says what to do; the program ends with 1.
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { Terminal } from "../terminal.ts";

export class ChatError extends Error {
  override readonly name = "ChatError";
}

/** Says it, and gives the exit code. Throws what is neither a ChatError nor an McpError. */
export function reportFailure(error: unknown, terminal: Pick<Terminal, "complain">): 1 {
  if (!(error instanceof ChatError || error instanceof McpError)) throw error;
  terminal.complain(`pallas: ${error instanceof McpError ? error.tell() : error.message}`);
  return 1;
}
