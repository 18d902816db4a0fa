// One pod's series as they go into the merged output: labelled with whose they are, without what the registry says
// itself, and already text, so that a request only joins strings. A pod that gives a name of ours another meaning is
// refused whole: alerts are written against these names, and what it says of anything is not to be trusted.
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { agentMetricTypes, metricNames, podLabels } from "../../crds/metric-names.ts";
import type { Steps } from "../../lib/process/steps.ts";
import { ExpositionError, sampleNames, type Family, type MetricType } from "./exposition.ts";
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

/** Names of samples that only one family may have, and that family. */
const ourSamples: ReadonlyMap<string, string> = new Map(
  Object.entries(agentMetricTypes).flatMap(([name, type]) => sampleNames(name, type).map((sample) => [sample, name])),
);
const ourTypes: ReadonlyMap<string, MetricType> = new Map(Object.entries(agentMetricTypes));

/** What is rendered in one step, less than a millisecond; a series counts for more than its characters. */
const charsPerStep = 32 * 1024;
const charsPerSeries = 100;

/**
 * Throws `ExpositionError` when two series are the same, of which Prometheus would keep an arbitrary one, and on a name
 * of ours with another type than it has everywhere.
 */
export function* renderPodSeries(families: readonly Family[], endpoint: AgentEndpoint): Steps<FamilyText[]> {
  const own = ownLabels(endpoint);
  const ownText = renderPairs([...own].map(([name, raw]) => ({ name, raw })));
  const seen = new Set<string>();
  const rendered: FamilyText[] = [];
  let renderedChars = 0;
  for (const { name, type, help, samples } of families) {
    if (saidByRegistry.has(name)) continue;
    checkType(name, type);
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
      renderedChars += key.length + charsPerSeries;
      if (renderedChars >= charsPerStep) {
        yield;
        renderedChars = 0;
      }
      lines.push(`${sample.name}{${ownText}${text === "" ? "" : ","}${text}} ${sample.value}\n`);
    }
    rendered.push({ name: detach(name), type, help: help && detach(help), text: lines.join("") });
  }
  return rendered;
}

function checkType(name: string, type: MetricType): void {
  const ours = ourTypes.get(name);
  if (ours !== undefined && ours !== type) {
    throw new ExpositionError(
      `expected the type ${ours} of ${name}, found ${type}; every agent of Pallas says the same`,
    );
  }
  for (const sample of sampleNames(name, type)) {
    const owner = ourSamples.get(sample);
    if (owner === undefined || owner === name) continue;
    throw new ExpositionError(`expected series called ${sample} in the family ${owner} only, found them in ${name}`);
  }
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
