// The built gateway on the API server of the tests, and an agent's way to ask there with the token of its pod: what it asks
// about waits for a person, and then its tool server is called, which notes what reaches it. The kubelet's part is done here.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApprovers } from "../../agent-runtime/approvals/ask-approval.ts";
import { connectMcp } from "../../lib/mcp/connect.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import { staticTools, type ToolEntry } from "../../lib/mcp/table.ts";
import { hashArguments } from "../../lib/policy/canonical-json.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

export interface AskingAgent extends AsyncDisposable {
  readonly space: WatchedNamespace;
  readonly gateway: GatewayProcess;
  /** Arguments of the calls that reached the tool server. */
  readonly paid: unknown[];
  /** Of the ServiceAccount on-call, an approver. */
  readonly token: string;
  /** Asks, and calls the tool if somebody approves: its text, or why it was not called. */
  pay(amount: number): Promise<string>;
}

const log = createLogger({ logger: "test", level: "SILENT" });

/** A server `bank` with a tool `pay`, on the network. */
async function startBank(paid: unknown[]) {
  const pay: ToolEntry = {
    name: "pay",
    description: "Pays an amount.",
    inputSchema: { type: "object" },
    call: async (args) => {
      paid.push(args);
      return { content: [{ type: "text", text: `paid ${String(args["amount"])}` }] };
    },
  };
  const table = { server: { name: "bank", version: "1" }, tools: staticTools([pay]), prompts: [] };
  const sessions = { idleTtlMs: 3_600_000, max: 100 };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions });
  const app = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  return {
    url: `http://127.0.0.1:${app.port}/mcp`,
    async stop() {
      await endpoint.close();
      await app.close({ graceMs: 0 });
    },
  };
}

/** An agent `clerk` of the instance `team`, whose payments wait for `timeout`. */
export async function startAskingAgent(prefix: string, timeout: string): Promise<AskingAgent> {
  const paid: unknown[] = [];
  const stack = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), "pallas-asking-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const bank = await startBank(paid);
    stack.defer(() => bank.stop());
    const space = stack.use(await watchNamespace(prefix));
    const access = [{ role: "approver", serviceAccount: { name: "on-call" } }];
    await space.apply(instance({ gateway: { access, approvals: { timeout } } }), agent({}, "clerk"));
    await space.kubectl("create", "serviceaccount", "on-call");
    await space.waitFor("pallasagent", "clerk", "condition=Available");
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    const pod = await podOf(space);
    await space.apply(sliceOf(pod));
    const agentsToken = join(folder, "agents-token");
    await writeFile(
      agentsToken,
      await requestToken(space, "team-gateway", { audiences: [`pallas-agents:${space.name}/team`] }),
    );
    const gateway = stack.use(await startGateway(space, "team", { env: { PALLAS_AGENTS_TOKEN: agentsToken } }));
    const audiences = [`pallas:${space.name}/team`];
    const token = await requestToken(space, "on-call", { audiences });
    const own = await requestToken(space, "clerk-agent", {
      audiences,
      boundObjectRef: pod,
      expirationSeconds: 7_200,
    });
    const approvers = createApprovers({
      readLive: async () => ({
        schema: 1,
        severalPods: false,
        approvals: { url: gateway.url, timeoutMs: 900_000 },
      }),
      readGatewayToken: async () => own,
      log,
      clock: systemClock,
    });
    stack.defer(() => approvers.close());
    const owned = stack.move();
    return {
      ...{ space, gateway, paid, token },
      pay: (amount) => payAsked(amount, approvers, bank.url),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function payAsked(amount: number, { ask }: Pick<ReturnType<typeof createApprovers>, "ask">, bankUrl: string) {
  const args = { amount };
  const { signal } = new AbortController();
  const run = {
    caller: "anonymous",
    role: "none",
    chain: [],
    sessionHash: "0".repeat(64),
    signal,
    onWaiting: () => undefined,
  };
  const outcome = await ask(
    {
      ...{ sessionHash: run.sessionHash, caller: run.caller, chain: [{ agent: "clerk", caller: run.caller }] },
      ...{ server: "bank", tool: "pay", toolHash: `sha256:${"a".repeat(64)}`, hints: { destructive: true } },
      ...{ argumentsHash: `sha256:${hashArguments(args)}`, arguments: JSON.stringify(args), redacted: [] },
      policy: { name: "payments", generation: 1, rule: "pay", reason: "a person looks at payments" },
    },
    run,
  );
  if (outcome.kind === "denied") return outcome.reason;
  if (outcome.decision.verdict !== "approve") return `${outcome.decision.verdict}: ${outcome.decision.reason ?? ""}`;
  const connection = await connectMcp({
    url: bankUrl,
    clientName: "clerk",
    clientVersion: "1",
    connectTimeoutMs: 10_000,
    signal,
  });
  try {
    return JSON.stringify((await connection.callTool("pay", args, { signal, idleTimeoutMs: 10_000 })).content);
  } finally {
    await connection.close();
  }
}

async function podOf(space: WatchedNamespace): Promise<object> {
  const pods = JSON.parse(await space.kubectl("get", "pods", "-l", "pallas.helu.ca/agent=clerk", "-o", "json"));
  const { name, uid } = pods.items[0].metadata;
  return { apiVersion: "v1", kind: "Pod", name, uid };
}

/** By it the gateway knows the agent's pod, whose token it believes. */
const sliceOf = (targetRef: object) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: "clerk-by-hand",
    labels: {
      "pallas.helu.ca/component": "agent",
      "pallas.helu.ca/agent": "clerk",
      "pallas.helu.ca/instance": "team",
    },
  },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.9.9.9"], conditions: { ready: true }, targetRef }],
});

async function requestToken({ name }: WatchedNamespace, account: string, spec: object): Promise<string> {
  const path = `/api/v1/namespaces/${name}/serviceaccounts/${account}/token`;
  const { status, body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
  if (status !== 201) throw new Error(`expected a token of ${account}, found ${status}: ${body}`);
  return JSON.parse(body).status.token;
}
