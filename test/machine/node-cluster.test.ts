// The life of a node cluster: what survives the crash of a part, and that its end leaves nothing, however it comes. Needs
// the machine for itself, so it is no part of the project whose tests share a cluster.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { ClusterCommand } from "../cluster/cluster-command.ts";
import { createKubectl } from "../cluster/kubectl.ts";
import { importProbeImage, renderProbePod } from "../cluster/node/network-policy-probe.ts";
import { startNodeCluster } from "../cluster/node/node-cluster.ts";
import type { NodeCluster } from "../cluster/node/node-cluster.ts";
import { observeTraces } from "./machine-traces.ts";
import type { MachineTraces } from "./machine-traces.ts";

const run = promisify(execFile);
const nodeFolder = join(import.meta.dirname, "../cluster/node");
const dirOf = ({ kubeconfigPath }: Pick<NodeCluster, "kubeconfigPath">): string => join(kubeconfigPath, "..");

/** Which run of the probe's container it is: changes with a restart. */
const observeContainer = (kubectl: ClusterCommand): Promise<string> =>
  kubectl(["get", "pod", "probe", "--output=jsonpath={.status.containerStatuses[0].containerID}"]);

async function startProbe(kubectl: ClusterCommand): Promise<void> {
  await kubectl(["apply", "--filename=-"], { input: JSON.stringify(renderProbePod("probe")) });
  await kubectl(["wait", "--for=condition=Ready", "--timeout=60s", "pod/probe"]);
}

describe("a node cluster", { timeout: 120_000 }, () => {
  let before: MachineTraces;
  beforeAll(async () => {
    before = await observeTraces("/nowhere");
  });

  it("finds a machine without another", () => {
    expect(before).toMatchObject({ links: [], tables: [], controlGroups: [], claimedBy: undefined });
  });

  describe("of this process", () => {
    let cluster: NodeCluster;
    beforeAll(async () => {
      cluster = await startNodeCluster();
      await importProbeImage(cluster);
      await startProbe(cluster.kubectl);
    }, 120_000);
    afterAll(() => cluster.stop());

    it("is the only one on the machine", async () => {
      const isOurs = (name: string): boolean => name.startsWith("pallas-node-");
      const folders = (await readdir(tmpdir())).filter(isOurs);
      await expect(startNodeCluster()).rejects.toThrow(`found one of process ${process.pid} in ${dirOf(cluster)}`);
      expect((await readdir(tmpdir())).filter(isOurs)).toEqual(folders);
    });

    it.each(["kubelet", "containerd", "kube-apiserver", "etcd", "kube-proxy", "netpol"] as const)(
      "a pod runs on while %s is killed and revived",
      async (component) => {
        const container = await observeContainer(cluster.kubectl);
        const former = cluster.pids().get(component);
        await cluster.kill9(component);
        expect(cluster.pids().has(component)).toBe(false);
        await cluster.revive();
        expect(cluster.pids().get(component)).not.toBe(former);
        expect(await observeContainer(cluster.kubectl)).toBe(container);
        const exec = (): Promise<string> =>
          cluster.kubectl(["exec", "probe", "--", "/probe", "fetch", "http://localhost:8080"]);
        await expect.poll(exec, { timeout: 15_000 }).toBe("probe\n");
      },
    );

    it("leaves nothing on the machine when it is stopped", async () => {
      await cluster.stop();
      expect(await observeTraces(dirOf(cluster))).toEqual(before);
      expect(existsSync(dirOf(cluster))).toBe(false);
    });
  });

  it("that fails to start shows the end of the log and leaves nothing", async () => {
    const assets = await mkdtemp(join(tmpdir(), "pallas-broken-"));
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"]) {
      await writeFile(join(assets, name), "#!/bin/sh\necho 'the disk is on fire' >&2\nexit 7\n", { mode: 0o755 });
    }
    vi.stubEnv("KUBEBUILDER_ASSETS", assets);
    await expect(startNodeCluster()).rejects.toThrow(/found it ended \(exit code 7\).*\nthe disk is on fire/);
    vi.unstubAllEnvs();
    await rm(assets, { recursive: true });
    expect(await observeTraces("/tmp/pallas-node-")).toEqual(before);
  });

  it("leaves nothing when its process is killed with SIGKILL", async () => {
    const script = `
      import { startNodeCluster } from ${JSON.stringify(join(nodeFolder, "node-cluster.ts"))};
      const { kubeconfigPath } = await startNodeCluster();
      console.log(kubeconfigPath);
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const kubeconfigPath = await new Promise<string>((resolve) =>
      parent.stdout.once("data", (data) => resolve(String(data).trim())),
    );
    const dir = dirOf({ kubeconfigPath });
    expect((await observeTraces(dir)).claimedBy).toBe(parent.pid);
    parent.kill("SIGKILL");
    await expect.poll(() => observeTraces(dir), { timeout: 20_000 }).toEqual(before);
    expect(existsSync(dir)).toBe(false);
  });
});

describe("a kept cluster", { timeout: 120_000 }, () => {
  let stateHome = "";
  let before: MachineTraces;
  const dir = (): string => join(stateHome, "pallas/cluster");
  const command = async (name: "up" | "down", ...args: string[]): Promise<string> => {
    const env = { ...process.env, XDG_STATE_HOME: stateHome };
    const { stdout } = await run(process.execPath, [join(nodeFolder, `${name}.ts`), ...args], { env });
    return stdout;
  };
  const kubectl: ClusterCommand = (args, options) =>
    createKubectl({
      kubectlPath: join(dir(), "bin/kubectl"),
      kubeconfigPath: join(dir(), "kubeconfig"),
      cacheDir: join(stateHome, "kubectl"),
    })(args, options);
  const readPid = async (component: string): Promise<number> =>
    Number(await readFile(join(dir(), "run", `${component}.pid`), "utf8"));

  beforeAll(async () => {
    stateHome = await mkdtemp(join(tmpdir(), "pallas-state-"));
    before = await observeTraces("/nowhere");
  });
  afterAll(async () => {
    await command("down", "--purge");
    await rm(stateHome, { recursive: true, force: true });
  });

  it("goes on after up, and a second up changes nothing", async () => {
    const lines = await command("up");
    expect(lines).toContain(`export KUBECONFIG='${join(dir(), "kubeconfig")}'`);
    const pid = await readPid("kubelet");
    expect(await command("up")).toBe(lines);
    expect(await readPid("kubelet")).toBe(pid);
  });

  it("up starts what has been killed, and pods run on", async () => {
    const importImage = async (path: string): Promise<void> => {
      const ctr = ["-a", join(dir(), "run/containerd.sock"), "-n", "k8s.io", "images", "import", path];
      await run(join(dir(), "bin/ctr"), ctr);
    };
    await importProbeImage({ importImage });
    await startProbe(kubectl);
    const container = await observeContainer(kubectl);
    const pid = await readPid("kubelet");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => existsSync(join(dir(), "run/kubelet.pid")), { timeout: 5_000 }).toBe(false);
    await command("up");
    expect(await readPid("kubelet")).not.toBe(pid);
    expect(await observeContainer(kubectl)).toBe(container);
  });

  it("up after the keeper was killed takes the objects up again, and runs their pods anew", async () => {
    const { claimedBy } = await observeTraces(dir());
    if (claimedBy === undefined) throw new Error("expected a keeper, found none");
    const container = await observeContainer(kubectl);
    process.kill(claimedBy, "SIGKILL");
    await command("up");
    await expect.poll(() => observeContainer(kubectl), { timeout: 30_000 }).not.toBe(container);
    await kubectl(["wait", "--for=condition=Ready", "--timeout=60s", "pod/probe"]);
  });

  it("down leaves nothing but its folder, down --purge not even that", async () => {
    await command("down");
    expect(await observeTraces(dir())).toEqual(before);
    expect(existsSync(dir())).toBe(true);
    await command("down", "--purge");
    expect(existsSync(dir())).toBe(false);
  });
});
