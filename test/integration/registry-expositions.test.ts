// The parser of metrics on what real programs of four families expose, and what our own three programs expose before
// promtool and the rules of naming.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runSynchronously } from "../../lib/process/steps.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { parseExposition, type Family } from "../../registry/metrics/exposition.ts";
import { renderLabels } from "../../registry/metrics/labels.ts";
import { mergeFamilies } from "../../registry/metrics/merge.ts";
import { renderPodSeries } from "../../registry/metrics/pod-series.ts";
import { makeEndpoint } from "../../registry/testing/resources.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { runPromtool } from "../monitoring/promtool.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { needs } from "../tools/needs.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

const run = promisify(execFile);
const python = await findPython();
const getText = async (url: string) => (await fetch(url)).text();

/** Series as they would be written, in any order. */
const seriesOf = (families: readonly Family[]) =>
  families
    .flatMap(({ name, type, help, samples }) =>
      samples.map((sample) => `${name} ${type} ${help}: ${sample.name}${renderLabels(sample.labels)} ${sample.value}`),
    )
    .toSorted();

const lineCount = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;

/** What the registry would serve of this as one pod's, read again, without the labels it adds. */
function roundTrip(text: string): Family[] {
  const { chunks, conflicts } = mergeFamilies(
    [],
    [runSynchronously(renderPodSeries(parseExposition(text), makeEndpoint("a", "http://a")))],
  );
  expect(conflicts).toBe(0);
  const added = new Set(["namespace", "pallas_instance", "agent", "pod"]);
  const unlabelled = (family: Family): Family => ({
    ...family,
    samples: family.samples.map((sample) => ({
      ...sample,
      labels: sample.labels
        .filter(({ name }) => !added.has(name))
        .map(({ name, raw }) => ({ name: name.replace(/^(exported_)+(?=namespace$|agent$|pod$)/, ""), raw })),
    })),
  });
  return parseExposition([...chunks].join("")).map(unlabelled);
}

function expectRoundTrip(text: string): void {
  const families = parseExposition(text);
  expect(families.flatMap(({ samples }) => samples)).toHaveLength(lineCount(text));
  expect(seriesOf(roundTrip(text))).toEqual(seriesOf(families));
}

describe.skipIf(clusterMissing())("MET-1 what Go exposes", () => {
  it("kube-apiserver's own metrics come out as they went in", async () => {
    const { body } = await callApi(cluster(), { path: "/metrics" });
    expect(lineCount(body)).toBeGreaterThan(5_000);
    expectRoundTrip(body);
  });
});

describe.skipIf(python === undefined)("MET-1 what Python exposes", () => {
  it("every kind of metric comes out as it went in", { timeout: 120_000 }, async () => {
    if (python === undefined) throw new Error("expected a Python");
    const interpreter = await openEnvironment(python, "metrics");
    const { stdout } = await run(interpreter, [join(import.meta.dirname, "exposing.py")]);
    expect(stdout).toContain('path="C:\\\\dir \\"x\\"\\n"');
    expectRoundTrip(stdout);
    expectRoundTrip(stdout.trimEnd());
    // Windows' line ends are no part of a value.
    expect(seriesOf(parseExposition(stdout.replaceAll("\n", "\r\n")))).toEqual(seriesOf(parseExposition(stdout)));
  });
});

/** Base units, as Prometheus' practices want them, and what is not one. */
const inUnits = /_(seconds|bytes|ratio)$/;
const otherUnits = /_(ms|millis|milliseconds|minutes|hours|kb|mb|percent)$/;

describe.skipIf(clusterMissing())("MET-2 MET-4 what our programs expose", () => {
  let space: TestNamespace;
  let operator: OperatorProcess;
  let agent: AgentProcess;
  let registry: RegistryProcess;
  const texts = new Map<string, string>();

  beforeAll(async () => {
    space = await createNamespace("expositions");
    operator = await startOperator(cluster(), { namespaces: [space.name] });
    agent = await startAgentProcess(renderTestConfig());
    const isReady = async () => expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(200);
    await vi.waitFor(isReady, { timeout: 20_000 });
    const pods = ["research-1", "research-2"].map((pod) => {
      return { namespace: "local", instance: "ouranos", agent: "research", pod, adminUrl: agent.adminUrl };
    });
    const env = { PALLAS_SCRAPE_INTERVAL_MS: "200" };
    registry = await startRegistryProcess([localAgent("research")], env, pods);
    const hasPods = async () =>
      expect(await getText(`${registry.url}/metrics`)).toMatch(/process_cpu_seconds_total\{.*pod="research-2"/);
    await vi.waitFor(hasPods, { timeout: 20_000 });
    for (const [name, url] of [
      ["operator", operator.adminUrl],
      ["agent", agent.adminUrl],
      ["registry", registry.url],
    ] as const) {
      texts.set(name, await getText(`${url}/metrics`));
    }
  }, 60_000);
  afterAll(async () => {
    await registry.stop();
    await agent.stop();
    await operator[Symbol.asyncDispose]();
    await space.remove();
  });

  const programs = ["operator", "agent", "registry"];

  it.each(["operator", "agent"])("the %s's comes out as it went in", (name) => {
    const saidByRegistry = /^(?:# \w+ )?pallas_(?:up|agent_info)\b/;
    const lines = (texts.get(name) ?? "").split("\n").filter((line) => !saidByRegistry.test(line));
    expect(lines.length).toBeGreaterThan(50);
    expectRoundTrip(lines.join("\n"));
  });

  it("every line of the registry's is read", () => {
    const text = texts.get("registry") ?? "";
    expect(parseExposition(text).flatMap(({ samples }) => samples)).toHaveLength(lineCount(text));
  });

  it.each(programs)("the %s's has a HELP and a TYPE for each metric, once", (name) => {
    for (const { name: metric, type, help } of parseExposition(texts.get(name) ?? "")) {
      expect(help, `HELP of ${metric}`).toBeTruthy();
      expect(type, `TYPE of ${metric}`).not.toBe("untyped");
    }
  });

  it.each(programs)("the %s's own names say what they count, and in which unit", (name) => {
    const own = parseExposition(texts.get(name) ?? "").filter((family) => family.name.startsWith("pallas_"));
    const misnamed = own.filter(({ name: metric, type }) => {
      const isCounter = type === "counter";
      const hasUnit = type !== "histogram" || inUnits.test(metric);
      return metric.endsWith("_total") !== isCounter || !hasUnit || otherUnits.test(metric);
    });
    expect(misnamed.map(({ name: metric, type }) => `${metric} is a ${type}`)).toEqual([]);
    // The operator's names are those of controller-runtime.
    expect(own.length).toBeGreaterThan(name === "operator" ? -1 : 3);
  });

  it.each(programs)("promtool takes the %s's", needs("promtool"), (name) => {
    expect(runPromtool(["check", "metrics"], texts.get(name))).toBe("");
  });
});
