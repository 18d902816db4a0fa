import { describe, expect, it } from "vitest";
import { createMetrics } from "../../lib/process/metrics.ts";
import { goExposition, pythonExposition } from "../testing/expositions.ts";
import { agentMetricTypes } from "../../crds/metric-names.ts";
import { runSynchronously } from "../../lib/process/steps.ts";
import { makeEndpoint } from "../testing/resources.ts";
import { parseExposition, sampleNames } from "./exposition.ts";
import { renderLabels } from "./labels.ts";
import { mergeFamilies } from "./merge.ts";
import { renderPodSeries } from "./pod-series.ts";

const series = (text: string, agent = "research", pod = `${agent}-1`) =>
  runSynchronously(renderPodSeries(parseExposition(text), makeEndpoint(agent, "http://10.0.0.1:9090", pod)));

function merge(...pods: ReturnType<typeof series>[]) {
  const { chunks, conflicts } = mergeFamilies([], pods);
  return { text: [...chunks].join(""), conflicts };
}
const ourLabels = 'namespace="agents",pallas_instance="ouranos",agent="research",pod="research-1"';

/** Families in the order of their lines; a family that comes again would be there twice. */
function blocks(text: string): string[] {
  const owners = new Map(
    parseExposition(text).flatMap(({ name, type }) => sampleNames(name, type).map((sample) => [sample, name])),
  );
  const names = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (line.startsWith("#") ? line.split(" ")[2] : owners.get(/^[\w:]+/.exec(line)?.[0] ?? "")) ?? "?");
  return names.filter((name, at) => names[at - 1] !== name);
}

describe("MET-1 merging the series of many pods", () => {
  it("keeps families together, with one HELP and TYPE, and repeats no series", async () => {
    const nodes = await createMetrics().render();
    const { text, conflicts } = merge(
      series(nodes.body, "research"),
      series(goExposition, "coder"),
      series(pythonExposition, "writer"),
      series(nodes.body, "archive", "archive-1"),
      series(nodes.body, "archive", "archive-2"),
    );
    expect(conflicts).toBe(0);
    const names = blocks(text);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    expect(names).not.toContain("?");
    const all = parseExposition(text).flatMap(({ samples }) => samples);
    const keys = all.map(
      ({ name, labels }) => name + renderLabels(labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
    );
    expect(new Set(keys).size).toBe(keys.length);
    const once = parseExposition(nodes.body).flatMap(({ samples }) => samples).length;
    const others = [goExposition, pythonExposition].flatMap((each) => parseExposition(each).flatMap((f) => f.samples));
    expect(all).toHaveLength(3 * once + others.length);
    expect(text.match(/^# TYPE process_cpu_seconds_total /gm)).toHaveLength(1);
  });

  it("comes in pieces that make up the whole", () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `a{x="${at}"} ${at}\n`).join("");
    const { chunks } = mergeFamilies([], [series(lines), series(lines, "coder"), series("b 1\n")]);
    const pieces = [...chunks];
    expect(pieces.length).toBeGreaterThan(1);
    expect(parseExposition(pieces.join("")).map(({ samples }) => samples.length)).toEqual([20_000, 1]);
  });

  it("adds namespace, pallas_instance, agent and pod, and keeps values and timestamps as written", () => {
    const { text } = merge(series('# TYPE a gauge\na{x="\\"1\\n"} +Inf 17\n'));
    expect(text).toBe(`# TYPE a gauge\na{${ourLabels},x="\\"1\\n"} +Inf 17\n`);
  });

  it("keeps an agent label that is equal as one, and moves another to exported_agent", () => {
    expect(merge(series('a{agent="research"} 1')).text).toContain(`a{${ourLabels}} 1`);
    expect(merge(series('a{agent="other"} 1')).text).toContain(`a{${ourLabels},exported_agent="other"} 1`);
    expect(merge(series('a{exported_agent="x",agent="other"} 1')).text).toContain(
      `a{${ourLabels},exported_agent="x",exported_exported_agent="other"} 1`,
    );
  });

  it("leaves out what the registry says itself, so that nothing is counted twice", () => {
    const text =
      'pallas_up 1\npallas_agent_info{agent="research",port="8080"} 1\npallas_agent_spec_replicas 1\npallas_agent_scrape_up 1\na 1\n';
    expect(series(text).map(({ name }) => name)).toEqual(["a"]);
  });

  it.each([
    ["exactly", 'a{x="1",y="2"} 1\na{y="2",x="1"} 2'],
    ["after others with as many labels", 'a{x="1",y="2"} 1\na{p="1",q="2"} 2\na{q="2",p="1"} 3'],
    ["once an equal agent label is dropped", 'a 1\na{agent="research"} 2'],
  ])("refuses a pod with the same series twice: %s", (_, text) => {
    expect(() => series(text)).toThrow("expected each series once");
  });

  it("takes series of one name with other labels, however they are ordered", () => {
    const text = 'a{x="1",y="2"} 1\na{y="1",x="2"} 1\na{p="1",q="2"} 1\na{q="1",p="2"} 1\na{x="1"} 1\na 1';
    expect(parseExposition(merge(series(text)).text)[0]?.samples).toHaveLength(6);
  });

  it.each([
    ["another type", "# TYPE a gauge\na 1", "# TYPE a counter\na 2", ["a", "a"]],
    [
      "a histogram's count as a family",
      "# TYPE a histogram\na_count 1\na_sum 1",
      "# TYPE a_count counter\na_count 2",
      ["a_count", "a_count", "a_sum"],
    ],
    [
      "a histogram over a family's name",
      "# TYPE a_sum gauge\na_sum 1",
      "# TYPE a histogram\na_sum 2\na_count 2",
      ["a_sum", "a_sum", "a_count"],
    ],
  ])("keeps the series of all pods, without a type, where one has %s", (_, first, second, samples) => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const { text, conflicts } = merge(series(one), series(`${other}\nb 3`, "coder"), series(first, "third"));
      expect(conflicts).toBe(2);
      const families = parseExposition(text);
      const contested = families.filter(({ name }) => name !== "b");
      expect(new Set(contested.map(({ type }) => type))).toEqual(new Set(["untyped"]));
      const of = (pod: string) =>
        contested.flatMap((family) => family.samples.filter(({ labels }) => labels.some(({ raw }) => raw === pod)));
      expect([...of("research"), ...of("coder")].map(({ name }) => name).toSorted()).toEqual(samples.toSorted());
      expect(of("third")).toHaveLength(parseExposition(first).flatMap((family) => family.samples).length);
      const names = blocks(text);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("leaves out of a pod what contradicts the registry's own, counts it, and keeps the rest", () => {
    const own = [{ name: "a", type: "gauge", help: "A.", text: "a 1\n" } as const];
    const { chunks, conflicts } = mergeFamilies(own, [
      series("# TYPE a counter\na 2\nb 3"),
      series("# TYPE a gauge\na 4"),
    ]);
    const text = [...chunks].join("");
    expect(conflicts).toBe(1);
    expect(text).toContain(`# HELP a A.\n# TYPE a gauge\na 1\na{${ourLabels}} 4\n`);
    expect(text).toContain(`b{${ourLabels}} 3`);
    expect(text).not.toContain("} 2");
  });
});

describe("MET-2 names of ours have one type", () => {
  const types = ["counter", "gauge", "histogram", "summary", "untyped"];

  it.each(Object.entries(agentMetricTypes))("%s is a %s, and nothing else", (name, type) => {
    const read = (as: string) => series(`# TYPE ${name} ${as}\n${name} 1\nb 1`);
    expect(read(type)).toHaveLength(2);
    for (const other of types.filter((each) => each !== type)) {
      expect(() => read(other)).toThrow(`expected the type ${type} of ${name}, found ${other}`);
    }
  });

  it("a pod whose other families would take the series of ours is refused", () => {
    expect(() => series("pallas_send_message_duration_seconds_count 1")).toThrow(
      "expected series called pallas_send_message_duration_seconds_count in the family pallas_send_message_duration_seconds only",
    );
  });
});
