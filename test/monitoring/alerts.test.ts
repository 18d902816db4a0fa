// The alerts that the chart ships: before Prometheus' rule tester, against the metrics that exist, and beside their runbooks.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertCases, leader, type AlertCase, type CaseSeries } from "./alert-cases.ts";
import { listExposedMetrics } from "./exposed-metrics.ts";
import { needs } from "../tools/needs.ts";
import { runPromtool } from "./promtool.ts";
import { metricsIn, readRules, rulesPath } from "./rule-file.ts";

const rules = readRules();
const names = rules.map(({ alert }) => alert);
/** Longer than any window and any `for` that follows it, but for the windows of an hour. */
const badMinutes = 80;
const clearMinutes = 80;

const minutesOf = (duration: string | undefined): number => Number(/^(\d+)m$/.exec(duration ?? "0m")?.[1]);

/** A value for each minute: at the limit, past it, at the limit again. */
function renderValues({ quiet, bad, isCounter }: CaseSeries, quietMinutes: number): string {
  let total = 0;
  const phases = [
    [quiet, quietMinutes],
    [bad, badMinutes],
    [quiet, clearMinutes + 1],
  ] as const;
  const render = (value: number | undefined) => {
    if (value === undefined) return "_";
    total += value;
    return String(isCounter === true ? total : value);
  };
  return phases.flatMap(([value, minutes]) => Array.from({ length: minutes }, () => render(value))).join(" ");
}

function renderTest({ alert, series, quietMinutes = 60 }: AlertCase): object {
  const wait = minutesOf(rules.find((rule) => rule.alert === alert)?.for);
  const isPlayed = series.some((own) => own.series === leader.series);
  const firing = (minute: number, isFiring: boolean) => ({
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minute}m`,
    exp_samples: isFiring ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
  });
  return {
    name: alert,
    interval: "1m",
    input_series: [...series, ...(isPlayed ? [] : [leader])].map((own) => ({
      series: own.series,
      values: renderValues(own, quietMinutes),
    })),
    promql_expr_test: [
      firing(quietMinutes - 1, false),
      ...(wait > 0 ? [firing(quietMinutes + wait - 1, false)] : []),
      firing(quietMinutes + badMinutes - 1, true),
      firing(quietMinutes + badMinutes + clearMinutes, false),
    ],
  };
}

describe("MET-5 the alerts, played by promtool", needs("promtool"), () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "pallas-alerts-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are rules that Prometheus takes", () => {
    expect(runPromtool(["check", "rules", rulesPath])).toBe("");
  });

  it.each(alertCases)(
    "$alert keeps quiet at its limit, fires past it and not before its time, and clears",
    (played) => {
      const file = join(folder, `${played.alert}.json`);
      const test = { rule_files: [rulesPath], evaluation_interval: "1m", tests: [renderTest(played)] };
      writeFileSync(file, JSON.stringify(test));
      expect(runPromtool(["test", "rules", file])).toBe("");
    },
  );
});

describe("MET-3 MET-5 the alerts", () => {
  it("are each played once", () => {
    expect(alertCases.map(({ alert }) => alert).toSorted()).toEqual(names.toSorted());
  });

  it("ask only for metrics that our programs expose", async () => {
    const exposed = await listExposedMetrics();
    const asked = rules.flatMap(({ expr }) => metricsIn(expr));
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it("have a runbook each, and there is no runbook without an alert", () => {
    const pages = readdirSync(join(import.meta.dirname, "../../docs/runbooks"));
    expect(pages.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
    for (const { alert, annotations } of rules) expect(annotations.runbook_url).toBe(`RUNBOOK_BASE_URL/${alert}.md`);
  });

  it("are among them those of the mission, as they stand there", () => {
    const shipped = rules.map(({ expr, for: wait }) => `${expr.trim()} for ${wait}`);
    expect(shipped).toEqual(
      expect.arrayContaining([
        'up{job="pallas"} == 0 for 1m',
        "pallas_llm_provider_up == 0 for 5m",
        "pallas_downstream_up == 0 for 10m",
      ]),
    );
  });
});

describe("metricsIn", () => {
  it.each([
    ['sum by (agent) (rate(a_total{outcome="error, b_total"}[5m])) / sum(c_total) > 0.1', ["a_total", "c_total"]],
    ["a unless on (b) group by (b) (c) or absent(d == 1) offset 1h", ["a", "c", "d"]],
  ])("%s", (expression, found) => {
    expect(metricsIn(expression)).toEqual(found);
  });
});
