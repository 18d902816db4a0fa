// What went through the gateway (DSC-11): `resource://calls/metrics`, by the hour, and `resource://calls/log`, the last calls of
// tools. Each is of the agents and servers that the caller sees.
import type { PallasApproval } from "../../../crds/approval.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { Approvals } from "../../approvals/approvals.ts";
import { renderLogEntry } from "../../rest/server-view.ts";
import type { CallLog, LogEntry } from "../../servers/call-log.ts";
import type { CallTrend, Trend } from "../../servers/call-trend.ts";
import { hourMs } from "../../servers/hourly-series.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent, seesApproval, seesServer } from "../access.ts";
import type { ResourceFamily } from "./family.ts";
import { followChanges } from "./follow-changes.ts";

/** Of the log. */
export const maxShownEntries = 200;
/** Of all of them, as JSON: below what one resource may say. */
export const maxLogBytes = 3 * 1024 * 1024;
const metricsSettleMs = 2_000;
const logSettleMs = 200;

export interface CallResourcesParts {
  trend: CallTrend;
  calls: CallLog;
  approvals: Pick<Approvals, "list" | "onChange">;
  /** How long an approval waits. */
  timeoutMs: number;
  state: Pick<GatewayState, "getServer" | "getAgent">;
  clock: Clock;
}

export const createCallResources = (parts: CallResourcesParts): ResourceFamily[] => [
  createCallMetrics(parts),
  createCallLog(parts),
];

const forViewers = {
  listKeys: (identity: Identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key: string, identity: Identity) => isViewer(identity),
};

function createCallMetrics(parts: CallResourcesParts): ResourceFamily {
  const { trend, approvals, clock } = parts;
  return {
    uri: "resource://calls/metrics",
    name: "Calls by the hour",
    description:
      "Calls of the last 24 hours through this server: how many, how many failed, how long, and how many waited.",
    ...forViewers,
    async read(_key, identity) {
      const view = trend.view({
        agent: (name) => seesAgent(identity, name),
        server: (name) => seesServer(identity, name),
      });
      return renderMetrics(view, countOpened(view, identity, parts));
    },
    follow(_key, onChange) {
      const sources = [trend.onCount.bind(trend), approvals.onChange.bind(approvals)];
      return followChanges({ clock, settleMs: metricsSettleMs }, sources, onChange);
    },
  };
}

const renderMetrics = (
  { since, hours, calls, errors, medianMs, agents, tools }: Trend,
  waiting: readonly number[],
) => ({
  ...{ since, hours, calls, errors, median_ms: medianMs, waiting },
  agents: agents.map(({ agent, lastCallAt, ...counts }) => ({ agent_id: agent, ...counts, last_call_at: lastCallAt })),
  tools: tools.map(({ medianMs: median_ms, lastCalledAt: last_called_at, ...tool }) => ({
    ...tool,
    median_ms,
    last_called_at,
  })),
});

/** In each hour, of approvals that are kept. */
function countOpened({ hours }: Trend, identity: Identity, { approvals, timeoutMs, state }: CallResourcesParts) {
  const first = Date.parse(hours[0] ?? "");
  const counts = hours.map(() => 0);
  for (const approval of approvals.list()) {
    const at = Math.floor((openedAt(approval, timeoutMs) - first) / hourMs);
    if (counts[at] !== undefined && seesApproval(identity, approval, state)) counts[at] += 1;
  }
  return counts;
}

/** Where no API server says when. */
const openedAt = ({ metadata, spec }: PallasApproval, timeoutMs: number): number =>
  Date.parse(metadata.creationTimestamp ?? "") || Date.parse(spec.expiresAt) - timeoutMs;

const createCallLog = ({ calls, clock }: CallResourcesParts): ResourceFamily => ({
  uri: "resource://calls/log",
  name: "Log of calls",
  description: `The last ${maxShownEntries} calls of tools through this server, the newest first.`,
  ...forViewers,
  async read(_key, identity) {
    const { entries, total } = calls.page(maxShownEntries, 0, ({ server }) => seesServer(identity, server));
    return { entries: fitEntries(entries.map((entry) => renderLogEntry(entry, identity))), total };
  },
  follow(_key, onChange) {
    // What servers say while they are used is in no list.
    const listen = (note: () => void) => calls.onEntry((_entry, said) => void (said === undefined && note()));
    return followChanges({ clock, settleMs: logSettleMs }, [listen], onChange);
  },
});

/** As many of the newest as there is room for. */
function fitEntries(entries: readonly LogEntry[]): LogEntry[] {
  let bytes = 0;
  return entries.filter((entry) => (bytes += Buffer.byteLength(JSON.stringify(entry)) + 1) <= maxLogBytes);
}
