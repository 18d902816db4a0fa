import { describe, expect, it } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";
import { isSameVerdict, judgeReport, judgeSilence } from "./verdict.ts";

const at = "2026-11-21T10:00:00Z";
const up = { ok: true, checkedAt: at };
const down = (detail?: string) => ({ ok: false, checkedAt: at, ...defined({ detail }) });
const report = (fields: Partial<HealthReport>): HealthReport => ({
  status: "ok",
  timestamp: at,
  agent: "research",
  providers: { openai: up },
  downstreams: {},
  ...fields,
});
const judge = (fields: Partial<HealthReport>) => {
  const { health, modelHealthy, downstreamsReachable } = judgeReport(report(fields));
  const render = ({ status, reason, message }: typeof modelHealthy) => `${status} ${reason} ${message}`;
  return [health, render(modelHealthy), render(downstreamsReachable)];
};

describe("HLT-6 from a report to conditions", () => {
  it("all well: both True, naming what was asked", () => {
    expect(judge({ downstreams: { neo4j: up, argos: up } })).toEqual([
      "ok",
      'True Healthy healthy: "openai"',
      'True Reachable reached: "argos", "neo4j"',
    ]);
  });

  it("no downstream used: reachable all the same", () => {
    expect(judge({})[2]).toBe("True Reachable uses none");
  });

  it("a provider that is down: named with its detail", () => {
    const providers = { openai: down("model 'x' not found"), google: down(), spare: up };
    expect(judge({ status: "degraded", message: "LLM: …", providers })).toEqual([
      "degraded",
      "False ProviderUnhealthy google; openai: model 'x' not found",
      "True Reachable uses none",
    ]);
  });

  it("downstreams that are down: each named, and the model stays healthy", () => {
    const downstreams = { neo4j: down("connection refused"), argos: down("HTTP 500"), docs: up };
    expect(judge({ status: "degraded", message: "Unreachable: argos, neo4j", downstreams })).toEqual([
      "degraded",
      'True Healthy healthy: "openai"',
      "False DownstreamsUnreachable argos: HTTP 500; neo4j: connection refused",
    ]);
  });

  it("an agent that cannot work: its own words", () => {
    expect(judge({ status: "error", message: "Secret llm/key is missing" })[1]).toBe(
      "False AgentFaulty Secret llm/key is missing",
    );
  });

  it("degraded by slowness alone: still healthy, with the remark", () => {
    expect(judge({ status: "degraded", message: "Slow answers: 70.1 s on average" })[1]).toBe(
      "True Healthy Slow answers: 70.1 s on average",
    );
  });

  it("an agent that cannot be asked: error, and both Unknown with the cause", () => {
    const verdict = judgeSilence(new Error("connect ECONNREFUSED"));
    expect(verdict.health).toBe("error");
    expect(verdict.modelHealthy).toEqual({
      status: "Unknown",
      reason: "AgentUnreachable",
      message: "its health cannot be read: connect ECONNREFUSED",
    });
    expect(verdict.downstreamsReachable).toEqual(verdict.modelHealthy);
  });
});

describe("HLT-6 a new verdict", () => {
  const slow = (seconds: string) => judgeReport(report({ status: "degraded", message: `Slow: argos (${seconds})` }));
  const failing = (name: string) => judgeReport(report({ status: "degraded", downstreams: { [name]: down() } }));

  it("is none where only times or durations moved", () => {
    expect(isSameVerdict(slow("2.3 s"), slow("12 s"))).toBe(true);
    const later = { ok: true, checkedAt: "2026-11-21T10:00:30Z" };
    const again = report({ timestamp: later.checkedAt, providers: { openai: later } });
    expect(isSameVerdict(judgeReport(report({})), judgeReport(again))).toBe(true);
  });

  it("is one where another part fails, even if the names differ by a number only", () => {
    expect(isSameVerdict(failing("worker-1"), failing("worker-2"))).toBe(false);
    expect(isSameVerdict(undefined, failing("worker-1"))).toBe(false);
    expect(isSameVerdict(undefined, undefined)).toBe(true);
  });
});
