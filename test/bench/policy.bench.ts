// What a policy costs a call that it allows: the whole judging, from the call until its permit, in the gateway and in an agent, by 20 rules
// of which each is tried, with a kilobyte of arguments; and what hiding costs a list of 10,000 tools.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLiveConfig } from "../../agent-runtime/inputs/live-config.ts";
import { createPolicyGate } from "../../agent-runtime/policy/gate.ts";
import type { JudgedRun } from "../../agent-runtime/policy/types.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { createGatewayPolicy } from "../../gateway/policy/gateway-policy.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { JudgedRing } from "../../lib/policy/judged-ring.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { percentile, printReport, type Figure } from "./report.ts";
import { renderTriedRules, triedArguments } from "./tried-rules.ts";

const goalUs = 30;
const warmUps = 20_000;
const calls = 100_000;
const tools = 10_000;
const usPerMs = 1_000;

const rules = renderTriedRules("bank", "pay");
const args = { amount: 40, ...triedArguments };
const definition: ToolDescription = {
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } } },
  annotations: { destructiveHint: true },
};
const identity: Identity = { kind: "person", subject: "ann", name: "ann", groups: ["staff"], role: "caller" };
const log = createLogger({ logger: "bench", level: "ERROR" });
const { signal } = new AbortController();
const never = async () => {
  throw new Error("expected an allowed call");
};

let decisions = 0;
const count = () => void (decisions += 1);

/** Microseconds of each call, one after another. */
async function time(judge: () => Promise<boolean>): Promise<number[]> {
  decisions = 0;
  const times: number[] = [];
  for (let at = 0; at < warmUps + calls; at += 1) {
    const startedAt = performance.now();
    const isAllowed = await judge();
    const tookUs = (performance.now() - startedAt) * usPerMs;
    if (!isAllowed) throw new Error("expected a permit");
    if (at >= warmUps) times.push(tookUs);
  }
  if (decisions !== warmUps + calls) throw new Error(`expected each call to be judged, found ${decisions} decisions`);
  return times;
}

function measureHiding(hides: ReturnType<typeof gatewayPolicy.hides>): number {
  const names = Array.from({ length: tools }, (_, at) => `tool_${at}`);
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now();
    const shown = names.filter((name) => !hides("bank", name, () => ({ destructive: true })));
    if (shown.length !== tools) throw new Error("expected every tool to be shown");
    return performance.now() - startedAt;
  });
  return percentile(times, 0.5);
}

const policyResource = { metadata: { name: "gate", generation: 1 }, spec: { instanceRef: { name: "bench" }, rules } };
const gatewayPolicy = createGatewayPolicy({
  config: { policyRef: "gate" },
  state: { getPolicySource: () => policyResource, onChange: () => () => undefined },
  approvals: { ask: never, open: never, wait: never, use: never, decideAsCaller: never },
  metrics: { countPolicyDecision: count },
  log,
  clock,
});
const gatewayTimes = await time(async () => {
  const { answer } = await gatewayPolicy.judge({ server: "bank", definition, args, identity, signal });
  return answer === undefined;
});
const hidingMs = measureHiding(gatewayPolicy.hides(identity));

const folder = mkdtempSync(join(tmpdir(), "pallas-bench-"));
const path = join(folder, "live-config.json");
writeFileSync(path, JSON.stringify({ schema: 1, severalPods: false, policy: { name: "gate", generation: 1, rules } }));
const config = renderTestConfig({ policy: true });
const ring = new JudgedRing();
const gate = createPolicyGate({
  config,
  readLive: createLiveConfig(path, config, log),
  ask: never,
  record: ({ call, before, at }) => ring.add(call, before, at),
  count,
  log,
  clock,
});
const run: JudgedRun = {
  ...{ caller: "ann", role: "caller", chain: [], sessionHash: "a".repeat(64), signal },
  onWaiting: () => undefined,
};
const agentTimes = await time(async () => {
  const verdict = await gate.judge({ server: "bank", tool: "pay", args, definition, step: "step 1 (tool)" }, run);
  return verdict.go;
});
rmSync(folder, { recursive: true });
if (ring.size !== 500) throw new Error(`expected 500 calls to be kept for a trial, found ${ring.size}`);

const p50s = { gateway: percentile(gatewayTimes, 0.5), agent: percentile(agentTimes, 0.5) };
const show = (key: keyof typeof p50s, where: string, times: readonly number[]): Figure[] => [
  {
    key: `${key}P50Us`,
    label: `judging an allowed call in ${where}, p50`,
    value: p50s[key],
    unit: " µs",
    atMost: goalUs,
  },
  { key: `${key}P99Us`, label: "  p99", value: percentile(times, 0.99), unit: " µs" },
];
printReport({
  name: "policy",
  ratio: Math.max(p50s.gateway, p50s.agent) / goalUs,
  goal: 1,
  agents: 0,
  figures: [
    ...show("gateway", "the gateway", gatewayTimes),
    ...show("agent", "an agent", agentTimes),
    { key: "hidingMs", label: "hiding, for a list of 10,000 tools, p50", value: hidingMs, unit: " ms" },
  ],
  notes: [
    `The ratio is the worse median ÷ ${goalUs} µs. ${rules.length} rules, ${JSON.stringify(args).length} bytes of arguments.`,
    "An agent looks into its live configuration four times a second, and keeps the last 500 calls.",
  ],
});
