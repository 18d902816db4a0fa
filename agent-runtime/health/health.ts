// The agent's health (HLT-1…3): its own problems looked at anew each time, its downstreams and providers probed in parallel
// and kept for a while. A downstream is well when it answers its probe and lent its tools to the latest call. It never asks a model for an answer, and never fails.
import type { HealthReport } from "../../crds/health.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import { renderTime, settledWithin, type Clock } from "../../lib/process/clock.ts";
import type { UnsetVariable } from "../inputs/placeholders.ts";
import type { PreflightResult } from "../model/types.ts";
import { observeHeaders, type HeaderSources } from "../tools/headers.ts";
import { createObserved, type Observed } from "./observed.ts";
import { renderReport, type DownstreamState } from "./report.ts";

const probeTimeoutMs = 3_000;
const probesKeptMs = 5_000;
/** A provider that failed is asked again sooner. */
const preflightKeptMs = { ok: 60_000, failed: 15_000 };

type Providers = Readonly<Record<string, PreflightResult>>;

export interface HealthOptions {
  config: Pick<RunConfig, "agent" | "servers" | "agents" | "models">;
  /** Providers of the agent's models, by name; a few seconds at most. */
  preflight: () => Promise<Providers>;
  /** What keeps the agent from working at all, in sentences. */
  observeProblems: () => Promise<readonly string[]>;
  /** Why servers lend no tools, by name, as calls last met them; a few seconds at most. */
  observeLinks: () => Promise<ReadonlyMap<string, string>>;
  observeSlowAnswers: () => number | undefined;
  /** Names of tools that the model was not offered lately. */
  observeToolsLeftOut: () => readonly string[];
  /** Why callers cannot be authenticated; undefined when they can. */
  observeAuthTrouble: () => string | undefined;
  unset: readonly UnsetVariable[];
  sources: HeaderSources;
  slowProbeMs: number;
  onReport: (report: HealthReport) => void;
  clock: Clock;
}

export interface Health {
  /** Within the probes' 3 s; usually at once. */
  check(): Promise<HealthReport>;
}

/** Probes nothing until it is asked. */
export function createHealth(options: HealthOptions): Health {
  const { config, clock } = options;
  const activeProvider = config.models[0]?.provider ?? "";
  const downstreams = createObserved(() => observeDownstreams(options), { keepMs: () => probesKeptMs, clock });
  const providers = createObserved(options.preflight, {
    keepMs: (found) => (Object.values(found).every(({ ok }) => ok) ? preflightKeptMs.ok : preflightKeptMs.failed),
    clock,
  });
  return {
    async check() {
      const [problems, probed, preflighted] = await Promise.all([
        options.observeProblems(),
        downstreams.get(),
        getInTime(providers, activeProvider, clock),
      ]);
      const observed = {
        problems,
        downstreams: probed,
        providers: preflighted,
        activeProvider,
        unset: options.unset,
        slowAnswerMs: options.observeSlowAnswers(),
        toolsLeftOut: options.observeToolsLeftOut(),
        authTrouble: options.observeAuthTrouble(),
      };
      const timestamp = renderTime(clock);
      const report = renderReport(config.agent.name, observed, { timestamp, slowProbeMs: options.slowProbeMs });
      options.onReport(report);
      return report;
    },
  };
}

/** What the providers said last, when they say nothing in the time of a probe. */
async function getInTime(providers: Observed<Providers>, active: string, clock: Clock): Promise<Providers> {
  const asked = providers.get();
  if (await settledWithin(asked, probeTimeoutMs, clock)) {
    return asked.catch((error: unknown) =>
      renderFailed(active, error instanceof Error ? error.message : String(error), clock),
    );
  }
  asked.catch(() => undefined); // Its outcome is asked for again next time.
  return providers.last() ?? renderFailed(active, `no answer within ${probeTimeoutMs / 1_000} s`, clock);
}

const renderFailed = (provider: string, detail: string, clock: Clock): Providers => ({
  [provider]: { ok: false, detail, checkedAt: renderTime(clock) },
});

/** What answers a probe and yet lends calls no tools is of no more use than what is not there. */
async function observeDownstreams(options: HealthOptions): Promise<DownstreamState[]> {
  const [probed, problems] = await Promise.all([probeAll(options), options.observeLinks()]);
  return probed.map((state) => {
    const detail = problems.get(state.name);
    return state.reachable && detail !== undefined ? { ...state, reachable: false, detail } : state;
  });
}

async function probeAll({ config, sources, clock }: HealthOptions): Promise<DownstreamState[]> {
  const targets = [...config.servers, ...config.agents.map((agent) => ({ ...agent, headers: [] }))];
  if (targets.length === 0) return [];
  const { probeMcp } = await import("../../lib/mcp/probe.ts");
  return Promise.all(
    targets.map(async ({ name, url, forwardInboundAuth, ...addressee }) => {
      let secretProblem: string | undefined;
      const probed = await probeMcp({
        url,
        // A probe carries no user token (BRR-3).
        headers: (refused) =>
          observeHeaders(addressee, sources, { refused }).catch((error: unknown) => {
            secretProblem = error instanceof Error ? error.message : String(error);
            throw error;
          }),
        timeoutMs: probeTimeoutMs,
        forwardsInboundAuth: forwardInboundAuth,
      });
      return { name, ...probed, secretProblem, checkedAt: renderTime(clock) };
    }),
  );
}
