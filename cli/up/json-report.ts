// A run told to scripts: one JSON object per line and event. A process has a line each time its state changes, and
// only then.
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { toJson } from "../manifests/diagnostic.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { describeState } from "./board.ts";
import { isAgentKey, registryKey } from "./programs.ts";
import type { RunState, UpReport } from "./report.ts";

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
        ...state.desired.runnable.keys(),
        ...lines.keys(),
      ])) {
        const fields = describe(key, state);
        const line = JSON.stringify(fields);
        if (lines.get(key) === line) continue;
        lines.set(key, line);
        emit(key === registryKey ? "registry" : isAgentKey(key) ? "agent" : "gateway", fields);
      }
    },
    settled({ desired, board }) {
      const ready = [...desired.runnable.keys()].filter((key) => board.isReady(key)).length;
      emit("settled", { ready, agents: desired.runnable.size });
    },
    stopping: () => emit("stopping", {}),
    // Told by the lines of states.
    ready: () => undefined,
    inTrouble: () => undefined,
    say: (text) => terminal.complain(text),
  };
}

function describe(key: string, { desired, board, registryUrl }: RunState) {
  const { status: phase, reason: detail } = describeState(board.get(key));
  const { pid } = board.get(key) ?? {};
  const found = { phase, ...defined({ detail, pid }) };
  if (key === registryKey) return { ...found, url: registryUrl };
  const [namespace = "", name = ""] = key.split("/").slice(-2);
  const { url } = desired.listed.get(key) ?? desired.gateways.get(key) ?? {};
  return { namespace, name, ...found, ...defined({ url }) };
}
