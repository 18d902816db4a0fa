// The list of agents as people see it: what each is and does, to whom, and what reading it costs.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { resourceClients } from "../../../lib/mcp/resource-clients.fixture.ts";
import { hashArguments } from "../../../lib/policy/canonical-json.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { parseAgent } from "../../../plan/parse.ts";
import { agentManifestOf, sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";
import { CallTrend } from "../../servers/call-trend.ts";
import { createApprovalViews } from "../approvals/views.ts";
import { person, startManagement, type TestManagementOptions } from "../testing/management.ts";
import { readFamily } from "../testing/read-family.ts";
import { createTestState } from "../testing/test-state.ts";
import { paymentQuestion } from "../testing/questions.ts";
import { createAgentList, renderAgentList } from "./agent-list.ts";

const uri = "resource://agents/list";
const entries = z.array(z.looseObject({ id: z.string(), waiting: z.number() }));

async function start(options: TestManagementOptions = {}) {
  const management = await startManagement({ agents: [sampleAgent("boss"), sampleAgent("clerk")], ...options });
  onTestFinished(() => management.stop());
  return management;
}

const condition = (type: string, status: string, message: string) => ({
  ...{ type, status, reason: "Some", message, lastTransitionTime: "2026-01-01T00:00:00Z" },
});

function withStatus(name: string, status: object) {
  const parsed = parseAgent({ ...agentManifestOf(name), status });
  if (parsed.ok) return parsed.value;
  throw new Error(`expected an agent, found ${JSON.stringify(parsed.problems)}`);
}

test("MGM-2 an agent is listed with its model, its replicas, and why it is not ready or not well", async () => {
  const { connect } = await start({
    agents: [
      sampleAgent("new", { model: "slow", replicas: 0 }),
      withStatus("sick", {
        health: "degraded",
        conditions: [
          condition("Ready", "True", "serves"),
          condition("ModelHealthy", "True", "fine"),
          condition("DownstreamsReachable", "False", "bank: connection refused"),
        ],
      }),
      withStatus("well", {
        health: "ok",
        conditions: [condition("Ready", "True", "serves"), condition("ModelHealthy", "False", "as it was")],
      }),
    ],
  });
  const listed = entries.parse(await (await connect("viewer")).read(uri));
  expect(listed).toMatchObject([
    {
      id: "new",
      model: "slow",
      replicas: 0,
      ready: false,
      waiting: 0,
      reason: expect.stringContaining("not looked at"),
    },
    { id: "sick", model: "passthrough", replicas: 1, ready: true, reason: "bank: connection refused" },
    { id: "well", ready: true },
  ]);
  expect(listed[2]).not.toHaveProperty("reason");
  for (const field of ["runs", "last_call_at"]) expect(listed[0]).not.toHaveProperty(field);
});

test("MGM-2 an agent that is not ready is starting where what it waits for comes by itself", async () => {
  const at = (type: string, status: string, reason: string) => ({ ...condition(type, status, "why"), reason });
  const notReady = (name: string, ...parts: object[]) =>
    withStatus(name, { conditions: [at("Ready", "False", "NotReady"), ...parts] });
  const waits = at("DependenciesReady", "False", "WaitingForDependencies");
  const agents = [
    sampleAgent("new"),
    notReady("moving", at("Available", "False", "Progressing")),
    notReady("waiting", at("Available", "False", "Progressing"), waits),
    notReady("gave-up", at("Available", "False", "Unavailable"), waits),
    notReady("stalled", at("Available", "False", "Progressing"), at("Stalled", "True", "Faulty")),
    withStatus("refused", { conditions: [at("Ready", "False", "ApiError")] }),
    withStatus("serves", { conditions: [at("Ready", "True", "Ready"), at("Available", "False", "Progressing")] }),
  ];
  const { connect } = await start({ agents });
  const listed = entries.parse(await (await connect("viewer")).read(uri));
  const starting = listed.filter((each) => each["starting"] === true).map(({ id }) => id);
  expect(starting).toEqual(["moving", "new", "waiting"]);
});

test("MGM-2 calls that wait are counted for whoever may decide of them, and for nobody else", async () => {
  const { connect, approvals, admit } = await start();
  await approvals.open(paymentQuestion(), { agent: "clerk" });
  const policy = { name: "careful", generation: 1, approvers: ["treasury"] };
  const decided = await approvals.open(paymentQuestion({ sent: { amount: 41 } }), { agent: "clerk" });
  await approvals.open(paymentQuestion({ sent: { amount: 42 }, policy }), { agent: "clerk" });
  await approvals.open(paymentQuestion({ sent: { amount: 43 } }), {});
  const argumentsHash = `sha256:${hashArguments({ amount: 41 })}`;
  await approvals.decide(decided.metadata.name, { verdict: "denyContinue", argumentsHash }, person("admin"));
  admit("tess", { kind: "person", subject: "tess", name: "tess", groups: ["treasury"], role: "approver" });
  admit("no servers", person("approver", { servers: [] }));
  const countFor = async (caller: string) => {
    const client = await connect(caller);
    const listed = entries.parse(await client.read(uri));
    expect(await client.call("agents_list")).toMatchObject({ structuredContent: { agents: listed } });
    return listed.map(({ waiting }) => waiting);
  };
  expect(await countFor("viewer")).toEqual([0, 0]);
  expect(await countFor("approver")).toEqual([0, 1]);
  expect(await countFor("tess")).toEqual([0, 2]);
  expect(await countFor("no servers")).toEqual([0, 0]);
});

describe.each(resourceClients)("MGM-2 who subscribed to the list of agents, with $name", (kind) => {
  test("hears of calls that wait", async () => {
    const { url, approvals } = await start();
    const seeing = await kind.connect(url, "approver");
    onTestFinished(() => seeing.close());
    await seeing.subscribe([uri]);
    await approvals.open(paymentQuestion(), { agent: "clerk" });
    await vi.waitFor(() => expect(seeing.heard).toContain(uri), 5_000);
    expect(entries.parse(JSON.parse(await seeing.read(uri)))).toMatchObject([{ waiting: 0 }, { waiting: 1 }]);
  });
});

test("whoever follows the list hears of calls that were made, and of other numbers of runs, of many as of one", async () => {
  const clock = new ManualClock();
  const trend = new CallTrend(clock);
  const state = createTestState([sampleAgent("boss"), sampleAgent("clerk")]);
  const running = new Set<() => void>();
  const runs = {
    get: (agent: string) => (agent === "clerk" ? 2 : undefined),
    follow(listener: () => void) {
      running.add(listener);
      return () => void running.delete(listener);
    },
  };
  const parts = { state, views: { countForDecision: () => new Map() }, runs, trend, clock };
  const family = createAgentList(parts);
  const told = vi.fn();
  const stop = family.follow?.("", told);
  for (let n = 0; n < 50; n += 1) trend.countMessage({ agent: "boss", success: true });
  await clock.advance(10_000);
  expect(told).toHaveBeenCalledTimes(1);
  for (const tell of running) tell();
  expect(told).toHaveBeenCalledTimes(2);
  expect(await readFamily(family, person("viewer"))).toMatchObject([
    { id: "boss", last_call_at: "2026-01-01T00:00:00.000Z" },
    { id: "clerk", runs: 2 },
  ]);
  stop?.();
  trend.countMessage({ agent: "boss", success: true });
  await clock.advance(10_000);
  expect([told.mock.calls.length, running.size, clock.pending]).toEqual([2, 0, []]);
});

test("of 1,000 agents with 1,000 calls that wait the list costs less than 20 ms", async () => {
  const clock = new ManualClock();
  const state = createTestState(
    Array.from({ length: 1_000 }, (_, n) => sampleAgent(`a${n}`, { description: "Does something.".repeat(10) })),
    sampleInstance(),
  );
  const management = await start();
  const one = await management.approvals.open(paymentQuestion(), { agent: "clerk" });
  const list = Array.from({ length: 1_000 }, (_, n) => ({
    ...one,
    metadata: { ...one.metadata, name: `c${n}` },
    spec: { ...one.spec, agentRef: { name: `a${n}` } },
  }));
  const approvals = { ...management.approvals, list: () => list };
  const views = createApprovalViews({ approvals, state });
  const runs = { get: () => 1, follow: () => () => undefined };
  const read = () =>
    renderAgentList({ state, views, runs, trend: new CallTrend(clock), clock }, person("approver", { agents: ["a*"] }));
  expect(read().filter(({ waiting }) => waiting === 1)).toHaveLength(1_000);
  const times = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    JSON.stringify(read());
    return performance.now() - begun;
  });
  expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(20);
});
