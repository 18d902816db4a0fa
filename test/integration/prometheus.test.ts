// The alerts in a real Prometheus that scrapes the real operator and registry, with seconds for minutes: every one fires
// and clears. What cannot be brought about in real programs within seconds comes from made-up series.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { alertCases } from "../monitoring/alert-cases.ts";
import { playSeries, type PlayedSeries } from "../monitoring/played-series.ts";
import { startPrometheus, type Alert, type PrometheusProcess } from "../monitoring/prometheus.ts";
import { runNotes } from "../rights/started.ts";
import { needs } from "../tools/needs.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

/** Brought about by real programs; all others are played. */
const real = new Set([
  ...["PallasRegistryDown", "PallasOperatorDown", "PallasOperatorNoLeader"],
  ...["PallasScrapeFailing", "PallasAgentDown"],
]);
const timeoutMs = 60_000;
const pollMs = 200;
const needed = needs("prometheus");
if (needed.skip) runNotes.noteLeftOut(import.meta.filename);

describe.skipIf(clusterMissing())("MET-5 the alerts in Prometheus", needed, () => {
  let space: TestNamespace;
  let agent: AgentProcess;
  let operator: OperatorProcess;
  let registry: RegistryProcess;
  let played: PlayedSeries;
  let server: PrometheusProcess;
  let ports: { operator: number; registry: number };

  const startOurOperator = () =>
    startOperator(cluster(), {
      namespaces: [space.name],
      env: {
        PALLAS_ADMIN_PORT: String(ports.operator),
        PALLAS_LEADER_ELECTION: "true",
        PALLAS_LEASE_NAMESPACE: space.name,
      },
    });
  const startOurRegistry = () =>
    startRegistryProcess(
      [localAgent("research")],
      { PALLAS_PORT: String(ports.registry), PALLAS_SCRAPE_INTERVAL_MS: "500", PALLAS_SCRAPE_TIMEOUT_MS: "400" },
      [{ namespace: "local", instance: "ouranos", agent: "research", pod: "research-1", adminUrl: agent.adminUrl }],
    );

  beforeAll(async () => {
    const first = await findFreePorts(2);
    ports = { operator: first, registry: first + 1 };
    space = await createNamespace("prometheus");
    agent = await startAgentProcess(renderTestConfig());
    [operator, registry] = await Promise.all([startOurOperator(), startOurRegistry()]);
    played = await playSeries(alertCases.filter(({ alert }) => !real.has(alert)));
    server = await startPrometheus([
      { job: "pallas-operator", url: operator.adminUrl },
      { job: "pallas", url: registry.url, honorLabels: true },
      { job: "played", url: played.url, honorLabels: true },
    ]);
  }, 90_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await played[Symbol.asyncDispose]();
    await registry.stop();
    await operator[Symbol.asyncDispose]();
    agent.kill("SIGCONT");
    await agent.stop();
    await space.remove();
  }, 60_000);

  const seen = new Map<string, Alert>();
  const patience = { timeout: timeoutMs, interval: pollMs };
  const firing = async () => (await server.firing()).map(({ name }) => name);
  const untilSeen = (names: readonly string[]) =>
    vi.waitFor(async () => {
      for (const alert of await server.firing()) seen.set(alert.name, alert);
      expect(names.filter((name) => !seen.has(name))).toEqual([]);
    }, patience);

  it("scrapes all three, and the agent's series through the registry", { timeout: timeoutMs }, async () => {
    const holds = async (expression: string, values: number[]) =>
      expect(await server.query(expression)).toEqual(values);
    await vi.waitFor(() => holds('up{job=~"pallas|pallas-operator|played"} == 1', [1, 1, 1]), { timeout: 30_000 });
    await vi.waitFor(() => holds('pallas_agent_health_status{agent="research",pod="research-1"}', [1]), {
      timeout: 30_000,
    });
    await vi.waitFor(() => holds('leader_election_master_status{job="pallas-operator"}', [1]), { timeout: 30_000 });
    await expect.poll(firing, patience).toEqual([]);
  });

  it("fires every alert", { timeout: 2 * timeoutMs }, async () => {
    played.isBad = true;
    agent.kill("SIGSTOP");
    const down = ["PallasRegistryDown", "PallasOperatorDown", "PallasOperatorNoLeader"];
    const names = alertCases.map(({ alert }) => alert);
    await untilSeen(names.filter((name) => !down.includes(name)));
    await Promise.all([registry.stop(), operator.stop()]);
    await untilSeen(names);
    expect([...seen.keys()].toSorted()).toEqual(names.toSorted());
  });

  it("has a whole text and a runbook for each", () => {
    for (const { name, annotations } of seen.values()) {
      for (const text of [annotations["summary"], annotations["description"]]) {
        expect(text, name).toBeTruthy();
        expect(text, name).not.toMatch(/<no value>|<error|\{\{|error executing/);
      }
      expect(annotations["runbook_url"]).toBe(`RUNBOOK_BASE_URL/${name}.md`);
    }
  });

  it("clears them all when everything is well again", { timeout: 2 * timeoutMs }, async () => {
    played.isBad = false;
    agent.kill("SIGCONT");
    [operator, registry] = await Promise.all([startOurOperator(), startOurRegistry()]);
    await expect.poll(firing, patience).toEqual([]);
  });
});
