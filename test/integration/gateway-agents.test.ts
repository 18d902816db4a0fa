// The built gateway and built agents on a real API server, each with the tokens that it signs for their pods: the operator reads its
// keys and writes them into agents' live configurations, a gateway asks and aborts agents, and an agent finds its servers
// through the gateway. The kubelet's part, to mount configurations and to ask for tokens, is the test's.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { openGatewayCaller, type GatewayCaller } from "./gateway-caller.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { startToolServer } from "./local/tool-server.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";
import { startWire, type Wire } from "./wire.ts";

const patience = { timeout: 30_000 };
const program = join(import.meta.dirname, "../../dist/agent-runtime.js");
const names = ["clerk", "sleeper"] as const;
const addresses = { clerk: "10.9.9.9", sleeper: "10.9.9.10" } as const;
const access = [{ role: "admin", serviceAccount: { name: "on-call" } }];

describe.skipIf(clusterMissing())("MGM-1 a gateway and its agents, by tokens of the cluster", () => {
  let space: WatchedNamespace;
  let gateway: GatewayProcess;
  let model: Wire;
  let stopTools: () => void;
  let folder: string;
  let caller: GatewayCaller;
  const agents = new Map<string, AgentProcess>();

  const toGateway = () => [`pallas:${space.name}/team`];
  const toAgents = () => [`pallas-agents:${space.name}/team`];
  async function requestToken(account: string, spec: object): Promise<string> {
    const path = `/api/v1/namespaces/${space.name}/serviceaccounts/${account}/token`;
    const { status, body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
    if (status !== 201) throw new Error(`expected a token of ${account}, found ${status}: ${body}`);
    return JSON.parse(body).status.token;
  }
  const podOf = async (selector: string) => {
    const found = await space.kubectl("get", "pods", `--selector=pallas.helu.ca/${selector}`, "--output=json");
    const { name, uid } = JSON.parse(found).items[0].metadata;
    return { apiVersion: "v1", kind: "Pod", name, uid };
  };
  /** As the kubelet asks for the token of a pod that mounts one. */
  const requestAgentToken = async (name: string) =>
    requestToken(`${name}-agent`, { audiences: toGateway(), boundObjectRef: await podOf(`agent=${name}`) });
  const liveConfigOf = async (name: string) =>
    (await space.get("configmap", `${name}-live-config`)).data?.["live-config.json"] ?? "";
  const agentOf = (name: string): AgentProcess => {
    const found = agents.get(name);
    if (found === undefined) throw new Error(`expected an agent ${name}, found none`);
    return found;
  };
  const slice = async (name: (typeof names)[number]) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-by-hand`,
      labels: {
        "pallas.helu.ca/component": "agent",
        "pallas.helu.ca/agent": name,
        "pallas.helu.ca/instance": "team",
      },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: [addresses[name]], conditions: { ready: true }, targetRef: await podOf(`agent=${name}`) }],
  });

  async function startAgent(name: (typeof names)[number]): Promise<void> {
    const config = await readRunConfig(space, name);
    if (config === undefined) throw new Error(`expected a run configuration of ${name}, found none`);
    const env = { PALLAS_DRAIN_DELAY_MS: "0", PALLAS_POD_IP: addresses[name] };
    const started = await startAgentProcess(config, env, program);
    agents.set(name, started);
    const isReady = async () => (await fetch(`${started.adminUrl}/readyz`).catch(() => undefined))?.status === 200;
    await vi.waitUntil(isReady, patience);
  }

  async function startGatewayBeside(): Promise<GatewayProcess> {
    const token = await requestToken("team-gateway", { audiences: toAgents() });
    await writeFile(join(folder, "agents"), token, { mode: 0o600 });
    const network = names.flatMap((name) => [
      [`${name}.${space.name}.svc:8080`, Number(new URL(agentOf(name).url).port)],
      [`${addresses[name]}:9090`, Number(new URL(agentOf(name).adminUrl).port)],
    ]);
    await writeFile(join(folder, "network.json"), JSON.stringify(Object.fromEntries(network)));
    return await startGateway(space, "team", {
      flags: ["--import", join(import.meta.dirname, "pod-network.ts")],
      env: { PALLAS_AGENTS_TOKEN: join(folder, "agents"), POD_NETWORK: join(folder, "network.json") },
    });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-gateway-agents-"));
    const toolPort = await findFreePorts(1);
    stopTools = startToolServer(toolPort);
    // It never answers, so that there is something to abort.
    model = await startWire(() => undefined);
    space = await watchNamespace("gateway-agents");
    const servers = [{ name: "toolbox", url: `http://127.0.0.1:${toolPort}/mcp` }];
    const baseUrl = model.url.replace("/mcp", "/v1");
    const providers = [{ name: "mute", kind: "openai-compatible", baseUrl, requireListedModel: false }];
    await space.apply(
      instance({ gateway: { access }, servers, providers }),
      agent({ servers: [{ name: "toolbox" }] }, "clerk"),
      agent({ model: "mute.m" }, "sleeper"),
    );
    await space.kubectl("create", "serviceaccount", "on-call");
    for (const name of names) await space.waitFor("pallasagent", name, "condition=Available");
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    await Promise.all(names.map(startAgent));
    for (const name of names) await space.apply(await slice(name));
    gateway = await startGatewayBeside();
    caller = await openGatewayCaller(`${gateway.url}/mcp`, await requestToken("on-call", { audiences: toGateway() }));
  }, 240_000);
  afterAll(async () => {
    await caller?.close();
    await gateway?.[Symbol.asyncDispose]();
    await Promise.all([...agents.values()].map((each) => each.stop()));
    await space?.[Symbol.asyncDispose]();
    await model?.stop();
    stopTools?.();
    await rm(folder, { recursive: true, force: true });
  });

  it("the operator tells agents the keys that the API server publishes, and their pods hold one token, for the gateway", async () => {
    const read = async (path: string) => JSON.parse((await callApi(cluster(), { path })).body);
    const { issuer } = await read("/.well-known/openid-configuration");
    const { keys } = await read("/openid/v1/jwks");
    expect(parseLiveConfig(await liveConfigOf("clerk")).gateway).toEqual({
      issuer,
      audience: toAgents()[0],
      subject: `system:serviceaccount:${space.name}:team-gateway`,
      keys,
    });
    const { spec } = await space.get("pod", (await podOf("agent=clerk")).name);
    expect(spec).toMatchObject({ automountServiceAccountToken: false });
    expect(JSON.stringify(spec).match(/"serviceAccountToken":\{[^}]*\}/g)).toEqual([
      `"serviceAccountToken":{"audience":"${toGateway()[0]}","expirationSeconds":600,"path":"gateway"}`,
    ]);
  });

  it("an agent lets its gateway in once it is told of it, and nobody else", async () => {
    const ask = async (token?: string) =>
      (
        await fetch(`${agentOf("clerk").adminUrl}/runs`, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        })
      ).status;
    const own = await requestToken("team-gateway", { audiences: toAgents() });
    expect(await ask(own)).toBe(404);
    // As the kubelet does with the mounted ConfigMap.
    for (const name of names) await writeFile(agentOf(name).liveConfig, await liveConfigOf(name));
    await expect.poll(() => ask(own), patience).toBe(200);
    for (const token of [
      undefined,
      await requestToken("on-call", { audiences: toAgents() }),
      await requestToken("clerk-agent", { audiences: toAgents() }),
      await requestToken("team-gateway", { audiences: [`pallas-agents:${space.name}/other`] }),
      await requestToken("team-gateway", {}),
    ]) {
      expect(await ask(token)).toBe(401);
    }
  });

  it("MGM-3 a person prompts an agent, and aborts a call of another, through the gateway", async () => {
    const answer = async () =>
      JSON.stringify(await caller.call("agents_prompt", { agent_id: "clerk", message: "hello" }));
    await expect.poll(answer, patience).toContain("hello");
    const endless = caller.call("agents_prompt", { agent_id: "sleeper", message: "think" });
    // Closed with its caller where the test fails before its end.
    endless.catch(() => undefined);
    await expect.poll(() => caller.runsOf("sleeper"), patience).toHaveLength(1);
    const [run_id = ""] = await caller.runsOf("sleeper");
    expect(await caller.call("agents_abort_run", { agent_id: "sleeper", run_id })).toMatchObject({
      structuredContent: { aborted: 1 },
    });
    expect(JSON.stringify(await endless)).toMatch(/abort/i);
    await expect.poll(() => caller.runsOf("sleeper"), patience).toEqual([]);
  });

  it("MGM-4 SEC-1 an agent's own token leads to its servers, is nothing to the API server, and ends with the agent", async () => {
    const token = await requestAgentToken("clerk");
    const own = await openGatewayCaller(`${gateway.url}/mcp`, token);
    const { tools } = await own.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      "toolbox__now",
      "toolbox__roll_dice",
      "toolbox__word_count",
    ]);
    expect(await own.call("toolbox__word_count", { text: "three small words" })).toMatchObject({
      content: [{ type: "text", text: "3" }],
    });
    expect(JSON.stringify(await own.read("resource://compositor_meta/state/toolbox"))).toContain("running");
    await own.close();
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect((await callApi(cluster(), { method: "POST", path, body: {}, token })).status).toBe(401);

    const ask = async () =>
      (await fetch(`${gateway.url}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask()).not.toBe(401);
    await space.kubectl("delete", "pallasagent", "clerk");
    await expect.poll(ask, patience).toBe(401);
  });
});
