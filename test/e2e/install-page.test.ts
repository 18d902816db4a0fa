// docs/install.md as a new user follows it: its command blocks, in order, in one shell, on a cluster without Pallas.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPallas, uninstallPallas } from "./installation.ts";
import { openedCluster, testbed } from "./testbed.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const timeoutMs = 400_000;
const cluster = openedCluster();

/** Blocks with a word after `sh` are for some readers only: kind, the building of images, the Prometheus operator. */
const readBlocks = async (): Promise<string[]> => {
  const text = await readFile(join(root, "docs/install.md"), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
};

describe("docs/install.md", { timeout: timeoutMs + 60_000 }, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-install-"));
    await symlink(cluster.kubectlPath, join(folder, "kubectl"));
    await symlink(cluster.helmPath, join(folder, "helm"));
    await uninstallPallas(cluster);
  }, 120_000);
  afterAll(async () => {
    await installPallas(cluster, testbed());
    await rm(folder, { recursive: true });
  });

  it("every command does what the page says, from the first agent to the last trace", async () => {
    const blocks = await readBlocks();
    expect(blocks.length).toBeGreaterThanOrEqual(8);
    const marked = blocks.map((block, at) => `echo "== block ${at}"\n${block}`).join("\n");
    const script = `set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${marked}`;
    const env = {
      ...process.env,
      PATH: [folder, process.env["PATH"]].join(delimiter),
      KUBECONFIG: cluster.kubeconfigPath,
      HOME: folder,
    };
    const { stdout } = await run("bash", ["-c", script], { cwd: root, env, timeout: timeoutMs });
    expect(stdout).toContain("com.example.first/echo");
    expect(stdout).toMatch(/"text":\s*"Hello"/);
    expect(stdout).toMatch(/pallasagent\.pallas\.helu\.ca\/echo patched/);
    expect(await cluster.kubectl(["get", "crds", "--output=name"])).not.toContain("pallas.helu.ca");
  });
});
