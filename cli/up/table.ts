// The table that `pallas up` prints once everything has started or said why not.
import type { Screen } from "../terminal.ts";
import { describeState, type Board } from "./board.ts";
import type { Desired } from "./desired.ts";

type Row = readonly [name: string, model: string, status: string, url: string];

/** One line per agent: name, model, status, URL; below, why some are not ready. Two lines each where one is too long. */
export function renderTable(desired: Desired, board: Board, { isTerminal, columns }: Screen): string[] {
  const namespaces = new Set([...desired.listed.values()].map(({ agent }) => agent.metadata.namespace));
  const nameOf = (key: string): string => (namespaces.size > 1 ? key : key.slice(key.indexOf("/") + 1));
  const reasons: string[] = [];
  const rows = [...desired.listed]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, { agent, url, problem }]): Row => {
      const described = describeState(board.get(key));
      const refused = desired.refusedPorts.find((entry) => entry.key === key)?.message;
      const reason = refused ?? problem?.message ?? described.reason;
      const status = problem || refused ? "invalid" : described.status;
      if (status !== "ready" && reason !== undefined) reasons.push(`${nameOf(key)}: ${reason}`);
      const model = desired.runnable.get(key)?.model ?? agent.spec.model ?? "-";
      return [nameOf(key), model, status, url ?? "-"];
    });
  const table = align([["AGENT", "MODEL", "STATUS", "URL"], ...rows]);
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
