// The table that `pallas up` prints once everything has started or said why not.
import type { Screen } from "../terminal.ts";
import { describeState, type Board } from "./board.ts";
import type { Desired } from "./desired.ts";
import { keyOf } from "./process-keys.ts";
import { describeKind, describeServer } from "./server-status.ts";

type Row = readonly [name: string, model: string, status: string, url: string];

/**
 * One line per agent: name, model, status, URL; below, why some are not ready. Then the same of tool servers, where there are
 * any. Two lines each where one is too long.
 */
export function renderTable(desired: Desired, board: Board, screen: Screen): string[] {
  const { listed, servers } = desired;
  const namespaces = new Set([
    ...[...listed.values()].map(({ agent }) => agent.metadata.namespace),
    ...[...servers.values()].map(({ server }) => server.metadata.namespace),
  ]);
  const nameOf = (resource: Named): string => (namespaces.size > 1 ? keyOf(resource) : resource.metadata.name);
  return [
    ...(listed.size === 0 ? [] : renderAgents(desired, board, screen, nameOf)),
    ...(servers.size === 0 ? [] : renderServers(desired, board, screen, nameOf)),
  ];
}

type Named = Parameters<typeof keyOf>[0];
type NameOf = (resource: Named) => string;

function renderAgents(desired: Desired, board: Board, screen: Screen, nameOf: NameOf): string[] {
  const reasons: string[] = [];
  const rows = [...desired.listed]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, { agent, url, problem }]): Row => {
      const described = describeState(board.get(key));
      const refused = desired.refusedPorts.find((entry) => entry.key === key)?.message;
      const reason = refused ?? problem?.message ?? described.reason;
      const status = problem || refused ? "invalid" : described.status;
      if (status !== "ready" && reason !== undefined) reasons.push(`${nameOf(agent)}: ${reason}`);
      const model = desired.runnable.get(key)?.model ?? agent.spec.model ?? "-";
      return [nameOf(agent), model, status, url ?? "-"];
    });
  return layOut(["AGENT", "MODEL", "STATUS", "URL"], rows, reasons, screen);
}

function renderServers({ servers, runnableServers }: Desired, board: Board, screen: Screen, nameOf: NameOf): string[] {
  const reasons: string[] = [];
  const rows = [...servers.values()]
    .toSorted((a, b) => a.key.localeCompare(b.key))
    .map((listed): Row => {
      const { key, server, url } = listed;
      const { status, reason } = describeServer(listed, runnableServers.has(key), board.get(key));
      if (status !== "ready" && reason !== undefined) reasons.push(`${nameOf(server)}: ${reason}`);
      return [nameOf(server), describeKind(listed), status, listed.held === undefined ? url : "-"];
    });
  return layOut(["SERVER", "KIND", "STATUS", "URL"], rows, reasons, screen);
}

function layOut(
  head: Row,
  rows: readonly Row[],
  reasons: readonly string[],
  { isTerminal, columns }: Screen,
): string[] {
  const table = align([head, ...rows]);
  const fits = !isTerminal || table.every((line) => line.length <= columns);
  return [...(fits ? table : stack(rows)), ...reasons.map((reason) => `  ${reason}`)];
}

function align(rows: readonly Row[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const stack = (rows: readonly Row[]): string[] =>
  rows.flatMap(([name, model, status, url]) => [`${name}  ${status}  ${model}`, `  ${url}`]);
