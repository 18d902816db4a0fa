// The Grafana dashboard that the chart ships: every query is one that Prometheus takes, on metrics that exist.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listExposedMetrics } from "./exposed-metrics.ts";
import { needs } from "../tools/needs.ts";
import { runPromtool } from "./promtool.ts";
import { metricsIn } from "./rule-file.ts";

const panelSchema = z.object({
  id: z.number(),
  title: z.string(),
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  targets: z.array(z.object({ expr: z.string(), legendFormat: z.string().min(1) })).default([]),
});
const variableSchema = z.object({ name: z.string(), type: z.string(), definition: z.string().optional() });
const dashboardSchema = z.object({
  schemaVersion: z.literal(39),
  panels: z.array(panelSchema),
  templating: z.object({ list: z.array(variableSchema) }),
});

const path = join(import.meta.dirname, "../../charts/pallas/files/dashboard.json");
const { panels, templating } = dashboardSchema.parse(JSON.parse(readFileSync(path, "utf8")));
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const definitions = templating.list.flatMap(({ definition }) => definition ?? []);

describe("MET-5 the dashboard", () => {
  it("asks only for metrics that our programs expose", async () => {
    const exposed = await listExposedMetrics();
    const asked = [...queries.flatMap(metricsIn), ...definitions.map((text) => /\((\w+)/.exec(text)?.[1] ?? text)];
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it("uses no variable that it does not have", () => {
    const known = new Set(["__rate_interval", ...templating.list.map(({ name }) => name)]);
    const used = [...queries, ...definitions].flatMap((text) => [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name));
    expect(used.filter((name) => name === undefined || !known.has(name))).toEqual([]);
  });

  it("shows no panel over another, and each once", () => {
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  it("has only queries that Prometheus takes", needs("promtool"), () => {
    const folder = mkdtempSync(join(tmpdir(), "pallas-dashboard-"));
    const rules = queries.map((query, at) => ({
      record: `query_${at}`,
      expr: query.replaceAll("$__rate_interval", "5m").replaceAll(/\$\w+/g, ".*"),
    }));
    writeFileSync(join(folder, "rules.json"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const complaint = runPromtool(["check", "rules", join(folder, "rules.json")]);
    rmSync(folder, { recursive: true });
    expect(complaint).toBe("");
  });
});
