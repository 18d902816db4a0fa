import { describe, expect, test } from "vitest";
import { agentManifest } from "../../crds/agent.ts";
import type { HealthReport } from "../../crds/health.ts";
import { isSameHealth, renderAgentStatus, type StatusInput } from "./agent-status.ts";

const agent = agentManifest.parse({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasAgent",
  metadata: { name: "a" },
  spec: { instanceRef: { name: "i" } },
});
const health = (change: Partial<HealthReport> = {}): HealthReport => ({
  agent: "a",
  status: "ok",
  timestamp: "2026-01-01T00:00:00Z",
  providers: { openai: { ok: true, checkedAt: "2026-01-01T00:00:00Z" } },
  downstreams: {},
  ...change,
});
const input = (change: Partial<StatusInput> = {}): StatusInput => ({
  listed: { agent, file: "f", specChangedAt: "2026-01-01T00:00:00Z", url: "http://localhost:1/mcp" },
  model: "openai.x",
  state: { phase: "ready", pid: 1, adminUrl: "http://localhost:2", health: health() },
  waitsFor: [],
  now: "2026-01-02T00:00:00Z",
  ...change,
});
const told = (change: Partial<StatusInput>) => {
  const { conditions = [], ...status } = renderAgentStatus(input(change));
  return {
    ...status,
    ...Object.fromEntries(conditions.map(({ type, status: holds, message }) => [type, message || holds])),
  };
};

describe("OPR-3 an agent's status on this machine", () => {
  test("of one that is ready", () => {
    expect(told({})).toMatchObject({
      Accepted: "True",
      ReferencesResolved: "True",
      DependenciesReady: "True",
      Available: "True",
      Ready: "True",
      ModelHealthy: "True",
      DownstreamsReachable: "True",
      health: "ok",
      url: "http://localhost:1/mcp",
      readyReplicas: 1,
      replicas: 1,
    });
  });

  test.each([
    [
      "waits",
      { state: { phase: "waiting" as const }, waitsFor: ["b"] },
      { Ready: "waits for b", DependenciesReady: "waits for b" },
    ],
    ["starts", { state: { phase: "starting" as const, pid: 1 } }, { Ready: "its process is starting", replicas: 1 }],
    [
      "fails",
      { state: { phase: "failing" as const, detail: "crashed" } },
      { Ready: "crashed", health: "error", replicas: 0 },
    ],
    ["has no port", { state: undefined, portProblem: "taken" }, { Ready: "taken", Available: "taken" }],
  ])("of one that %s: not ready, and why", (_, change, expected) => {
    expect(told(change)).toMatchObject({ ...expected, readyReplicas: 0 });
  });

  test("HLT-6 health is beside readiness, and one that cannot be asked counts as error", () => {
    const sick = health({
      status: "degraded",
      providers: { openai: { ok: false, detail: "no such model", checkedAt: "" }, other: { ok: false, checkedAt: "" } },
      downstreams: { s: { ok: false, checkedAt: "" } },
    });
    expect(told({ state: { phase: "ready", pid: 1, health: sick } })).toMatchObject({
      Ready: "True",
      health: "degraded",
      ModelHealthy: "openai: no such model",
      DownstreamsReachable: "s",
    });
    expect(told({ state: { phase: "ready", pid: 1, health: "unreachable" } })).toMatchObject({
      Ready: "True",
      health: "error",
    });
  });

  test("a condition keeps its time until its status changes", () => {
    const previous = renderAgentStatus(input());
    const later = renderAgentStatus(input({ previous, state: { phase: "failing" }, now: "2026-01-03T00:00:00Z" }));
    const times = Object.fromEntries(
      (later.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
    expect(times).toMatchObject({ Accepted: "2026-01-02T00:00:00Z", Ready: "2026-01-03T00:00:00Z" });
  });
});

test("CAT-6 times alone are no change of health", () => {
  const later = health({ timestamp: "x", providers: { openai: { ok: true, checkedAt: "y" } } });
  expect(isSameHealth(health(), later)).toBe(true);
  expect(isSameHealth(health(), health({ status: "degraded" }))).toBe(false);
  expect(isSameHealth(health(), "unreachable")).toBe(false);
});
