// A run told to scripts: one JSON object per line and event. A process has a line each time its state changes, and
// only then.
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { toJson } from "../manifests/diagnostic.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { describeState, type Board } from "./board.ts";
import type { ListedServer } from "./desired-servers.ts";
import { kindOfKey, registryKey } from "./process-keys.ts";
import type { RunState, UpReport } from "./report.ts";
import { describeKind, describeServer } from "./server-status.ts";

export function createJsonReport(terminal: Terminal): UpReport {
  const lines = new Map<string, string>();
  const emit = (event: string, fields: object): void =>
    terminal.printStyled(jsonLine({ time: renderTime(systemClock), event, ...fields }));

  return {
    judged(diagnostics) {
      emit("judged", { diagnostics: diagnostics.map((diagnostic) => toJson(diagnostic, terminal.folder)) });
    },
    edited: (changes) => emit("edited", changes),
    changed(state) {
      for (const key of new Set([
        registryKey,
        ...state.desired.gateways.keys(),
        ...state.desired.servers.keys(),
        ...state.desired.runnable.keys(),
        ...lines.keys(),
      ])) {
        const fields = describe(key, state);
        const line = JSON.stringify(fields);
        if (lines.get(key) === line) continue;
        lines.set(key, line);
        emit(kindOfKey(key), fields);
      }
    },
    settled({ desired, board }) {
      const ready = [...desired.runnable.keys()].filter((key) => board.isReady(key)).length;
      const serving = [...desired.runnableServers.keys()].filter(
        (key) => describeState(board.get(key)).status === "ready",
      );
      const servers = { readyServers: serving.length, servers: desired.runnableServers.size };
      emit("settled", { ready, agents: desired.runnable.size, ...(servers.servers > 0 && servers) });
    },
    stopping: () => emit("stopping", {}),
    // Told by the lines of states.
    ready: () => undefined,
    inTrouble: () => undefined,
    say: (text) => terminal.complain(text),
  };
}

function describe(key: string, { desired, board, registryUrl }: RunState) {
  const listed = desired.servers.get(key);
  if (listed !== undefined) return describeListed(listed, desired.runnableServers.has(key), board);
  const { status: phase, reason: detail } = describeState(board.get(key));
  const { pid } = board.get(key) ?? {};
  const found = { phase, ...defined({ detail, pid }) };
  if (key === registryKey) return { ...found, url: registryUrl };
  const [namespace = "", name = ""] = key.split("/").slice(-2);
  const { url: gatewayUrl, dashboardUrl: dashboard } = desired.gateways.get(key) ?? {};
  return { namespace, name, ...found, ...defined({ url: desired.listed.get(key)?.url ?? gatewayUrl, dashboard }) };
}

function describeListed(listed: ListedServer, isRunnable: boolean, board: Board) {
  const { key, server, url, held } = listed;
  const state = board.get(key);
  const { status: phase, reason: detail } = describeServer(listed, isRunnable, state);
  const { namespace, name } = server.metadata;
  const { toolCount: tools } = state?.bridge === undefined || state.bridge === "unreachable" ? {} : state.bridge;
  const place = held === undefined ? { url } : {};
  return {
    namespace,
    name,
    kind: describeKind(listed),
    phase,
    ...defined({ detail, pid: state?.pid, tools }),
    ...place,
  };
}
