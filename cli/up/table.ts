// The table that `pallas up` prints once everything has started or said why not.
import type { Board } from "./board.ts";
import type { Desired } from "./desired.ts";

/** One line per agent: name, model, status, URL; below, why some are not ready. */
export function renderTable(desired: Desired, board: Board): string[] {
  const namespaces = new Set([...desired.listed.values()].map(({ agent }) => agent.metadata.namespace));
  const nameOf = (key: string): string => (namespaces.size > 1 ? key : key.slice(key.indexOf("/") + 1));
  const reasons: string[] = [];
  const rows = [...desired.listed]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, { agent, url, fault }]) => {
      const state = board.get(key);
      const refused = desired.refusedPorts.find((entry) => entry.key === key)?.message;
      const reason = refused ?? fault?.message ?? state?.detail;
      const status = fault || refused ? "faulty" : (state?.phase ?? "stopped");
      if (status !== "ready" && reason !== undefined) reasons.push(`${nameOf(key)}: ${reason}`);
      const model = desired.runnable.get(key)?.model ?? agent.spec.model ?? "-";
      return [nameOf(key), model, status, url ?? "-"];
    });
  return [...align([["AGENT", "MODEL", "STATUS", "URL"], ...rows]), ...reasons.map((reason) => `  ${reason}`)];
}

function align(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
