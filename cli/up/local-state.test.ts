import { expect, test } from "vitest";
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { localStateSchema } from "../../crds/local-state.ts";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { Board } from "./board.ts";
import { renderDesired } from "./desired.ts";
import { renderLocalState } from "./local-state.ts";
import { renderRegistrySettings } from "./programs.ts";
import { renderTable } from "./table.ts";

async function createRun() {
  const manifests = await readFolder({
    "a.yaml":
      instanceYaml() +
      agentYaml("boss", "agents: [{ name: worker }]") +
      agentYaml("worker") +
      agentYaml("bad", "model: nope.x"),
  });
  const desired = renderDesired(manifests, judge(manifests, { mode: "local" }, {}), {
    registryPort: 24_200,
    urlHost: "localhost",
    environment: {},
    portsBefore: new Map(),
    serverPorts: new Map<string, number>(),
    judgeProgram: () => "allowed" as const,
  });
  const board = new Board();
  board.set("default/worker", { phase: "starting", pid: 7, adminUrl: "http://127.0.0.1:1" });
  board.set("default/boss", { phase: "waiting", detail: "waits for worker" });
  return { desired, board };
}

test("CLI-1 the registry is told every accepted agent, and where to ask those that are ready", async () => {
  const { desired, board } = await createRun();
  const told = () =>
    localStateSchema.parse(
      renderLocalState({
        desired,
        board,
        registryUrl: "http://localhost:24200",
        previous: { agents: new Map(), servers: new Map() },
        now: "2026-01-01T00:00:00Z",
      }),
    );
  expect(told()).toMatchObject({
    endpoints: [],
    resources: [{ status: { agents: { total: 3, ready: 0 } } }, {}, {}, {}],
  });
  board.set("default/worker", { phase: "ready", pid: 7, adminUrl: "http://127.0.0.1:1" });
  const { resources, endpoints } = told();
  const agents = resources.filter(isOfKind(kinds.PallasAgent));
  const instances = resources.filter(isOfKind(kinds.PallasInstance));
  expect(endpoints).toEqual([
    { namespace: "default", instance: "i", agent: "worker", pod: "worker-7", adminUrl: "http://127.0.0.1:1" },
  ]);
  expect(instances[0]?.status).toMatchObject({ agents: { total: 3, ready: 1 }, specChangedAt: expect.any(String) });
  const messages = agents.map(({ metadata, status }) => [
    metadata.name,
    status?.conditions?.find(({ type }) => type === "Ready")?.message,
  ]);
  expect(Object.fromEntries(messages)).toEqual({
    boss: "waits for worker",
    worker: "",
    bad: expect.stringMatching(/^spec\.model: model "nope\.x": provider "nope" does not exist/),
  });
});

test("CLI-1 the table shows every accepted agent, and below why some are not ready", async () => {
  const { desired, board } = await createRun();
  board.set("default/worker", { phase: "failing", detail: "port 24203 is in use" });
  const reasons = [
    expect.stringMatching(/^ {2}bad: spec\.model: /),
    "  boss: waits for worker",
    "  worker: port 24203 is in use",
  ];
  const narrow = { isTerminal: true, hasColour: false, columns: 55 };
  expect(renderTable(desired, board, { ...narrow, columns: 56 })).toEqual([
    "AGENT   MODEL        STATUS   URL",
    "bad     nope.x       invalid  http://localhost:24201/mcp",
    "boss    passthrough  waiting  http://localhost:24202/mcp",
    "worker  passthrough  failing  http://localhost:24203/mcp",
    ...reasons,
  ]);
  expect(renderTable(desired, board, narrow)).toEqual([
    "bad  invalid  nope.x",
    "  http://localhost:24201/mcp",
    "boss  waiting  passthrough",
    "  http://localhost:24202/mcp",
    "worker  failing  passthrough",
    "  http://localhost:24203/mcp",
    ...reasons,
  ]);
  // A file is read with lines of any length.
  expect(renderTable(desired, board, { ...narrow, isTerminal: false })[0]).toMatch(/^AGENT/);
});

test("SEC-4 the registry accepts the hosts and origins that the instances name", async () => {
  const manifests = await readFolder({
    "a.yaml": instanceYaml(
      'http: { allowedHosts: [a.example], allowedOrigins: ["https://b.example"] }\nlogLevel: DEBUG',
    ),
  });
  const { checked } = judge(manifests, { mode: "local" }, {});
  expect(renderRegistrySettings(checked.instances, "127.0.0.1")).toEqual({
    PALLAS_ALLOWED_HOSTS: "a.example",
    PALLAS_ALLOWED_ORIGINS: "https://b.example",
    PALLAS_LOG_LEVEL: "DEBUG",
  });
  expect(renderRegistrySettings([], "192.168.1.5")).toMatchObject({
    PALLAS_ALLOWED_HOSTS: "192.168.1.5",
    PALLAS_LOG_LEVEL: "INFO",
  });
});
