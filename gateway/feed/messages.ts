// What the gateway says over a WebSocket (DSC-10), in the shapes of the interface it comes from. Pure.
import type { Identity } from "../../lib/auth/roles.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { renderLogEntry } from "../rest/server-view.ts";
import { idOfTool } from "../servers/server-id.ts";
import type { LogEntry, Said } from "../servers/call-log.ts";
import type { ServerEntry } from "../servers/entry.ts";

/**
 * @param servers those that the client sees
 * @param toolsOf those of a server that it may be shown
 */
export const renderState = (
  servers: readonly ServerEntry[],
  toolsOf: (server: ServerEntry) => readonly ToolDescription[],
  version: string,
) => ({
  type: "state",
  version,
  servers: servers.map((server) => ({
    id: server.id,
    name: server.name,
    active: server.isActive,
    health_status: server.health.status,
    error_count: server.health.errorCount,
    tools: toolsOf(server).map((tool) => ({
      id: idOfTool(server.id, tool.name),
      name: tool.name,
      description: tool.description ?? "",
    })),
  })),
  active: servers
    .filter(({ isActive }) => isActive)
    .map((server) => ({
      name: server.name,
      tools: toolsOf(server).map((tool) => ({ name: tool.name, description: tool.description ?? "" })),
    })),
});

export const renderLogMessage = (entry: LogEntry, client: Identity) => ({
  type: "log_entry",
  entry: renderLogEntry(entry, client),
});

export function renderSaid({ server: serverName, timestamp: ts }: LogEntry, said: Said) {
  if ("method" in said) return { type: "notification", serverName, method: said.method, params: said.params, ts };
  const { progress, total, message } = said.progress;
  const payload = { token: said.token, progress, total: total ?? null, message: message ?? null };
  return { type: "progress", serverName, payload, ts };
}

export const renderProblem = (message: string) => ({ type: "error", message });
