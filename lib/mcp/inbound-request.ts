// One HTTP request to an MCP endpoint as it goes from the entry to its era.
import type { Caller } from "./caller.ts";

export interface InboundRequest {
  request: Request;
  /** The parsed body of a POST. */
  message?: Record<string, unknown> | undefined;
  caller: Caller;
}
