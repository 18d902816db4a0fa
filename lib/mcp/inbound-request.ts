/** One HTTP request to an MCP endpoint as it goes from the entry to its era. */

export interface InboundRequest {
  request: Request;
  /** The parsed body of a POST. */
  message?: Record<string, unknown> | undefined;
  /** Who sent it; absent where callers are not authenticated. */
  caller?: string | undefined;
}
