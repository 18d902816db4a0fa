// docs/install.md as a new user follows it: its command blocks, in order, in one shell, on a cluster without Pallas.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPallas, uninstallPallas } from "./installation.ts";
import { openPageShell, readBlocks, type PageShell } from "./page-shell.ts";
import { openedCluster, testbed } from "./testbed.ts";

const timeoutMs = 400_000;
const cluster = openedCluster();

describe("docs/install.md", { timeout: timeoutMs + 60_000 }, () => {
  let shell: PageShell;

  beforeAll(async () => {
    shell = await openPageShell(cluster);
    await uninstallPallas(cluster);
  }, 120_000);
  afterAll(async () => {
    await installPallas(cluster, testbed());
    await shell[Symbol.asyncDispose]();
  });

  it("every command does what the page says, from the first agent to the last trace", async () => {
    const blocks = await readBlocks("install.md");
    expect(blocks.length).toBeGreaterThanOrEqual(8);
    const marked = blocks.map((block, at) => `echo "== block ${at}"\n${block}`).join("\n");
    const stdout = await shell.run(`trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${marked}`, { timeoutMs });
    expect(stdout).toContain("com.example.first/echo");
    expect(stdout).toMatch(/"text":\s*"Hello"/);
    expect(stdout).toMatch(/pallasagent\.pallas\.helu\.ca\/echo patched/);
    expect(await cluster.kubectl(["get", "crds", "--output=name"])).not.toContain("pallas.helu.ca");
  });
});
