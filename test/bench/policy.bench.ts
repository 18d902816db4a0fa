// What a policy costs a call that it allows: the whole judging in the gateway, from the call until its permit, by 20 rules of which each is
// tried, with a kilobyte of arguments; and what hiding costs a list of 10,000 tools.
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { createGatewayPolicy } from "../../gateway/policy/gateway-policy.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { percentile, printReport } from "./report.ts";

const goalUs = 30;
const warmUps = 20_000;
const calls = 100_000;
const tools = 10_000;
const usPerMs = 1_000;

const ruleOf = (at: number) => ({
  name: `rule-${at}`,
  match: { servers: ["b*"], tools: ["p*y"], args: [{ path: `/meta/field-${at}`, glob: "*nothing like it*" }] },
  action: "denyAbort",
});
const rules = [
  ...Array.from({ length: 18 }, (_, at) => ruleOf(at)),
  { name: "destructive", match: { servers: ["files"], hints: { destructive: true } }, action: "ask" },
  { name: "rest", action: "allow", limit: { perDay: 1_000_000 } },
];
const fields = Array.from({ length: 20 }, (_, at) => [`field-${at}`, `a value of some length, number ${at}`]);
const args = { amount: 40, meta: Object.fromEntries(fields) };
const identity: Identity = { kind: "person", subject: "ann", name: "ann", groups: ["staff"], role: "caller" };
const definition: ToolDescription = {
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } } },
  annotations: { destructiveHint: true },
};

const never = async () => {
  throw new Error("expected an allowed call");
};
const policyResource = { metadata: { name: "gate", generation: 1 }, spec: { instanceRef: { name: "bench" }, rules } };
let decisions = 0;
const policy = createGatewayPolicy({
  config: { policyRef: "gate" },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a resource is nothing to the policy
  state: { getPolicy: () => policyResource as never, onChange: () => () => undefined },
  approvals: { ask: never, open: never, wait: never, use: never, decideAsCaller: never },
  metrics: { countPolicyDecision: () => void (decisions += 1) },
  log: createLogger({ logger: "bench", level: "ERROR" }),
  clock,
});
const { signal } = new AbortController();

const times: number[] = [];
for (let at = 0; at < warmUps + calls; at += 1) {
  const startedAt = performance.now();
  const { answer } = await policy.judge({ server: "bank", definition, args, identity, signal });
  const tookUs = (performance.now() - startedAt) * usPerMs;
  if (answer !== undefined) throw new Error("expected a permit");
  if (at >= warmUps) times.push(tookUs);
}
if (decisions !== warmUps + calls) throw new Error(`expected each call to be judged, found ${decisions} decisions`);

const names = Array.from({ length: tools }, (_, at) => `tool_${at}`);
const listTimes = Array.from({ length: 50 }, () => {
  const startedAt = performance.now();
  const hides = policy.hides(identity);
  const shown = names.filter((name) => !hides("bank", name, () => ({ destructive: true })));
  if (shown.length !== tools) throw new Error("expected every tool to be shown");
  return performance.now() - startedAt;
});

const p50 = percentile(times, 0.5);
printReport({
  name: "policy",
  ratio: p50 / goalUs,
  goal: 1,
  agents: 0,
  figures: [
    {
      key: "gatewayP50Us",
      label: "judging an allowed call in the gateway, p50",
      value: p50,
      unit: " µs",
      atMost: goalUs,
    },
    { key: "gatewayP99Us", label: "  p99", value: percentile(times, 0.99), unit: " µs" },
    {
      key: "hidingMs",
      label: "hiding, for a list of 10,000 tools, p50",
      value: percentile(listTimes, 0.5),
      unit: " ms",
    },
  ],
  notes: [
    `The ratio is the median ÷ ${goalUs} µs. ${rules.length} rules, ${JSON.stringify(args).length} bytes of arguments.`,
  ],
});
