// A run told to people: a table when everything has started, news as lines, and below them one line that says how
// things are. Nothing is said twice.
import { renderDiagnostic, renderWithExcerpt } from "../manifests/diagnostic.ts";
import type { Terminal } from "../terminal.ts";
import { describeState, type Board } from "./board.ts";
import type { DesiredGateway } from "./desired-gateways.ts";
import { ProcessNews } from "./process-news.ts";
import type { UpReport } from "./report.ts";
import { kindOfKey, registryKey, shortName } from "./process-keys.ts";
import { renderTable } from "./table.ts";

export function createTextReport(terminal: Terminal): UpReport {
  const renderFound = terminal.err.isTerminal ? renderWithExcerpt : renderDiagnostic;
  let known: ReadonlySet<string> = new Set();
  let hadErrors = false;
  let hasShownTable = false;
  let isStopping = false;
  const troubles = new Map<string, string>();
  const news = new ProcessNews();
  return {
    judged(diagnostics) {
      const texts = diagnostics.map((diagnostic) => renderFound(diagnostic, terminal.folder));
      for (const text of texts) if (!known.has(text)) terminal.complain(text);
      known = new Set(texts);
      const hasErrors = diagnostics.some(({ severity }) => severity === "error");
      if (hadErrors && !hasErrors) terminal.complain("edited: all errors are corrected");
      hadErrors = hasErrors;
    },
    edited(changes) {
      const parts = Object.entries(changes).filter(([, keys]) => keys.length > 0);
      if (parts.length > 0) {
        terminal.complain(
          `edited: ${parts.map(([what, keys]) => `${what} ${keys.map(shortName).join(", ")}`).join("; ")}`,
        );
      }
    },
    changed({ desired, board }) {
      for (const key of board.keys()) {
        const health =
          kindOfKey(key) === "server"
            ? news.ofServer(key, desired.servers.get(key)?.url ?? "", board)
            : news.ofHealth(key, board);
        // The table says it of all that are in it.
        const lines = [hasShownTable ? health : undefined, news.ofCalls(key, board, isStopping)];
        for (const line of lines) if (line !== undefined) terminal.complain(line);
      }
      const held = [...desired.servers.values()].flatMap((listed) => news.ofHeld(listed) ?? []);
      if (hasShownTable) held.forEach((line) => terminal.complain(line));
      const agents = [...desired.runnable.keys()];
      const servers = [...desired.runnableServers.keys()];
      terminal.status(isStopping ? renderStopping(board) : renderStatus(agents, servers, board));
    },
    ready(key, url, afterMs) {
      const wasInTrouble = troubles.delete(key);
      // Its bridge is there; whether the server is, news tell.
      if (kindOfKey(key) === "server") return;
      if (hasShownTable || wasInTrouble) {
        terminal.complain(`${shortName(key)}: ready after ${(afterMs / 1_000).toFixed(1)} s at ${url}`);
      }
    },
    inTrouble(key, message, retryMs, waiting) {
      if (troubles.get(key) === message) return;
      troubles.set(key, message);
      const others = waiting.length === 0 ? "" : `; ${waiting.map(shortName).join(", ")} waits for it`;
      terminal.complain(`${shortName(key)}: ${message}; trying again in ${(retryMs / 1_000).toFixed(1)} s${others}`);
    },
    settled({ desired, board, registryUrl }, token) {
      for (const line of renderTable(desired, board, terminal.out)) terminal.print(line);
      const phase = board.get(registryKey)?.phase ?? "stopped";
      terminal.print(`registry ${phase}: ${registryUrl}/.well-known/mcp/server.json`);
      const gateways = [...desired.gateways.values()];
      for (const gateway of gateways) terminal.print(renderGateway(gateway, board));
      // What is written to a file or a log may be read by others.
      const fragment = terminal.out.isTerminal ? `#token=${token}` : "";
      for (const { dashboardUrl } of gateways) terminal.print(`dashboard: ${dashboardUrl}${fragment}`);
      hasShownTable = true;
    },
    stopping() {
      isStopping = true;
      terminal.complain("stopping");
    },
    say: (text) => terminal.complain(text),
  };
}

function renderGateway({ key, url }: DesiredGateway, board: Board): string {
  const { status, reason } = describeState(board.get(key));
  const why = status === "ready" || reason === undefined ? "" : ` (${reason})`;
  return `${shortName(key)} ${status}${why}: ${url}, token: pallas token`;
}

/** `1 of 3 agents ready; starting: clerk; waiting: concierge`, or how to stop once there is no more to say. */
function renderStatus(agents: readonly string[], servers: readonly string[], board: Board): string {
  const statusOf = (key: string) => (board.get(key) === undefined ? "waiting" : describeState(board.get(key)).status);
  const found = Map.groupBy([...agents, ...servers], statusOf);
  const countReady = (keys: readonly string[]) =>
    `${keys.filter((key) => statusOf(key) === "ready").length} of ${keys.length}`;
  const ready = [
    ...(agents.length === 0 && servers.length > 0 ? [] : [`${countReady(agents)} agents`]),
    ...(servers.length === 0 ? [] : [`${countReady(servers)} servers`]),
  ].join(" and ");
  const others = (["degraded", "failing", "starting", "waiting", "stopping"] as const).flatMap((status) => {
    const names = found.get(status)?.map(shortName) ?? [];
    return names.length === 0 ? [] : [`${status}: ${names.join(", ")}`];
  });
  // One that is not well may stay so; nothing more happens by itself.
  const isOver = [...found.keys()].every((status) => status === "ready" || status === "degraded");
  return [`${ready} ready`, ...others, ...(isOver ? ["Ctrl-C stops"] : [])].join("; ");
}

/** `stopping; snail: 2 calls are still running`. */
function renderStopping(board: Board): string {
  const working = [...board.keys()].flatMap((key) => {
    const { status, reason } = describeState(board.get(key));
    return status === "stopping" && reason !== undefined ? [`${shortName(key)}: ${reason}`] : [];
  });
  return ["stopping", ...working].join("; ");
}
