// BRR-2 over the shipped client code, from the tools of a run down to the HTTP request, with a scheduler in place of the
// network: it decides the order in which requests and answers of runs, retries, reconnects and probes arrive.
import fc from "fast-check";
import { expect, test } from "vitest";
import { probeMcp } from "../../lib/mcp/probe.ts";
import { defined } from "../../lib/process/defined.ts";
import { createMemoryBudget } from "../../lib/process/memory-budget.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createAccessTokens } from "../access-tokens.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { createTestLog } from "../testing/servers.ts";
import { createTokenWitness, toolFor, type Fault } from "../testing/token-witness.ts";
import { forwardsBearer } from "./headers.ts";
import { allowAll } from "../policy/allow-all.ts";
import { anonymous } from "../policy/types.ts";
import { createTools } from "./toolbox.ts";

const interleavings = 10_000;
const own = "Bearer configured";
const authorization = [{ name: "Authorization", value: own }];
const urlOf = (host: string) => `http://${host}/mcp`;
const whole = renderTestConfig({
  servers: [
    renderTestServer("modern", urlOf("modern"), { forwardInboundAuth: true }),
    renderTestServer("legacy", urlOf("legacy"), { forwardInboundAuth: true }),
    renderTestServer("plain", urlOf("plain")),
    renderTestServer("keyed", urlOf("keyed"), { forwardInboundAuth: true, headers: authorization }),
  ],
  agents: [
    renderTestSubAgent("trusted", urlOf("trusted"), { forwardInboundAuth: true }),
    renderTestSubAgent("stranger", urlOf("stranger")),
  ],
});
const servers = {
  modern: { era: "2026", expects: "caller" },
  legacy: { era: "2025", expects: "caller" },
  plain: { era: "2025", expects: "nothing" },
  keyed: { era: "2026", expects: own },
  trusted: { era: "2025", expects: "caller" },
  stranger: { era: "2026", expects: "nothing" },
} as const;
type Host = keyof typeof servers;

const hosts = fc.constantFrom<Host>("modern", "legacy", "legacy", "plain", "keyed", "trusted", "stranger");
const tokens = fc.constantFrom(undefined, "alpha", "beta", "gamma");
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("run" as const), token: tokens, host: hosts, twice: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("probe" as const), host: hosts }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(600, 61_000, 301_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancelled run" as const), token: tokens, host: hosts }) },
);
const faults = fc.array(
  fc.oneof(
    { weight: 7, arbitrary: fc.constant<Fault>("none") },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Fault>("session-lost", "reset", "reset-after", "unavailable", "unauthorized"),
    },
  ),
  { maxLength: 40 },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** An agent with no more than the servers of `steps`. */
function renderConfig(steps: readonly Step[]) {
  const used = new Set<string>(steps.flatMap((one) => ("host" in one ? one.host : [])));
  const isUsed = ({ name }: { name: string }) => used.has(name);
  return { ...whole, servers: whole.servers.filter(isUsed), agents: whole.agents.filter(isUsed) };
}

async function play(scheduler: fc.Scheduler, steps: readonly Step[], plan: readonly Fault[]) {
  const { log } = createTestLog("SILENT");
  const clock = new ManualClock();
  const config = renderConfig(steps);
  let planned = 0;
  const witness = createTokenWitness({
    servers,
    nextFault: () => plan[planned++] ?? "none",
    pass: (label) => scheduler.schedule(Promise.resolve(), label),
  });
  const { openFetch } = witness;
  const readSecret = async () => "none";
  const sources = { readSecret, tokens: createAccessTokens({ readSecret, clock }), readGatewayToken: readSecret };
  const tools = createTools({ config, sources, gate: allowAll, log, clock, openFetch });
  let answered = 0;

  const run = async (token: string | undefined, host: Host, calls: number, signal: AbortSignal) => {
    const identity = { requestId: "1", signal, calledBy: anonymous, ...defined({ bearer: token }) };
    const toolbox = await tools.open(identity).catch(() => undefined);
    if (toolbox === undefined) return;
    const names = toolbox.tools.map(({ name }) => name);
    for (const server of config.servers) {
      const visible = toolFor(forwardsBearer(server) ? token : server.name === "keyed" ? "configured" : undefined);
      const foreign = names.filter((name) => name.startsWith(`${server.name}__`) && !name.endsWith(`__${visible}`));
      if (foreign.length > 0) witness.wrongs.push(`${token} saw ${foreign.join()}`);
    }
    const route = names.find((name) => name.startsWith(`${host}__`));
    for (const name of Array.from({ length: route === undefined ? 0 : calls }, () => route ?? "")) {
      const holder = createMemoryBudget(1).open();
      const call = { signal, totalTimeoutMs: 60_000, onProgress: () => undefined, holder };
      const result = await toolbox
        .find(name)
        ?.call(token === undefined ? {} : { message: token }, call)
        .catch(() => undefined);
      if (result !== undefined) answered += 1;
    }
    toolbox.close();
  };
  const perform = async (one: Step) => {
    if (one.kind === "run") return run(one.token, one.host, one.twice ? 2 : 1, new AbortController().signal);
    if (one.kind === "wait") {
      await scheduler.schedule(Promise.resolve(), "wait");
      return clock.advance(one.ms);
    }
    if (one.kind === "probe") {
      const headers = one.host === "keyed" ? { Authorization: own } : {};
      return void (await probeMcp({
        url: urlOf(one.host),
        headers,
        timeoutMs: 60_000,
        forwardsInboundAuth: true,
        openFetch,
      }));
    }
    const controller = new AbortController();
    const running = run(one.token, one.host, 1, controller.signal);
    await scheduler.schedule(Promise.resolve(), "cancel");
    controller.abort(new Error("cancelled"));
    await running;
  };
  await scheduler.waitFor(Promise.all(steps.map(perform)));
  await scheduler.waitFor(tools.close());
  return { witness, answered };
}

test(
  `BRR-2 over ${interleavings} interleavings every server sees exactly the token of the call it serves`,
  { timeout: 600_000 },
  async () => {
    const total = { requests: 0, calls: 0, sessions: 0, lists: 0, probes: 0, answered: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 2, maxLength: 4 }),
        faults,
        async (scheduler, steps, plan) => {
          const { witness, answered } = await play(scheduler, steps, plan);
          expect(witness.wrongs).toEqual([]);
          for (const key of ["requests", "calls", "sessions", "lists", "probes"] as const) {
            total[key] += witness.counts[key];
          }
          total.answered += answered;
        },
      ),
      { numRuns: interleavings },
    );
    // What was asserted must have happened: calls that were answered, others that failed, sessions opened anew.
    expect(total.answered).toBeGreaterThan(interleavings);
    expect(total.calls).toBeGreaterThan(total.answered);
    expect(total.sessions).toBeGreaterThan(interleavings);
    expect(total.probes).toBeGreaterThan(interleavings / 10);
  },
);
