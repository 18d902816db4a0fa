// Which requests to an MCP endpoint are streams of changes, seen before the body is read: a GET of the 2025 era, and
// `subscriptions/listen` of the 2026 era, whose requests are refused where this header and the body differ.
import { listenMethod } from "./era.ts";

export const isStreamOfChanges = ({ method, headers }: Pick<Request, "method" | "headers">): boolean =>
  method === "GET" || (method === "POST" && headers.get("mcp-method") === listenMethod);
