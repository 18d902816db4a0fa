// Published packages as PallasServers under `pallas up`: installed from npm and PyPI by this machine's npm and a uv, as people have
// them, and called by an agent.
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { agentManifest } from "../integration/local/agents.ts";
import { Local } from "../integration/local/local.ts";
import { renderTriedPackages } from "../packages/tried-servers.ts";
import { findPython, openEnvironment } from "../python/environment.ts";

/** All are fetched at once. */
const fetchMs = 300_000;

const python = await findPython();

const serverManifest = (name: string, spec: object): string =>
  `---\n${JSON.stringify({
    apiVersion: "pallas.helu.ca/v1alpha1",
    kind: "PallasServer",
    metadata: { name },
    spec: { instanceRef: { name: "quickstart" }, ...spec },
  })}\n`;

test.skipIf(python === undefined)(
  "DSC-6 published packages run unchanged under pallas up, and an agent calls them",
  async () => {
    if (python === undefined) return;
    const uv = dirname(await openEnvironment(python, "uv"));
    const local = await Local.create(await findFreePorts(1));
    onTestFinished(() => local.remove());
    const work = join(local.folder, "work");
    await mkdir(work);
    const tried = renderTriedPackages(work);
    const names = tried.map(({ name }) => `{ name: ${name} }`).join(", ");
    await local.write("agents.yaml", agentManifest("clerk", `  servers: [${names}]\n`));
    await local.write("servers.yaml", tried.map(({ name, spec }) => serverManifest(name, spec)).join(""));
    local.variables = { PATH: [uv, process.env["PATH"]].join(delimiter) };
    local.up("--trust");
    for (const { name } of tried) {
      await expect
        .poll(() => `${local.stdout}\n${local.stderr}`, { timeout: fetchMs, interval: 500 })
        .toMatch(new RegExp(`^${name}(?: +(?:npm|pypi) +ready|: ready at) `, "m"));
    }
    for (const { name, call } of tried) {
      const message = `***CALL_TOOL ${name}__${call.tool} ${JSON.stringify(call.arguments)}`;
      const { output } = await local.run("chat", "clerk", "--registry", local.registryUrl, "-m", message);
      expect({ name, output }).toEqual({ name, output: expect.stringMatching(call.says) });
    }
  },
  fetchMs + 120_000,
);
