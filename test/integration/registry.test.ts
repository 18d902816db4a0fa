// The built registry against a real API server, with the very rights that the operator gives it: what it serves of
// the resources that are there, and how it follows them.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CatalogueEntry } from "../../crds/catalogue.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "../faults/space.ts";
import { runNotes } from "../rights/started.ts";
import { writeAccountKubeconfig, type AccountKubeconfig } from "./program-account.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

describe.skipIf(clusterMissing())("CAT-8 CAT-9 OPR-9 the registry in a cluster, with the rights of its Role", () => {
  let space: WatchedNamespace;
  let kubeconfig: AccountKubeconfig;
  let registry: ChildProcess;
  let url: string;

  const entries = async (): Promise<CatalogueEntry[]> => {
    const response = await fetch(`${url}/.well-known/mcp/server.json`);
    const body: { servers?: CatalogueEntry[] } = await response.json();
    return body.servers ?? [];
  };
  const names = async () => (await entries()).map(({ server }) => server.name);

  beforeAll(async () => {
    space = await watchNamespace("registry");
    await space.apply(instance(), agent("tech-research", { description: "Searches" }));
    await space.waitFor("pallasagent", "tech-research", "condition=Ready");
    const account = "team-registry";
    kubeconfig = await writeAccountKubeconfig(cluster(), space.name, account);
    const testPath = expect.getState().testPath ?? "";
    runNotes.noteStart({
      program: "registry",
      account: `${space.name}/${account}`,
      namespaces: [space.name],
      testPath,
    });
    const port = await findFreePorts();
    url = `http://127.0.0.1:${port}`;
    registry = spawn(process.execPath, [join(import.meta.dirname, "../../dist/registry.js")], {
      env: {
        KUBECONFIG: kubeconfig.path,
        PALLAS_NAMESPACE: space.name,
        PALLAS_INSTANCE: "team",
        PALLAS_ADMIN_PORT: "0",
        PALLAS_PORT: String(port),
        PALLAS_HOST: "127.0.0.1",
        PALLAS_SCRAPE_INTERVAL_MS: "1000",
        PALLAS_DRAIN_DELAY_MS: "0",
      },
      stdio: "ignore",
    });
    const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await vi.waitFor(isReady, { timeout: 15_000 });
  });
  afterAll(async () => {
    const ended = once(registry, "exit");
    registry.kill("SIGTERM");
    await ended;
    await space[Symbol.asyncDispose]();
    await kubeconfig.remove();
  });

  it("CAT-1 CAT-4 lists the agent under its Service's URL", async () => {
    const [entry] = await entries();
    expect(entry?.server).toMatchObject({
      name: "com.example/tech-research",
      title: "Tech Research",
      description: "Searches",
      remotes: [{ type: "streamable-http", url: `http://tech-research.${space.name}.svc:8080/mcp` }],
    });
    expect(entry?._meta["ca.helu.pallas/runtime"].readyReplicas).toBe(1);
  });

  it("CAT-8 follows new, changed and deleted agents", async () => {
    await space.apply(agent("archive"));
    await expect.poll(names).toEqual(["com.example/archive", "com.example/tech-research"]);
    await space.apply(agent("archive", { description: "Remembers" }));
    await expect.poll(async () => (await entries())[0]?.server.description).toBe("Remembers");
    await space.kubectl("delete", "pallasagent", "archive");
    await expect.poll(names).toEqual(["com.example/tech-research"]);
  });

  it("CAT-6 leaves out an agent that is not accepted", async () => {
    await space.apply(agent("greedy", { replicas: 2 }), agent("sound"));
    await expect.poll(names).toEqual(["com.example/sound", "com.example/tech-research"]);
  });

  it("MET-2 counts every configured agent, running or not", async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const name of ["greedy", "sound", "tech-research"]) {
      expect(metrics).toContain(`pallas_agent_info{agent="${name}"`);
    }
  });
});
