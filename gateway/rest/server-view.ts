// A server as REST and the WebSocket show it (DSC-8). Values of variables and headers are in none of it: only their names are. Pure.
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import { defined } from "../../lib/process/defined.ts";
import type { LogEntry } from "../servers/call-log.ts";
import type { ServerEntry } from "../servers/entry.ts";
import { idOfTool } from "../servers/server-id.ts";
import { renderCommand } from "./commands.ts";

/** In place of a value; sent back in a PUT it stands for the value that is there. */
export const masked = "****";

export function renderServer(server: ServerEntry) {
  const { id, name, isActive, health, known } = server;
  const { resource, inline } = known;
  const spec = resource?.spec;
  const command = spec && renderCommand(spec);
  const url = spec?.remote?.url ?? inline?.url;
  const names = spec?.env?.map((entry) => entry.name) ?? [];
  return {
    id,
    name,
    title: spec?.title ?? null,
    description: spec?.description ?? "",
    source: resource === undefined ? "instance" : "manual",
    installed: true,
    transport: url === undefined ? "stdio" : "streamable-http",
    command: command?.command ?? null,
    args: command?.args ?? [],
    env: Object.fromEntries(names.map((each) => [each, masked])),
    homepage: url ?? null,
    tags: spec?.tags ?? [],
    package_name: spec?.package?.name ?? null,
    package_version: spec?.package?.version ?? null,
    active: isActive,
    listed: spec?.listed ?? false,
    health_status: health.status,
    last_health_check: health.checkedAt ?? null,
    error_count: health.errorCount,
    tool_count: server.tools?.length ?? 0,
    created_at: resource?.metadata.creationTimestamp ?? null,
  };
}

const renderTool = (serverId: number, { name, description, inputSchema, annotations }: ToolDescription) => ({
  id: idOfTool(serverId, name),
  server_id: serverId,
  name,
  description: description ?? "",
  input_schema: inputSchema,
  // What the server claims of it; absent where it says nothing.
  ...defined({ annotations }),
});

/** @param tools those that the caller may be shown */
export const renderSingle = (server: ServerEntry, tools: readonly ToolDescription[]) => ({
  ...renderServer(server),
  tools: tools.map((tool) => renderTool(server.id, tool)),
});

/** What was sent and answered is for approvers only, where it is kept at all (DSC-11). */
export function renderLogEntry(entry: LogEntry, caller: Identity): LogEntry {
  return requireRole(caller, "approver") === undefined ? entry : { ...entry, args: null, response: null };
}
