// An agent that asks people before it pays, as it runs in a cluster: operator, agent, gateway and bridge as they are built, on a real API
// server, each with the configuration and the token that it has there; a tool server of its own behind the bridge, and a model
// that calls the tools it is told. The kubelet's part is done here: it starts programs, mounts what the operator writes and
// asks for tokens. Names and addresses of pods lead to this machine.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../../agent-runtime/testing/process.ts";
import { parseLiveConfig } from "../../../crds/run-config.ts";
import { startModelMock, type ModelMock } from "../../models/model-mock.ts";
import { agent, instance } from "../attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "../gateway-process.ts";
import { startBridge } from "../gateway-servers/bridge-process.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "../watched-namespace.ts";
import { bankServer, readPaid, type PaidCall } from "./bank.ts";
import { createNetwork, findPod, mountLiveConfig, requestToken, sliceOf } from "./kubelet.ts";
import { obey } from "./obeying-model.ts";

export interface AskingAgent extends AsyncDisposable {
  readonly space: WatchedNamespace;
  readonly gateway: GatewayProcess;
  readonly agent: AgentProcess;
  readonly model: ModelMock;
  /** Of the ServiceAccount on-call, an approver. */
  readonly token: string;
  /** The calls that reached the tool server. */
  received(): Promise<PaidCall[]>;
  /** Applies the agent's policy anew; resolves when it is mounted for the agent. */
  editPolicy(spec: object): Promise<void>;
  /** Applies the instance with other times to approve; the gateway is started anew with what the operator makes of it. */
  editTimeout(timeout: string): Promise<void>;
}

export interface AskingSpec {
  /** How long approvals wait. */
  readonly timeout: string;
  readonly policy: object;
  /** Further fields of the agent's spec. */
  readonly agent?: object;
}

const program = join(import.meta.dirname, "../../../dist/agent-runtime.js");
const podNetwork = join(import.meta.dirname, "../pod-network.ts");
const address = "10.9.9.9";
const patience = { timeout: 60_000, interval: 200 };

/** An agent `clerk` of the instance `team`, with the tool server `bank` and the policy `payments`. */
export async function startAskingAgent(prefix: string, spec: AskingSpec): Promise<AskingAgent> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), "pallas-asking-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const model = await startModelMock(obey);
    stack.defer(() => model.close());
    const space = stack.use(await watchNamespace(prefix));
    await applyTeam(space, model, spec);

    const journal = join(folder, "paid");
    await writeFile(join(folder, "bank.mjs"), bankServer);
    const bank = stack.use(await startBridge(space, "bank", [process.execPath, join(folder, "bank.mjs"), journal]));
    const network = createNetwork(join(folder, "network.json"));
    await network.lead(`bank-server.${space.name}.svc:8080`, bank.port);

    const pod = await findPod(space, "clerk");
    await space.apply(sliceOf(pod, "clerk", address));
    const toGateway = { audiences: [`pallas:${space.name}/team`], expirationSeconds: 7_200 };
    const ownToken = join(folder, "own-token");
    await writeFile(ownToken, await requestToken(space, "clerk-agent", { ...toGateway, boundObjectRef: pod }));
    const clerk = await startClerk(space, { POD_NETWORK: network.path, PALLAS_GATEWAY_TOKEN: ownToken });
    stack.defer(() => clerk.stop());
    await network.lead(`clerk.${space.name}.svc:8080`, portOf(clerk.url));
    await network.lead(`${address}:9090`, portOf(clerk.adminUrl));
    stack.use(mountLiveConfig(space, "clerk", clerk.liveConfig));

    const agentsToken = join(folder, "agents-token");
    await writeFile(
      agentsToken,
      await requestToken(space, "team-gateway", { audiences: [`pallas-agents:${space.name}/team`] }),
    );
    const openGateway = async () => {
      const started = await startGateway(space, "team", {
        flags: ["--import", podNetwork],
        env: { PALLAS_AGENTS_TOKEN: agentsToken, POD_NETWORK: network.path },
      });
      await network.lead(`team-gateway.${space.name}.svc:24300`, portOf(started.url));
      return started;
    };
    let gateway = await openGateway();
    let { timeout } = spec;
    stack.defer(() => gateway[Symbol.asyncDispose]());
    const token = await requestToken(space, "on-call", toGateway);
    const owned = stack.move();
    return {
      ...{ space, agent: clerk, model, token },
      get gateway() {
        return gateway;
      },
      received: () => readPaid(journal),
      async editPolicy(changed) {
        await space.apply(policy(changed));
        const { generation } = (await space.get("pallaspolicy", "payments")).metadata;
        const isMounted = async () => {
          const { policy: live } = parseLiveConfig(await readFile(clerk.liveConfig, "utf8"));
          return live !== undefined && "generation" in live && live.generation === generation;
        };
        await vi.waitUntil(isMounted, patience);
      },
      async editTimeout(wanted) {
        if (wanted === timeout) return;
        timeout = wanted;
        const before = JSON.stringify((await space.get("deployment", "team-gateway")).spec);
        await space.apply(team(model, timeout));
        const isWritten = async () => JSON.stringify((await space.get("deployment", "team-gateway")).spec) !== before;
        await vi.waitUntil(isWritten, patience);
        await gateway[Symbol.asyncDispose]();
        gateway = await openGateway();
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const portOf = (url: string) => Number(new URL(url).port);

const resource = (kind: string, name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind,
  metadata: { name },
  spec: { instanceRef: { name: "team" }, ...spec },
});
const policy = (spec: object) => resource("PallasPolicy", "payments", spec);

const team = (model: ModelMock, timeout: string) =>
  instance({
    defaultModel: "mock.m",
    providers: [{ name: "mock", kind: "openai-compatible", baseUrl: model.openaiUrl, requireListedModel: false }],
    gateway: {
      access: [{ role: "approver", serviceAccount: { name: "on-call" } }],
      approvals: { timeout },
    },
  });

async function applyTeam(space: WatchedNamespace, model: ModelMock, spec: AskingSpec): Promise<void> {
  await space.kubectl("create", "serviceaccount", "on-call");
  await space.apply(
    team(model, spec.timeout),
    policy(spec.policy),
    // Another program is started in its place.
    resource("PallasServer", "bank", { package: { kind: "npm", name: "bank" } }),
    agent({ servers: [{ name: "bank" }], policyRef: { name: "payments" }, ...spec.agent }, "clerk"),
  );
  await space.waitFor("pallasagent", "clerk", "condition=Available");
  await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
  await vi.waitUntil(async () => (await space.list("deployments")).includes("deployment.apps/bank-server"), patience);
}

/** The agent by its configuration; resolves when it is ready. */
async function startClerk(space: WatchedNamespace, env: Record<string, string>): Promise<AgentProcess> {
  const config = await readRunConfig(space, "clerk");
  if (config === undefined) throw new Error("expected a run configuration of clerk, found none");
  const ofPod = { PALLAS_DRAIN_DELAY_MS: "0", PALLAS_POD_IP: address };
  const flags = ["--import", podNetwork];
  const started = await startAgentProcess(config, { ...ofPod, ...env }, program, { flags });
  const isReady = async () => (await fetch(`${started.adminUrl}/readyz`).catch(() => undefined))?.status === 200;
  await vi.waitUntil(isReady, patience);
  return started;
}
