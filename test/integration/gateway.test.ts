// The built gateway on a real API server, with the account, rights and configuration that the operator made: whom it lets in
// by tokens that the API server signs, who loses access when account, agent or pod go, and what it writes.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { PallasAgent } from "../../crds/agent.ts";
import { apiVersion } from "../../crds/names.ts";
import { createClusterState } from "../../gateway/state/cluster-state.ts";
import { createGatewayMetrics } from "../../gateway/metrics.ts";
import { createClusterWrites } from "../../gateway/writes/cluster-writes.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport } from "../../lib/kube/transport.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { parseAgent } from "../../plan/parse.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const access = ["on-call", "second"].map((name) => ({ role: "admin", serviceAccount: { name } }));
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

describe.skipIf(clusterMissing())("MGM-1 SEC-1 the built gateway", () => {
  let space: WatchedNamespace;
  let gateway: GatewayProcess;
  let folder: string;

  beforeAll(async () => {
    space = await watchNamespace("gateway-program");
    await space.apply(instance({ gateway: { management: "readWrite", access } }), agent({}, "clerk"));
    for (const name of ["on-call", "second", "somebody"]) await space.kubectl("create", "serviceaccount", name);
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    await space.waitFor("pallasagent", "clerk", "condition=Available");
    folder = await mkdtemp(join(tmpdir(), "pallas-gateway-test-"));
    const network = join(folder, "network.json");
    // Nobody listens there.
    await writeFile(network, JSON.stringify({ "10.9.9.9:9090": 1 }));
    gateway = await startGateway(space, "team", {
      flags: ["--import", join(import.meta.dirname, "pod-network.ts")],
      env: { POD_NETWORK: network },
    });
  }, 120_000);
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const audience = () => `pallas:${space.name}/team`;
  async function requestToken(account: string, spec: object = { audiences: [audience()] }): Promise<string> {
    const path = `/api/v1/namespaces/${space.name}/serviceaccounts/${account}/token`;
    const { status, body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
    if (status !== 201) throw new Error(`expected a token of ${account}, found ${status}: ${body}`);
    return JSON.parse(body).status.token;
  }
  const ask = async (token?: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(initialize),
    });
    if (response.status === 200) {
      await response.body?.cancel();
      return "200";
    }
    return `${response.status} ${(await response.json()).error.message}`;
  };
  const statusAtApiServer = async (token: string) => {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    return (await callApi(cluster(), { method: "POST", path, body: {}, token })).status;
  };

  it("takes a person's token for its audience, which the API server does not", async () => {
    const token = await requestToken("on-call");
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
    expect(client.getServerVersion()?.name).toBe("pallas-management");
    await client.close();
    expect(await statusAtApiServer(token)).toBe(401);
  });

  it("takes no token of another audience, and none that the API server takes", async () => {
    expect(await ask()).toBe("401 Missing Authorization header");
    const ofServer = await requestToken("on-call", {});
    expect(await statusAtApiServer(ofServer)).toBe(201);
    expect(await ask(ofServer)).toBe("401 Invalid token");
    for (const audiences of [[`pallas:${space.name}/gaia`], [audience(), `pallas:${space.name}/gaia`]]) {
      expect(await ask(await requestToken("on-call", { audiences }))).toBe("401 Invalid token");
    }
    expect(await ask(await requestToken("somebody"))).toContain("403 this needs the role viewer");
  });

  it("knows an agent by its account, and its pod for as long as that is there", async () => {
    const ofAgent = "503 The agent clerk is not ready; try again later";
    expect(await ask(await requestToken("clerk-agent"))).toBe(ofAgent);
    const selector = "--selector=pallas.helu.ca/agent=clerk";
    const pods = JSON.parse(await space.kubectl("get", "pods", selector, "--output=json")).items;
    const { name, uid } = pods[0].metadata;
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
    const token = await requestToken("clerk-agent", { audiences: [audience()], boundObjectRef });
    // The stand-in for the kubelet gives pods an address that no slice may hold, so that there is none by itself.
    const slice = (endpoints: object[]) => ({
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
      endpoints,
    });
    expect(await ask(token)).toBe("401 Invalid token");
    const conditions = { ready: false }; // Nobody is there.
    await space.apply(slice([{ addresses: ["10.9.9.9"], conditions, targetRef: { kind: "Pod", name, uid } }]));
    await expect.poll(() => ask(token)).toBe(ofAgent);
    await space.apply(slice([]));
    await expect.poll(() => ask(token)).toBe("401 Invalid token");
  });

  it("takes no token of an account that has been deleted, or made again", async () => {
    const before = await requestToken("on-call");
    expect(await ask(before)).toBe("200");
    await space.kubectl("delete", "serviceaccount", "on-call");
    await expect.poll(() => ask(before)).toBe("401 Invalid token");
    await space.kubectl("create", "serviceaccount", "on-call");
    const after = await requestToken("on-call");
    await expect.poll(() => ask(after)).toBe("200");
    expect(await ask(before)).toBe("401 Invalid token");
  });

  it("MGM-3 may write agents, each by one call, and never one that was made anew under the name", async () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(await readFile(gateway.kubeconfigPath, "utf8"));
    const transport = createTransport({ kubeConfig, userAgent: "pallas-gateway" });
    const log = silentLog();
    const state = createClusterState({ transport, namespace: space.name, instance: "team", log });
    state.start();
    const metrics = createGatewayMetrics(() => ({
      countSessions: () => 0,
      countInFlight: () => 0,
      countTroubles: () => 0,
      observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
    }));
    const writesFor = createClusterWrites({
      transport,
      state,
      management: "readWrite",
      metrics,
      log,
      clock: systemClock,
    });
    const writes = writesFor({ kind: "person", subject: "somebody", name: "somebody", groups: [], role: "admin" });
    try {
      await expect.poll(() => state.observeUnready()).toBeUndefined();
      const made = agent({}, "scribe");
      const parsed = parseAgent({ ...made, metadata: { ...made.metadata, namespace: space.name } });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      await writes.agents.create(parsed.value);
      await expect(writes.agents.create(parsed.value)).rejects.toThrow('there is an agent "scribe" already');
      await expect.poll(() => state.getAgent("scribe")).toBeDefined();
      expect((await writes.agents.patch("scribe", { spec: { title: "Scribe" } })).spec.title).toBe("Scribe");
      await expect(writes.agents.patch("scribe", { spec: { title: 7 } })).rejects.toThrow("refused agent");
      await expect.poll(() => state.getAgent("scribe")?.spec.title).toBe("Scribe");
      const known = state.getAgent("scribe") ?? parsed.value;
      const writesOf = (agentAsKnown: PallasAgent) =>
        createClusterWrites({
          transport,
          state: {
            namespace: space.name,
            instance: "team",
            getAgent: () => agentAsKnown,
            listServers: () => [],
            getPolicy: () => undefined,
            listRegistrations: () => [],
            onChange: () => () => undefined,
          },
          management: "readWrite",
          metrics,
          log,
          clock: systemClock,
        })({ kind: "person", subject: "somebody", name: "somebody", groups: [] });
      const uid = "00000000-0000-4000-8000-000000000000";
      const stale = writesOf({ ...known, metadata: { ...known.metadata, uid } });
      // Two who looked at it at the same time: what the first has done stays.
      const [one, other] = [writesOf(known), writesOf(known)];
      await one.agents.patch("scribe", { spec: { description: "writes" } });
      await space.kubectl("annotate", "pallasagent", "scribe", "example.com/seen=yes");
      await expect(other.agents.patch("scribe", { spec: { description: "reads" } })).rejects.toThrow(
        "changed or replaced",
      );
      await expect.poll(() => state.getAgent("scribe")?.spec.description).toBe("writes");
      // What is no part of the spec is in nobody's way.
      expect((await writes.agents.patch("scribe", { spec: { title: null } })).spec).not.toHaveProperty("title");
      await expect(stale.agents.delete("scribe")).rejects.toThrow("changed or replaced meanwhile");
      await expect(stale.agents.patch("scribe", { spec: { title: "Other" } })).rejects.toThrow("replaced meanwhile");
      await writes.agents.delete("scribe");
      await expect.poll(() => state.getAgent("scribe")).toBeUndefined();
    } finally {
      await state.stop();
      await transport.close();
    }
  });

  it("MGM-3 may keep what is proposed for a policy, and put it in force, with the rights that it has", async () => {
    const spec = { instanceRef: { name: "team" }, rules: [], default: "ask" };
    await space.apply({ apiVersion, kind: "PallasPolicy", metadata: { name: "careful" }, spec });
    const connect = async (account: string) => {
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${await requestToken(account)}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
      onTestFinished(() => client.close());
      return async (name: string, args: Record<string, unknown>) => await client.callTool({ name, arguments: args });
    };
    const [first, second] = [await connect("on-call"), await connect("second")];
    const rules = [{ name: "reads", match: { tools: ["get_*"] }, action: "allow" }];
    const proposed = { policy: "careful", rules, reason: "reading is harmless" };
    const by = `system:serviceaccount:${space.name}:on-call`;
    const told = { structuredContent: { proposal: { by, rules, generation: 1 } } };
    await expect.poll(() => first("policy_propose", proposed)).toMatchObject(told);
    const { status } = await space.get("pallaspolicy", "careful");
    const [kept] = z.object({ proposals: z.array(z.looseObject({ id: z.string() })) }).parse(status).proposals;
    expect(kept).toMatchObject({ by, reason: "reading is harmless", rules });
    const approve = { proposal_id: kept?.id };
    expect(await first("policy_approve_proposal", approve)).toMatchObject({ isError: true });
    expect(await second("policy_approve_proposal", approve)).toMatchObject({
      structuredContent: { approved: kept?.id, generation: 2 },
    });
    expect((await space.get("pallaspolicy", "careful")).spec).toEqual({ instanceRef: { name: "team" }, rules });
    await expect.poll(async () => (await space.get("pallaspolicy", "careful")).status?.["proposals"] ?? []).toEqual([]);
  });

  it("OPR-9 asks for nothing that it may not have, and ends in good order", async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^rest_client_requests_total\{.*code="200".*\} [1-9]/m);
    expect(metrics).not.toMatch(/^rest_client_requests_total\{.*code="40[13]".*\} [1-9]/m);
    expect(await gateway.stop()).toBe(0);
  });
});
