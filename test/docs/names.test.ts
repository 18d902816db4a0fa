// Names of metrics, alerts, variables and benchmarks that stand in the pages, against the code; and docs/metrics.md, which
// has every metric with its type and labels.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindNames } from "../../crds/kinds.ts";
import { podLabels } from "../../crds/metric-names.ts";
import { readRules } from "../monitoring/rule-file.ts";
import { pages, root } from "./pages.ts";
import { listRegisteredMetrics, type Program } from "./registered-metrics.ts";

const registered = await listRegisteredMetrics();
const all = Object.values(registered).flat();

/** `path: word` for every match in any page that is not among the known. */
function strangers(pattern: RegExp, isKnown: (word: string) => boolean): string[] {
  const found = pages.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([word]) => [path, word] as const));
  expect(found.length).toBeGreaterThan(10);
  return [...new Set(found.filter(([, word]) => !isKnown(word)).map(([path, word]) => `${path}: ${word}`))];
}

test("every metric that a page names is registered", () => {
  const series = new Set(
    all.flatMap(({ name, type }) => [
      name,
      ...(type === "histogram" ? ["bucket", "sum", "count"].map((end) => `${name}_${end}`) : []),
    ]),
  );
  // The last is what the chart's monitor of bridges says of them.
  const labels: ReadonlySet<string> = new Set([...podLabels, "pallas_server"]);
  const pattern = /\b(?:pallas|workqueue|controller_runtime|rest_client|leader_election|kubernetes)_[a-z_]*[a-z]\b/g;
  expect(strangers(pattern, (word) => series.has(word) || labels.has(word))).toEqual([]);
});

test("every alert that a page names is shipped", () => {
  const alerts = new Set(readRules().map(({ alert }) => alert));
  const kinds = kindNames.flatMap((kind) => [kind, `${kind}s`]);
  expect(strangers(/\bPallas[A-Z]\w+/g, (word) => alerts.has(word) || kinds.includes(word))).toEqual([]);
});

test("every variable of ours that a page names is read somewhere", () => {
  const folders = [
    "agent-runtime",
    "operator",
    "plan",
    "registry",
    "gateway",
    "bridge",
    "lib",
    "cli",
    "test/bench",
    "test/dashboard",
  ];
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => readFileSync(join(root, folder, path), "utf8")),
  );
  const read = new Set(
    sources.flatMap((text) => [...text.matchAll(/\b((?:PALLAS|BENCH)_[A-Z_]+)(?:: |"\])/g)].map(([, name]) => name)),
  );
  expect(strangers(/\b(?:PALLAS|BENCH)_[A-Z_]*[A-Z]\b/g, (word) => read.has(word))).toEqual([]);
});

test("docs/benchmarks.md names every benchmark and every variable of theirs", () => {
  const page = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
  const benchmarks = readdirSync(join(root, "test/bench")).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  expect(benchmarks.filter((name) => !page.includes(`**${name}**: `))).toEqual([]);
  const environment = readFileSync(join(root, "test/bench/environment.ts"), "utf8");
  const variables = [...environment.matchAll(/\b(BENCH_[A-Z_]+): /g)].map(([, name = ""]) => name);
  expect(variables.length).toBeGreaterThan(10);
  expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

const metricsPage = readFileSync(join(root, "docs/metrics.md"), "utf8");

/** The tables below a heading: name, type and labels of each row. */
function documented(heading: string): { name: string; type: string; labels: string[] }[] {
  const section = metricsPage.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([a-z_]+)` \| (\w+) \| ([^|]*) \|/gm)].map(
    ([, name = "", type = "", labels = ""]) => ({
      name,
      type,
      labels: [...labels.matchAll(/`([a-z_]+)`/g)].map(([, label = ""]) => label).toSorted(),
    }),
  );
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

test.each<[string, Program]>([
  ["Agents", "agent"],
  ["Registry", "registry"],
  ["Gateway", "gateway"],
  ["Bridges", "bridge"],
  ["Operator", "operator"],
])("docs/metrics.md has every metric under %s, and no other, with type and labels", (heading, program) => {
  // What only one of several programs asks of the API server is told once, under Operator.
  const own = registered[program].filter(({ name }) => program === "operator" || !isKernel(name));
  expect(documented(heading).toSorted(byName)).toEqual(own.toSorted(byName));
});

const isKernel = (name: string): boolean => registered.operator.some((metric) => metric.name === name);
