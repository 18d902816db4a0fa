// One pod's series as they go into the merged output: labelled with whose they are, without what the registry says
// itself, and already text, so that a request only joins strings.
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { metricNames, podLabels } from "../../crds/metric-names.ts";
import { ExpositionError, type Family, type MetricType } from "./exposition.ts";
import { escapeLabelValue, renderPairs, type Label } from "./labels.ts";

export interface FamilyText {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string | undefined;
  /** Complete lines. */
  readonly text: string;
}

/**
 * What the registry says for every pod. `pallas_agent_info` and `pallas_agent_spec_replicas` come from the resources,
 * running or not; `pallas_up` stays one series, as dashboards expect it, and of a pod `pallas_agent_scrape_up` says the same.
 */
const saidByRegistry: ReadonlySet<string> = new Set([
  metricNames.agentInfo,
  metricNames.agentSpecReplicas,
  metricNames.up,
  metricNames.agentScrapeUp,
  metricNames.agentScrapeSeconds,
  metricNames.agentScrapeAge,
]);

/** Throws `ExpositionError` when two series are the same: Prometheus would keep an arbitrary one. */
export function renderPodSeries(families: readonly Family[], endpoint: AgentEndpoint): FamilyText[] {
  const own = ownLabels(endpoint);
  const ownText = renderPairs([...own].map(([name, raw]) => ({ name, raw })));
  const seen = new Set<string>();
  return families
    .filter(({ name }) => !saidByRegistry.has(name))
    .map(({ name, type, help, samples }) => {
      // Joined, not added up: a string in pieces would be put together while it is served.
      const lines: string[] = [];
      const orders = new Map<number, readonly Label[]>();
      for (const sample of samples) {
        const labels = relabel(sample.labels, own);
        const text = renderPairs(labels);
        const order = orders.get(labels.length);
        if (order === undefined) orders.set(labels.length, labels);
        const key = `${sample.name}{${order === undefined ? text : renderInOrder(labels, text, order)}`;
        if (seen.has(key)) throw new ExpositionError(`expected each series once, found ${key}} twice`);
        seen.add(key);
        lines.push(`${sample.name}{${ownText}${text === "" ? "" : ","}${text}} ${sample.value}\n`);
      }
      return { name: detach(name), type, help: help && detach(help), text: lines.join("") };
    });
}

/** The same text for the same labels in any order: that of `order` where it has the same names, else by name. */
function renderInOrder(labels: readonly Label[], text: string, order: readonly Label[]): string {
  if (labels.every(({ name }, at) => name === order[at]?.name)) return text;
  const values = new Map(labels.map((label) => [label.name, label]));
  const ordered = order.flatMap(({ name }) => values.get(name) ?? []);
  const isPermuted = ordered.length === labels.length;
  return renderPairs(isPermuted ? ordered : labels.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** A copy: a part of a string keeps the whole of it in memory, here all that the pod has sent. */
const detach = (part: string): string => Buffer.from(part).toString();

/** By name, as written. */
function ownLabels({ namespace, instance, agent, pod }: AgentEndpoint): ReadonlyMap<string, string> {
  const values = { namespace, pallas_instance: instance, agent, pod };
  return new Map(podLabels.map((name) => [name, escapeLabelValue(values[name])]));
}

/** Without ours, which win; another value of the pod's own is kept as `exported_…`, as Prometheus does it. */
function relabel(found: readonly Label[], own: ReadonlyMap<string, string>): Label[] {
  const kept: Label[] = [];
  for (const label of found) {
    const ours = own.get(label.name);
    if (ours === undefined) kept.push(label);
    else if (ours !== label.raw) kept.push({ name: freeName(label.name, found), raw: label.raw });
  }
  return kept;
}

/** Prefixed until it is nobody's. */
function freeName(name: string, found: readonly Label[]): string {
  const exported = `exported_${name}`;
  return found.some((label) => label.name === exported) ? freeName(exported, found) : exported;
}
