// The queries and alerts of the reference that Pallas was made to, word for word: dashboards of others use them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listExposedMetrics } from "./exposed-metrics.ts";
import { needs } from "../tools/needs.ts";
import { runPromtool } from "./promtool.ts";
import { metricsIn } from "./rule-file.ts";

const queries = [
  'sum by (agent) (rate(pallas_send_message_total{outcome="error"}[5m])) / sum by (agent) (rate(pallas_send_message_total[5m]))',
  "histogram_quantile(0.95, sum by (agent, le) (rate(pallas_send_message_duration_seconds_bucket[5m])))",
  "sum by (model, kind) (rate(pallas_llm_tokens_total[1h]))",
  'sum(rate(pallas_llm_tokens_total{kind="cache_read"}[5m])) / sum(rate(pallas_llm_tokens_total{kind=~"input|cache_read|cache_write"}[5m]))',
  "min by (server) (pallas_downstream_up) == 0",
  "pallas_llm_provider_up == 0",
  'up{job="pallas"} == 0',
  "pallas_downstream_up == 0",
  'rate(pallas_send_message_total{outcome="error"}[10m]) > 0.1',
  "histogram_quantile(0.95, sum by (agent, le) (rate(pallas_send_message_duration_seconds_bucket[10m]))) > 60",
  'sum(rate(pallas_llm_tokens_total{kind="output"}[1h])) > 500',
];

/** An hour in which everything that can fail does. */
const series = {
  'up{job="pallas",instance="r"}': "0x60",
  'pallas_llm_provider_up{agent="a",provider="p"}': "0x60",
  'pallas_downstream_up{agent="a",server="s"}': "0x60",
  'pallas_send_message_total{agent="a",outcome="ok"}': "0+30x60",
  'pallas_send_message_total{agent="a",outcome="error"}': "0+30x60",
  'pallas_send_message_duration_seconds_bucket{agent="a",le="60"}': "0x60",
  'pallas_send_message_duration_seconds_bucket{agent="a",le="90"}': "0+60x60",
  'pallas_send_message_duration_seconds_bucket{agent="a",le="+Inf"}': "0+60x60",
  'pallas_llm_tokens_total{agent="a",model="m",kind="input"}': "0+60000x60",
  'pallas_llm_tokens_total{agent="a",model="m",kind="cache_read"}': "0+60000x60",
  'pallas_llm_tokens_total{agent="a",model="m",kind="output"}': "0+60000x60",
};

describe("MET-2 MET-5 the reference's queries", () => {
  it("ask for metrics that our programs expose", async () => {
    const exposed = await listExposedMetrics();
    expect(queries.flatMap(metricsIn).filter((name) => !exposed.has(name))).toEqual([]);
  });

  it("each find something where there is something", needs("promtool"), () => {
    const folder = mkdtempSync(join(tmpdir(), "pallas-queries-"));
    const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const tests = queries.map((query) => ({
      interval: "1m",
      input_series: input,
      promql_expr_test: [
        { expr: `count(${query}) > bool 0`, eval_time: "60m", exp_samples: [{ labels: "{}", value: 1 }] },
      ],
    }));
    writeFileSync(join(folder, "queries.json"), JSON.stringify({ rule_files: [], tests }));
    const complaint = runPromtool(["test", "rules", join(folder, "queries.json")]);
    rmSync(folder, { recursive: true });
    expect(complaint).toBe("");
  });
});
