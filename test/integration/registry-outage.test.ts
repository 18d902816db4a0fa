// The API server is gone for longer than any retry of the registry waits, and in the meantime etcd has changed behind
// everyone's back, as after a failover: no watch will ever tell of that. An outage of minutes is the same again and
// again, since retries reach their longest pause after seconds; PALLAS_TEST_OUTAGE_SECONDS=600 shows one of ten minutes.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cataloguePath } from "../../crds/catalogue.ts";
import { defaultReflectorTiming } from "../../lib/kube/reflector.ts";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { editStoredSpec, removeStored } from "../faults/etcd.ts";
import { agent, createSpace, instance, type Space } from "../faults/space.ts";

const maxRecoveryMs = 10_000;
/** Long enough for pauses between retries to have reached their longest, and for several of these. */
const longestPauses = 5 * defaultReflectorTiming.backoff.maxMs;
const outageMs = Number(process.env["PALLAS_TEST_OUTAGE_SECONDS"] ?? longestPauses / 1_000) * 1_000;
const crdDir = join(import.meta.dirname, "../../crds");
const crdPaths = readdirSync(crdDir)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join(crdDir, name));

interface Catalogue {
  servers: { server: { name: string; description: string } }[];
  _meta?: { "ca.helu.pallas/registry"?: { staleSince: string } };
}

describe.skipIf(clusterMissing())("CAT-9 HLT-5 an API server that is away", { timeout: outageMs + 150_000 }, () => {
  let server: ApiServer;
  let space: Space;
  let registry: ChildProcess;
  let url = "";

  const read = async () => {
    const answer = await fetch(`${url}${cataloguePath}`);
    const catalogue: Catalogue = await answer.json();
    const described = catalogue.servers.map(({ server: { name, description } }) => `${name}: ${description}`);
    return { status: answer.status, described, staleSince: catalogue._meta?.["ca.helu.pallas/registry"]?.staleSince };
  };
  const health = async () => {
    const answer = await fetch(`${url}/healthz`);
    const { status }: { status: string } = await answer.json();
    return `${answer.status} ${status}`;
  };

  beforeAll(async () => {
    server = await startApiServer({ crdPaths });
    space = await createSpace("registry-outage", server);
    await space.apply(instance(), agent("alpha", { description: "Before" }), agent("beta", { description: "Before" }));
    registry = spawn(process.execPath, [join(import.meta.dirname, "../../dist/registry.js")], {
      env: {
        KUBECONFIG: server.kubeconfigPath,
        PALLAS_NAMESPACE: space.name,
        PALLAS_INSTANCE: "*",
        PALLAS_ADMIN_PORT: "0",
        PALLAS_HOST: "127.0.0.1",
        PALLAS_PORT: "0",
        PALLAS_DRAIN_DELAY_MS: "0",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = registry.stdout && createInterface({ input: registry.stdout });
    lines?.on("line", (line) => {
      const { message, url: told }: { message: string; url?: string } = JSON.parse(line);
      if (message === "registry started") url = told ?? "";
    });
    const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await vi.waitFor(isReady, { timeout: 20_000 });
  }, 120_000);
  afterAll(async () => {
    const ended = once(registry, "exit");
    registry.kill("SIGTERM");
    await ended;
    await server.stop();
  });

  it("has its last catalogue served, marked and degraded; back, what changed is there within 10 s", async () => {
    const before = ["com.example/alpha: Before", "com.example/beta: Before"];
    await expect.poll(async () => (await read()).described).toEqual(before);
    await expect.poll(health).toBe("200 ok"); // the pods are listed last

    const killedAt = Date.now();
    await server.kill9();
    await expect.poll(async () => (await read()).staleSince, { timeout: 10_000 }).toBeDefined();
    const { staleSince = "" } = await read();
    expect(Math.abs(Date.parse(staleSince) - killedAt)).toBeLessThan(5_000);

    const edited = `/registry/pallas.helu.ca/pallasagents/${space.name}/alpha`;
    await editStoredSpec(server.etcdUrl, edited, (spec) => ({ ...Object(spec), description: "After" }));
    await removeStored(server.etcdUrl, `/registry/pallas.helu.ca/pallasagents/${space.name}/beta`);
    const backAt = killedAt + outageMs;
    while (Date.now() < backAt) {
      expect(await read()).toEqual({ status: 200, described: before, staleSince });
      expect([await health(), (await fetch(`${url}/readyz`)).status]).toEqual(["200 degraded", 200]);
      await delay(1_000);
    }

    await server.restart();
    const answersAt = Date.now();
    const isFresh = async () =>
      expect(await read()).toEqual({ status: 200, described: ["com.example/alpha: After"], staleSince: undefined });
    await vi.waitFor(isFresh, { timeout: 60_000, interval: 100 });
    expect(Date.now() - answersAt).toBeLessThanOrEqual(maxRecoveryMs);
    await expect.poll(health).toBe("200 ok");
  });
});
