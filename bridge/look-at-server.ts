// Looks at a server through its shared process: what it says of itself, and how many tools it offers.
import { isJsonObject } from "../lib/mcp/json-rpc.ts";
import type { ToolFilter } from "./relay/tool-filter.ts";
import { listAll } from "./shared/results.ts";
import type { SharedClient } from "./shared/shared-client.ts";
import type { SharedServer } from "./shared/shared-server.ts";
import type { Received } from "./stdio/messages.ts";

/** The server's answer to `initialize`. Rejects with a JsonRpcError when it cannot be had. */
export async function observeAnswer(shared: SharedServer): Promise<Received> {
  const peer = await shared.open({ onMessage: () => undefined, onRefused: () => undefined, onEnd: () => undefined });
  await peer.end();
  return peer.answer;
}

/** How many tools it offers. Rejects with a JsonRpcError. */
export async function lookAtServer(shared: SharedServer, client: SharedClient, filter: ToolFilter): Promise<number> {
  const { result } = (await observeAnswer(shared)).message;
  const capabilities = isJsonObject(result) ? result["capabilities"] : undefined;
  if (isJsonObject(capabilities) && capabilities["tools"] === undefined) return 0;
  const tools = await listAll(client, "tools/list", "tools");
  return tools.filter((tool) => isJsonObject(tool) && filter.isOffered(tool["name"])).length;
}
