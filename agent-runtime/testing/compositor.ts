// A compositor behind the gate of an agent's policy, for tests: served as an agent's admin port does, with rules that can be others.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { LiveConfig, LivePolicy, RunServer } from "../../crds/run-config.ts";
import type { Action } from "../../lib/policy/rules.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createMemoryBudget } from "../../lib/process/memory-budget.ts";
import { createAccessTokens } from "../access-tokens.ts";
import { createApprovers } from "../approvals/ask-approval.ts";
import { createCompositor } from "../compositor/compositor.ts";
import type { OnCall } from "../compositor/count-call.ts";
import { renderInitial } from "../inputs/live-config.ts";
import { createPolicyGate } from "../policy/gate.ts";
import type { RecordedCall } from "../policy/types.ts";
import { renderTestConfig } from "./run-config.ts";
import { createTestLog } from "./servers.ts";

const deadlines = { connectMs: 5_000, listMs: 1_000, firstListMs: 500 };

interface CompositorOptions {
  /** Its rules at the start. */
  policy?: LivePolicy;
  /** Where it asks for approvals. */
  approvals?: LiveConfig["approvals"];
  /** Whose tokens prove for whom a gateway calls. */
  gateway?: LiveConfig["gateway"];
  clock?: Clock;
}

export const livePolicy = (rules: readonly object[], fallback?: Action, generation = 1): LivePolicy => ({
  name: "careful",
  generation,
  rules: [...rules],
  ...(fallback !== undefined && { default: fallback }),
});

/** In an agent it is behind the admin port, which lets nobody in but the gateway. */
export async function startCompositor(servers: RunServer[], options: CompositorOptions = {}) {
  const { clock = systemClock, policy, approvals, gateway } = options;
  const { log, lines } = createTestLog("DEBUG");
  const config = renderTestConfig({ servers, gateway: true });
  const readSecret = async () => "secret";
  const sources = { readSecret, tokens: createAccessTokens({ readSecret, clock }), readGatewayToken: readSecret };
  const memory = createMemoryBudget(64 * 1024 * 1024);
  const counted: object[] = [];
  const onCall: OnCall = ({ server, operation, outcome }) => void counted.push({ server, operation, outcome });
  let live: LiveConfig = {
    ...renderInitial(config),
    ...(policy && { policy }),
    ...(approvals && { approvals }),
    ...(gateway && { gateway }),
  };
  const readLive = async () => live;
  const approvers = createApprovers({ readLive, readGatewayToken: readSecret, log, clock: systemClock });
  const judged: RecordedCall[] = [];
  const decisions: string[] = [];
  const gate = createPolicyGate({
    config,
    readLive,
    ask: approvers.ask,
    record: (call) => void judged.push(call),
    count: (decision) => void decisions.push(decision),
    log,
    clock: systemClock,
  });
  const compositor = createCompositor({
    ...{ config, sources, memory, gate, readLive, onCall, log, clock, deadlines },
  });
  const server = await listen(compositor.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  return {
    url: `${server.url}/compositor/mcp`,
    ...{ memory, counted, lines, judged, decisions },
    /** Holds for calls at once, or a quarter of a second later. */
    setPolicy(next: LivePolicy | undefined) {
      const { policy: _, ...rest } = live;
      live = { ...rest, ...(next && { policy: next }) };
    },
    async stop() {
      await compositor.close();
      await approvers.close();
      await server.close({ graceMs: 0 });
    },
  };
}

/** A client of the 2026 era. */
export async function openCompositor(url: string, headers: Record<string, string> = {}) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    client,
    names: async () =>
      (await client.listTools(undefined, { cacheMode: "bypass" })).tools.map(({ name }) => name).toSorted(),
    call: async (name: string, args: Record<string, unknown> = {}) => await client.callTool({ name, arguments: args }),
    readState: async (server: string): Promise<object> => {
      const uri = `resource://compositor_meta/state/${server}`;
      const { contents } = await client.readResource({ uri }, { cacheMode: "bypass" });
      return JSON.parse(String(Reflect.get(Object(contents[0]), "text")));
    },
    stop: () => client.close(),
  };
}
