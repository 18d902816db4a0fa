// What the registry says about itself and about the providers of each instance (HLT-5), from the agents' own reports.
import * as z from "zod";
import { countSchema, timeSchema } from "../../crds/catalogue.ts";
import { healthPartSchema, type HealthPart, type HealthReport } from "../../crds/health.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import type { SlugConflict } from "../../plan/catalogue.ts";
import { isBuiltIn } from "../../plan/models.ts";
import { resourceKey, type SourceState } from "../source/source.ts";

export interface PodReport {
  endpoint: AgentEndpoint;
  /** undefined: the pod did not answer, or not with a report. */
  report: HealthReport | undefined;
}

/** Of each list, so that the answer stays small whatever is wrong; metrics have the whole number. */
const listedProblems = 100;
/** Of what an agent says of a provider; its pod has the whole of it. */
const maxDetailChars = 500;

const stateSchema = z.object({ state: z.enum(["starting", "live", "degraded"]), since: timeSchema });

export const registryHealthSchema = z.object({
  /** starting before the first sync; degraded while anything that is served may be behind. */
  status: z.enum(["ok", "starting", "degraded"]),
  source: z.object({ resources: stateSchema, endpoints: stateSchema }),
  instances: z.array(
    z.object({
      namespace: z.string(),
      name: z.string(),
      providers: z.record(z.string(), healthPartSchema),
      pods: z.object({ known: countSchema, reporting: countSchema }),
    }),
  ),
  slugConflicts: z.array(z.object({ slug: z.string(), kept: z.string(), leftOut: z.string() })),
  unreadable: z.array(z.string()),
});
export type RegistryHealth = z.output<typeof registryHealthSchema>;

export function renderHealth(facts: {
  state: SourceState;
  endpointState: SourceState;
  instances: readonly PallasInstance[];
  pods: readonly PodReport[];
  conflicts: readonly SlugConflict[];
  unreadable: readonly string[];
}): RegistryHealth {
  const podsByInstance = Map.groupBy(facts.pods, ({ endpoint }) => `${endpoint.namespace}/${endpoint.instance}`);
  return {
    status: renderStatus(facts.state, facts.endpointState),
    source: { resources: renderState(facts.state), endpoints: renderState(facts.endpointState) },
    instances: facts.instances.map((instance) => {
      const pods = podsByInstance.get(resourceKey(instance)) ?? [];
      const reports = pods.flatMap(({ report }) => report ?? []);
      return {
        namespace: instance.metadata.namespace,
        name: instance.metadata.name,
        providers: mergeProviders(reports, instance),
        pods: { known: pods.length, reporting: reports.length },
      };
    }),
    slugConflicts: facts.conflicts.slice(0, listedProblems),
    unreadable: facts.unreadable.slice(0, listedProblems),
  };
}

/** Without endpoints the catalogue is whole, but metrics and the agents' reports are not. */
function renderStatus(state: SourceState, endpointState: SourceState): RegistryHealth["status"] {
  if (state.phase === "starting") return "starting";
  return state.phase === "live" && endpointState.phase === "live" ? "ok" : "degraded";
}

/** Not why: that may hold paths and addresses, and anyone may read this. The log says it. */
const renderState = ({ phase, since }: SourceState): z.output<typeof stateSchema> => ({
  state: phase,
  since: new Date(since).toISOString(),
});

/**
 * One verdict per provider that the instance has, whatever else a pod reports. Agents ask with different models and keys,
 * so one that fails outweighs those that succeed; among equals the latest counts.
 */
function mergeProviders(reports: readonly HealthReport[], { spec }: PallasInstance): Record<string, HealthPart> {
  const declared = new Set(spec.providers?.map(({ name }) => name));
  const merged = new Map<string, HealthPart>();
  for (const { providers } of reports) {
    for (const [name, part] of Object.entries(providers)) {
      if (!declared.has(name) && !isBuiltIn(name)) continue;
      const before = merged.get(name);
      if (before === undefined || outweighs(part, before)) merged.set(name, part);
    }
  }
  const sorted = [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, part]) => [name, cut(part)]));
}

const cut = (part: HealthPart): HealthPart =>
  (part.detail?.length ?? 0) <= maxDetailChars
    ? part
    : { ...part, detail: `${part.detail?.slice(0, maxDetailChars)}…` };

const outweighs = (part: HealthPart, before: HealthPart): boolean =>
  part.ok === before.ok ? Date.parse(part.checkedAt) > Date.parse(before.checkedAt) : !part.ok;
