// One pod's series as they go into the merged output: labelled with whose they are, without what the registry says
// itself, and already text, so that a request only joins strings.
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { metricNames, podLabels } from "../../crds/metric-names.ts";
import { ExpositionError, type Family, type MetricType } from "./exposition.ts";
import { escapeLabelValue, renderLabels, type Label } from "./labels.ts";

export interface FamilyText {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string | undefined;
  /** Complete lines. */
  readonly text: string;
}

/**
 * What the registry says for every pod. `pallas_agent_info` comes from the resources, running or not; `pallas_up`
 * stays one series, as dashboards expect it, and of a pod `pallas_agent_scrape_up` says the same.
 */
const saidByRegistry: ReadonlySet<string> = new Set([
  metricNames.agentInfo,
  metricNames.up,
  metricNames.agentScrapeUp,
  metricNames.agentScrapeSeconds,
  metricNames.agentScrapeAge,
]);

/** Throws `ExpositionError` when two series are the same: Prometheus would keep an arbitrary one. */
export function renderPodSeries(families: readonly Family[], endpoint: AgentEndpoint): FamilyText[] {
  const own = ownLabels(endpoint);
  const seen = new Set<string>();
  return families
    .filter(({ name }) => !saidByRegistry.has(name))
    .map(({ name, type, help, samples }) => {
      // Joined, not added up: a string in pieces would be put together while it is served.
      const lines: string[] = [];
      for (const sample of samples) {
        const labels = relabel(sample.labels, own);
        const key = `${sample.name}${renderLabels(labels.toSorted((a, b) => (a.name < b.name ? -1 : 1)))}`;
        if (seen.has(key)) throw new ExpositionError(`expected each series once, found ${key} twice`);
        seen.add(key);
        lines.push(`${sample.name}${renderLabels(labels)} ${sample.value}\n`);
      }
      return { name: detach(name), type, help: help && detach(help), text: lines.join("") };
    });
}

/** A copy: a part of a string keeps the whole of it in memory, here all that the pod has sent. */
const detach = (part: string): string => Buffer.from(part).toString();

function ownLabels({ namespace, instance, agent, pod }: AgentEndpoint): Label[] {
  const values = { namespace, pallas_instance: instance, agent, pod };
  return podLabels.map((name) => ({ name, raw: escapeLabelValue(values[name]) }));
}

/** Ours win; another value of the pod's own is kept as `exported_…`, as Prometheus does it. */
function relabel(found: readonly Label[], own: readonly Label[]): Label[] {
  const taken = new Set([...own, ...found].map(({ name }) => name));
  const kept = found.flatMap((label): Label[] => {
    const ours = own.find(({ name }) => name === label.name);
    if (ours === undefined) return [label];
    if (ours.raw === label.raw) return [];
    let name = `exported_${label.name}`;
    while (taken.has(name)) name = `exported_${name}`;
    taken.add(name);
    return [{ name, raw: label.raw }];
  });
  return [...own, ...kept];
}
