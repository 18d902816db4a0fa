// The test API server itself, real programs throughout: what the other tests take for granted of it.

import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { callApi } from "./api-call.ts";
import { startApiServer } from "./api-server.ts";
import type { ApiServer } from "./api-server.ts";
import { findInstalledBinaries } from "./binaries.ts";

const binaries = await findInstalledBinaries();

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: our own children leave no zombies, Node collects them
  }
}

const widgetCrd = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

describe.skipIf(binaries === undefined)("a test API server with controllers", { timeout: 60_000 }, () => {
  let server: ApiServer;
  let crdDir = "";

  beforeAll(async () => {
    crdDir = await mkdtemp(join(tmpdir(), "pallas-crd-"));
    const crdPath = join(crdDir, "widget.yaml");
    await writeFile(crdPath, widgetCrd);
    server = await startApiServer({ controllers: true, crdPaths: [crdPath], ...(binaries && { binaries }) });
  }, 90_000);

  afterAll(async () => {
    await server.stop();
    await rm(crdDir, { recursive: true, force: true });
  });

  it("kubectl and the server are of one version", async () => {
    const version: unknown = JSON.parse(await server.kubectl(["version", "--output=json"]));
    expect(version).toMatchObject({
      clientVersion: { gitVersion: expect.stringMatching(/^v1\.\d+\.\d+$/) },
      serverVersion: { gitVersion: expect.stringMatching(/^v1\.\d+\.\d+$/) },
    });
  });

  it("RBAC denies who has no token and no right; a wrong token is not taken; the administrator's is", async () => {
    const path = "/api/v1/namespaces";
    const anonymous = await callApi(server, { path, token: null });
    expect(anonymous.status).toBe(403);
    expect(anonymous.body).toContain('User \\"system:anonymous\\" cannot list resource \\"namespaces\\"');
    expect(await callApi(server, { path, token: "wrong" })).toMatchObject({ status: 401 });
    expect(await callApi(server, { path })).toMatchObject({ status: 200 });
    await expect(server.kubectl(["get", "pods", "--as=jane"])).rejects.toThrow(
      'User "jane" cannot list resource "pods"',
    );
  });

  it("kubectl reads what it is given and rejects with what the server says", async () => {
    await expect(server.kubectl(["apply", "--filename=-"], { input: "{}" })).rejects.toThrow(
      "kubectl apply --filename=- failed",
    );
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "from-input" } };
    expect(await server.kubectl(["apply", "--filename=-"], { input: JSON.stringify(manifest) })).toBe(
      "configmap/from-input created\n",
    );
  });

  it("the garbage collector removes what a custom resource owned, at once even for a kind just installed", async () => {
    const widgets = "/apis/example.com/v1/namespaces/default/widgets";
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "owner" } };
    const created = await callApi(server, { method: "POST", path: widgets, body: widget });
    expect(created.status).toBe(201);
    const { metadata } = z.object({ metadata: z.object({ uid: z.string() }) }).parse(JSON.parse(created.body));
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "owner", uid: metadata.uid };
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const owned = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owned", ownerReferences: [owner] } };
    expect(await callApi(server, { method: "POST", path: configMaps, body: owned })).toMatchObject({ status: 201 });

    expect(await callApi(server, { method: "DELETE", path: `${widgets}/owner` })).toMatchObject({ status: 200 });
    const status = async (): Promise<number> => (await callApi(server, { path: `${configMaps}/owned` })).status;
    await expect.poll(status, { timeout: 30_000 }).toBe(404);
  });

  it("a Deployment gets its ReplicaSet", async () => {
    await server.kubectl(["create", "deployment", "web", "--image=localhost/web:1"]);
    const replicaSets = (): Promise<string> =>
      server.kubectl(["get", "replicasets", "--selector=app=web", "--output=name"]);
    await expect.poll(replicaSets, { timeout: 30_000, interval: 200 }).toContain("replicaset.apps/web-");
  });

  it.each(["kube-apiserver", "etcd"] as const)(
    "kill9 leaves %s down, restart brings it back with its data",
    async (component) => {
      const path = `/api/v1/namespaces/default/configmaps/kept-by-${component}`;
      await server.kubectl(["create", "configmap", `kept-by-${component}`]);
      const before = server.pids().get(component) ?? 0;
      await server.kill9(component);
      expect([isAlive(before), server.pids().has(component)]).toEqual([false, false]);
      const whileDown = callApi(server, { path, timeoutMs: 500 }).then(
        ({ status }) => status === 200,
        () => false,
      );
      expect(await whileDown).toBe(false);

      await server.restart(component);
      expect(server.pids().get(component)).not.toBe(before);
      expect(await callApi(server, { path })).toMatchObject({ status: 200 });
    },
  );
});

describe.skipIf(binaries === undefined)("the end of a test API server", { timeout: 60_000 }, () => {
  it("stop leaves no process, no folder and no open port", async () => {
    const server = await startApiServer(binaries && { binaries });
    const pids = [...server.pids().values()];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await server.stop();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(existsSync(dirname(server.kubeconfigPath))).toBe(false);
    await expect(callApi({ ...server, caPath: import.meta.filename }, { path: "/readyz" })).rejects.toThrow(
      "ECONNREFUSED",
    );
  });

  it("a failed start shows the end of the log and leaves nothing running", async () => {
    const dir = await mkdtemp(join(tmpdir(), "pallas-failing-"));
    const broken = join(dir, "broken-etcd");
    await writeFile(broken, "#!/bin/sh\necho 'the disk is on fire' >&2\nexit 7\n", { mode: 0o755 });
    if (binaries === undefined) throw new Error("unreachable: skipped without binaries");
    const start = startApiServer({ binaries: { ...binaries, etcd: broken }, dir });
    await expect(start).rejects.toThrow(/expected etcd to run, found it ended \(exit code 7\).*\nthe disk is on fire/);
    expect(await readdir(join(dir, "run"))).toEqual([]);
    await rm(dir, { recursive: true, force: true });
  });

  it("a taken port is tried three times in all, then reported", async () => {
    const dir = await mkdtemp(join(tmpdir(), "pallas-taken-"));
    const unlucky = join(dir, "unlucky-etcd");
    await writeFile(unlucky, `#!/bin/sh\necho x >> ${dir}/starts\necho 'bind: address already in use'\nexit 1\n`, {
      mode: 0o755,
    });
    if (binaries === undefined) throw new Error("unreachable: skipped without binaries");
    const start = startApiServer({ binaries: { ...binaries, etcd: unlucky } });
    await expect(start).rejects.toThrow("address already in use");
    expect(await readFile(join(dir, "starts"), "utf8")).toBe("x\nx\nx\n");
    await rm(dir, { recursive: true, force: true });
  });
});
