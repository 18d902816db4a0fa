// The built gateway before tool servers and a directory on a real API server: servers that are applied come to its REST and its
// WebSocket, a changed tool stays hidden over its restart, the tester's own servers are resources while they are tried, and what
// is registered is alive after its restart though beats write nothing. Bridges are processes in place of their pods.
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiPath } from "../../gateway/rest/described-route.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { instance } from "./attacks/manifests.ts";
import { startBridge, type BridgeProcess } from "./gateway-servers/bridge-process.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const patience = { timeout: 30_000 };
const gatewaySpec = { management: "readWrite", access: [{ role: "admin", serviceAccount: { name: "on-call" } }] };
const changing = join(import.meta.dirname, "gateway-servers/changing-server.ts");
const notes = (spec: object = {}) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasServer",
  metadata: { name: "notes" },
  spec: {
    ...{ instanceRef: { name: "team" }, package: { kind: "npm", name: "notes", version: "1.0.0" } },
    ...{ listed: true, pin: "block", ...spec },
  },
});
/** As nobody's serialiser writes it. */
const cardText =
  '{ "serverInfo":{"name":"Far","version":"1.0"}, "x":[1.0,-0], "2":0, "1":0, "endpoints":{"streamableHttp":"https://far.example.com/mcp"} }';

describe.skipIf(clusterMissing())("DSC-8 a gateway before tool servers and a directory", () => {
  let space: WatchedNamespace;
  let gateway: GatewayProcess;
  let folder: string;
  let health: Server;
  let token: string;
  const bridges: BridgeProcess[] = [];
  const network: Record<string, number> = {};

  const hostOf = (name: string) => `${name}-server.${space.name}.svc:8080`;
  const isDeployed = async (name: string) =>
    (await space.list("deployments")).includes(`deployment.apps/${name}-server`);
  async function runBridge(name: string): Promise<void> {
    const bridge = await startBridge(space, name, [process.execPath, changing, join(folder, "description")]);
    bridges.push(bridge);
    await writeFile(join(folder, "network.json"), JSON.stringify({ ...network, [hostOf(name)]: bridge.port }));
    network[hostOf(name)] = bridge.port;
  }
  const describeTool = (text: string) => writeFile(join(folder, "description"), text);
  async function ask(method: string, path: string, body?: object | string) {
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text === "" ? undefined : JSON.parse(text) };
  }
  /** Unlike fetch, it sends any Host. */
  async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
    const answered = request(`${gateway.url}${path}`, { method, headers }).end();
    const [answer]: IncomingMessage[] = await once(answered, "response");
    answer?.resume();
    return answer?.statusCode;
  }
  /** Asked now, since in the background it is asked once a minute. */
  const listAnew = async () => (await ask("POST", "/api/servers/notes/health")).body.status;
  const call = async () => (await ask("POST", "/api/servers/notes/call", { tool: "echo", args: { a: 1 } })).status;
  const specOf = async (name: string) => (await space.get("pallasserver", name)).spec;
  /** What it was asked for by the gateway, by the method. */
  async function countWrites(): Promise<number> {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    const counts = metrics.matchAll(/^rest_client_requests_total\{.*method="(?:POST|PUT|PATCH|DELETE)".*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  async function restart(): Promise<void> {
    gateway = await gateway.restart();
  }
  async function follow() {
    const encoded = Buffer.from(token).toString("base64url");
    const protocols = ["pallas.v1", `base64url.bearer.authorization.pallas.${encoded}`];
    const socket = new WebSocket(gateway.url.replace("http", "ws"), protocols);
    const heard: Record<string, unknown>[] = [];
    socket.addEventListener("message", ({ data }) => void heard.push(JSON.parse(String(data))));
    await once(socket, "open");
    return { heard, close: () => socket.close() };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-gateway-servers-"));
    await describeTool("Says it again.");
    await writeFile(join(folder, "network.json"), "{}");
    health = createServer(({ url = "" }, response) => {
      const isThere = Object.hasOwn(network, hostOf(url.split("/").at(-1) ?? ""));
      response.end(JSON.stringify({ status: isThere ? "ok" : "starting", processes: 1 }));
    }).listen(0, "127.0.0.1");
    await once(health, "listening");
    const address = health.address();
    if (address === null || typeof address === "string") throw new Error("expected a TCP port");
    space = await watchNamespace("gateway-servers", {
      PALLAS_BRIDGE_HEALTH_URL: `http://127.0.0.1:${address.port}/{namespace}/{name}`,
      PALLAS_HEALTH_INTERVAL_MS: "1000",
    });
    await space.apply(instance({ gateway: gatewaySpec }));
    await space.kubectl("create", "serviceaccount", "on-call");
    const path = `/api/v1/namespaces/${space.name}/serviceaccounts/on-call/token`;
    const spec = { audiences: [`pallas:${space.name}/team`] };
    const { body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
    token = JSON.parse(body).status.token;
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    gateway = await startGateway(space, "team", {
      flags: ["--import", join(import.meta.dirname, "pod-network.ts")],
      env: { POD_NETWORK: join(folder, "network.json") },
    });
  }, 120_000);
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await Promise.all(bridges.map((each) => each[Symbol.asyncDispose]()));
    await space?.[Symbol.asyncDispose]();
    health?.closeAllConnections();
    health?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("DSC-10 lists and calls what is applied, and says each change over its WebSocket", async () => {
    const { heard, close } = await follow();
    await space.apply(notes());
    await expect.poll(() => isDeployed("notes"), patience).toBe(true);
    await runBridge("notes");
    await space.waitFor("pallasserver", "notes", "condition=Ready");
    await expect.poll(listAnew, patience).toBe("healthy");
    expect((await ask("GET", "/api/servers")).body).toMatchObject([
      { name: "notes", source: "manual", command: "npx", active: true, listed: true, health_status: "healthy" },
    ]);
    expect((await ask("POST", "/api/servers/notes/call", { tool: "echo", args: { a: 1 } })).body).toMatchObject({
      content: [{ type: "text", text: '{"a":1}' }],
    });
    expect((await ask("GET", "/api/metrics")).body).toMatchObject([{ server_name: "notes", total_calls: 1 }]);
    const tools = [{ name: "echo", description: "Says it again." }];
    await expect.poll(() => heard).toContainEqual(expect.objectContaining({ active: [{ name: "notes", tools }] }));
    const entry = expect.objectContaining({ server: "notes", tool: "echo", success: true });
    expect(heard).toContainEqual({ type: "log_entry", entry });
    close();
  });

  it("SEC-4 serves none of its routes without a token, to a page of elsewhere or by another Host", async () => {
    const { paths } = (await ask("GET", openApiPath)).body;
    const described = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ["get", "post", "put", "delete"].includes(method))
        .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, "notes") })),
    );
    const routes = [
      ...described,
      ...["/mcp", "/proxy/notes/mcp", "/directory/mcp", "/registry/mcp"].map((path) => ({ method: "POST", path })),
    ];
    expect(routes.length).toBeGreaterThan(60);
    const authorization = `Bearer ${token}`;
    for (const { method, path } of routes) {
      const statuses = [
        await statusOf(method, path, {}),
        await statusOf(method, path, { authorization, origin: "https://evil.example.com" }),
        await statusOf(method, path, { authorization, host: "evil.example.com" }),
      ];
      expect({ method, path, statuses }).toEqual({ method, path, statuses: [401, 403, 403] });
    }
  });

  it("stops and starts servers by their resource", async () => {
    const { heard, close } = await follow();
    expect((await ask("POST", "/api/servers/notes/deactivate")).body).toEqual({ status: "deactivated" });
    expect(await specOf("notes")).toMatchObject({ active: false, listed: false });
    const stopped = { servers: [expect.objectContaining({ name: "notes", active: false })], active: [] };
    await expect.poll(() => heard).toContainEqual(expect.objectContaining(stopped));
    expect(await call()).toBe(409);
    const replicas = async () => (await space.get("deployment", "notes-server")).spec["replicas"];
    await expect.poll(replicas, patience).toBe(0);
    expect((await ask("POST", "/api/servers/notes/activate")).body).toEqual({ status: "activated", tool_count: 1 });
    expect(await specOf("notes")).toMatchObject({ active: true, listed: true });
    await expect.poll(replicas, patience).toBe(1);
    expect(await call()).toBe(200);
    close();
  });

  it("DSC-12 hides a changed tool until it is approved, over restarts too", async () => {
    const pinned = () => space.condition("pallasserver", "notes", "Pinned");
    await expect.poll(pinned, patience).toBe("True Pinned");
    await describeTool("Sends it to somebody.");
    const fields = [{ field: "description", old: "Says it again.", new: "Sends it to somebody." }];
    await expect
      .poll(async () => (await ask("GET", "/api/servers/notes/pins")).body, patience)
      .toMatchObject({ mode: "block", changes: [{ tool: "echo", change: "changed", fields }] });
    await expect.poll(pinned, patience).toBe("False ToolsChanged");
    expect(await space.message("pallasserver", "notes", "Pinned")).toContain('"echo", and hidden by the gateway');
    await restart();
    await expect.poll(listAnew, patience).toBe("healthy");
    expect([await call(), await pinned()]).toEqual([404, "False ToolsChanged"]);
    const { tools_hash } = (await ask("GET", "/api/servers/notes/pins")).body;
    const approved = await ask("POST", "/api/servers/notes/pins/approve", { tools_hash });
    expect(approved.body).toEqual({ status: "approved", tools: ["echo"] });
    expect(await call()).toBe(200);
    await expect.poll(pinned, patience).toBe("True Pinned");
    await restart();
    await expect.poll(listAnew, patience).toBe("healthy");
    expect([await call(), await pinned()]).toEqual([200, "True Pinned"]);
  });

  it("DSC-9 runs a package that is tried as a resource for as long as it is tried", async () => {
    const opening = ask("POST", "/api/transient", { command: "npx", args: ["-y", "tried@1.0.0"] });
    const tried = async () => {
      const names = await space.kubectl("get", "pallasservers", "--selector=pallas.helu.ca/transient", "--output=name");
      return names.split("\n").flatMap((each) => each.split("/")[1] ?? []);
    };
    await expect.poll(tried, patience).toHaveLength(1);
    const [name = ""] = await tried();
    expect(await specOf(name)).toMatchObject({ package: { kind: "npm", name: "tried", version: "1.0.0" } });
    await expect.poll(() => isDeployed(name), patience).toBe(true);
    await runBridge(name);
    const { status, body } = await opening;
    expect([status, body.tools]).toEqual([201, [expect.objectContaining({ name: "echo" })]]);
    const called = await ask("POST", `/api/transient/${body.handle}/call`, { tool: "echo", args: { b: 2 } });
    expect(called.body).toMatchObject({ content: [{ text: '{"b":2}' }] });
    expect((await ask("DELETE", `/api/transient/${body.handle}`)).body).toEqual({ ok: true });
    await expect.poll(tried, patience).toEqual([]);
  });

  it("DIR-1 DIR-2 DIR-4 keeps registrations as resources, and beats in its memory alone", async () => {
    const registered = await ask("POST", "/mcp/servers", `{"serverCard":${cardText}}`);
    const { id } = registered.body;
    expect([registered.status, registered.text]).toEqual([
      201,
      cardText.replace(" }", `,"id":"${id}","isLive":true }`),
    ]);
    const [resource = ""] = await space.list("pallasregistrations");
    const kept = async () => JSON.parse(await space.kubectl("get", resource, "--output=json"));
    const { metadata, spec } = await kept();
    expect(spec).toMatchObject({ name: "Far", card: cardText });
    const endpoints = async () => (await ask("GET", `/agents/${id}`)).body.endpoints;
    const [{ id: endpointId }] = await endpoints();
    const beat = async () => (await ask("POST", `/agents/${id}/endpoints/${endpointId}/heartbeat`)).status;
    const before = await countWrites();
    expect(before).toBeGreaterThan(0);
    for (let times = 0; times < 200; times += 1) expect(await beat()).toBe(204);
    expect(await countWrites()).toBe(before);
    expect((await kept()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await restart();
    expect((await ask("GET", `/mcp/servers/${id}`)).text).toBe(registered.text);
    expect(await endpoints()).toMatchObject([{ isLive: true, liveness: "unknown" }]);
    expect(await beat()).toBe(204);
    expect(await endpoints()).toMatchObject([{ liveness: "live" }]);
    await space.kubectl("delete", resource);
    await expect.poll(async () => (await ask("GET", `/mcp/servers/${id}`)).status).toBe(404);
  });

  it("DIR-1 has registrations changed and removed by the gateway's own account", async () => {
    const a2a = { transport: "Http", protocol: "A2A", address: "https://far.example.com/a2a" };
    const endpoints = [{ name: "primary", ...a2a, livenessModel: "Ephemeral" }];
    const registered = await ask("POST", "/agents", { name: "Further", endpoints });
    expect(registered.status).toBe(201);
    const path = `/agents/${registered.body.id}`;
    const specs = async () => {
      const { items } = JSON.parse(await space.kubectl("get", "pallasregistrations", "--output=json"));
      return items.map(({ spec }: { spec: object }) => spec);
    };
    const changed = await ask("PUT", path, { name: "Further", description: "Now with words.", endpoints });
    expect(changed.status).toBe(200);
    expect(await specs()).toMatchObject([{ name: "Further", description: "Now with words." }]);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", path)).status).toBe(404);
    expect(await specs()).toEqual([]);
  });
});
