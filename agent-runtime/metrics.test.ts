import { describe, expect, test } from "vitest";
import { agentMetricTypes, metricNames } from "../crds/metric-names.ts";
import { createAgentMetrics } from "./metrics.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";

const config = renderTestConfig({
  servers: [renderTestServer("argos", "http://argos/mcp")],
  agents: [renderTestSubAgent("archive", "http://archive/mcp")],
});
const create = () => createAgentMetrics({ config, port: 8080 });
const agent = 'agent="tech-research"';

/** Series by name and labels, of our own metrics. */
async function readSeries(metrics: ReturnType<typeof create>): Promise<Map<string, number>> {
  const { body } = await metrics.render();
  const lines = body.split("\n").filter((line) => line.startsWith("pallas_"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

describe("MET-2 series of an agent", () => {
  test("are there at zero before the first call, for all that is configured", async () => {
    const series = await readSeries(create());
    const expected = [
      ...["ok", "error", "cancelled", "invalid"].map(
        (outcome) => `pallas_send_message_total{${agent},outcome="${outcome}"}`,
      ),
      `pallas_send_message_duration_seconds_count{${agent}}`,
      ...["concurrent", "queued", "memory"].map((reason) => `pallas_refused_total{${agent},reason="${reason}"}`),
      ...["allow", "ask", "deny_continue", "deny_abort", "limited", "fault"].map(
        (decision) => `pallas_agent_policy_decisions_total{${agent},decision="${decision}"}`,
      ),
      `pallas_llm_turns_total{${agent},model="test"}`,
      ...["input", "output", "cache_read", "cache_write", "cache_hit", "reasoning"].map(
        (kind) => `pallas_llm_tokens_total{${agent},model="test",kind="${kind}"}`,
      ),
      ...["argos", "archive"].flatMap((server) => [
        ...["ok", "error", "cancelled"].map(
          (outcome) => `pallas_tool_calls_total{${agent},server="${server}",operation="tool",outcome="${outcome}"}`,
        ),
        `pallas_tool_call_duration_seconds_count{${agent},server="${server}",operation="tool"}`,
      ]),
    ];
    expect(expected.map((name) => [name, series.get(name)])).toEqual(expected.map((name) => [name, 0]));
    expect(series.get("pallas_up")).toBe(1);
    expect(series.get(`pallas_agent_info{${agent},port="8080"}`)).toBe(1);
  });

  test("have the types that registries hold them to", async () => {
    const { body } = await create().render();
    const types = [...body.matchAll(/^# TYPE (pallas_\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    const both = [
      [metricNames.up, "gauge"],
      [metricNames.agentInfo, "gauge"],
    ];
    expect(Object.fromEntries(types)).toEqual({ ...agentMetricTypes, ...Object.fromEntries(both) });
  });

  test("do not grow with what models and servers call themselves", async () => {
    const metrics = create();
    const before = (await readSeries(metrics)).size;
    for (let calls = 0; calls < 1_000; calls++) {
      metrics.countTurn({ model: `model-${calls}`, usage: { input: 1 } });
      metrics.countToolCall({ server: `server-${calls}`, operation: "tool", outcome: "ok", durationMs: 1 });
    }
    const series = await readSeries(metrics);
    expect(series.get(`pallas_llm_turns_total{${agent},model="other"}`)).toBe(1_000);
    expect(series.get(`pallas_tool_calls_total{${agent},server="other",operation="tool",outcome="ok"}`)).toBe(1_000);
    // One of turns, tokens and calls each, and one histogram.
    expect(series.size - before).toBe(3 + 16 + 3);
  });

  test("MET-3 buckets tell 61 s from 59 s and reach 30 minutes", async () => {
    const metrics = create();
    for (const durationMs of [59_000, 61_000, 1_799_000]) metrics.countCall({ outcome: "ok", durationMs });
    const series = await readSeries(metrics);
    const below = (le: string) => series.get(`pallas_send_message_duration_seconds_bucket{le="${le}",${agent}}`);
    expect([below("60"), below("90"), below("900"), below("1800")]).toEqual([1, 2, 2, 3]);
  });

  test("MET-3 each kind of token is counted as it comes, none twice", async () => {
    const metrics = create();
    metrics.countTurn({ model: "test", usage: { input: 5, output: 7, cache_hit: 11, reasoning: 3 } });
    metrics.countTurn({ model: "test", usage: { input: Number.NaN, output: -1 } });
    const series = await readSeries(metrics);
    const tokens = (kind: string) => series.get(`pallas_llm_tokens_total{${agent},model="test",kind="${kind}"}`);
    expect(["input", "output", "cache_read", "cache_write", "cache_hit", "reasoning"].map(tokens)).toEqual([
      5, 7, 0, 0, 11, 3,
    ]);
  });
});
