// From what was observed to the verdict (HLT-1, HLT-2). Pure: error when the agent cannot work, degraded when something it
// uses is missing or slow, else ok.
import type { HealthPart, HealthReport } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";
import type { UnsetVariable } from "../inputs/placeholders.ts";
import type { PreflightResult } from "../model/types.ts";

export interface DownstreamState {
  name: string;
  reachable: boolean;
  latencyMs: number;
  detail?: string | undefined;
  /** The sentence on a secret of its headers that cannot be used. */
  secretProblem?: string | undefined;
  checkedAt: string;
}

export interface Observations {
  /** Sentences on what keeps the agent from working at all. */
  problems: readonly string[];
  downstreams: readonly DownstreamState[];
  /** By provider name. */
  providers: Readonly<Record<string, PreflightResult>>;
  /** The provider of the first model: only its state counts. */
  activeProvider: string;
  unset: readonly UnsetVariable[];
  /** Average duration of the latest model turns, when that is too long. */
  slowAnswerMs?: number | undefined;
  /** Names of tools that the model is not offered, since its provider does not take them. */
  toolsLeftOut?: readonly string[];
  /** Why callers cannot be authenticated. */
  authTrouble?: string | undefined;
}

/** Of tools, in a message. */
const namesTold = 5;

const renderSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The report of `agent` at `timestamp`; a downstream slower than `slowProbeMs` degrades it. */
export function renderReport(
  agent: string,
  observed: Observations,
  options: { timestamp: string; slowProbeMs: number },
): HealthReport {
  const unreachable = observed.downstreams.filter(({ reachable }) => !reachable);
  const slow = observed.downstreams.filter(({ reachable, latencyMs }) => reachable && latencyMs > options.slowProbeMs);
  const provider = observed.providers[observed.activeProvider];
  const { toolsLeftOut = [] } = observed;
  const troubles = [
    unreachable.length > 0 && `Unreachable: ${unreachable.map(({ name }) => name).join(", ")}`,
    ...new Set(unreachable.map(({ secretProblem }) => secretProblem ?? false)),
    slow.length > 0 && `Slow: ${slow.map(({ name, latencyMs }) => `${name} (${renderSeconds(latencyMs)})`).join(", ")}`,
    provider?.ok === false && `LLM: ${observed.activeProvider}: ${provider.detail ?? "not available"}`,
    observed.slowAnswerMs !== undefined && `Slow answers: ${renderSeconds(observed.slowAnswerMs)} on average`,
    toolsLeftOut.length > 0 && `Tools not offered to the model: ${renderNames(toolsLeftOut)}`,
    observed.unset.length > 0 &&
      `Unset: ${observed.unset.map(({ variable, place }) => `${variable} (${place})`).join(", ")}`,
    observed.authTrouble ?? false,
  ].filter((trouble) => trouble !== false);
  const sentences = [...observed.problems, ...troubles];
  return {
    status: observed.problems.length > 0 ? "error" : troubles.length > 0 ? "degraded" : "ok",
    timestamp: options.timestamp,
    ...(sentences.length > 0 ? { message: sentences.join("; ") } : {}),
    agent,
    providers: Object.fromEntries(Object.entries(observed.providers).map(([name, part]) => [name, renderPart(part)])),
    downstreams: Object.fromEntries(
      observed.downstreams.map(({ name, reachable, detail, checkedAt }) => [
        name,
        renderPart({ ok: reachable, detail, checkedAt }),
      ]),
    ),
  };
}

const renderNames = (names: readonly string[]) =>
  names.slice(0, namesTold).join(", ") + (names.length > namesTold ? ` and ${names.length - namesTold} more` : "");

const renderPart = ({
  ok,
  detail,
  checkedAt,
}: {
  ok: boolean;
  detail?: string | undefined;
  checkedAt: string;
}): HealthPart => ({
  ok,
  checkedAt,
  ...defined({ detail }),
});
