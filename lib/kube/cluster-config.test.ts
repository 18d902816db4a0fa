import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findClusterConfig, readPodConfig } from "./cluster-config.ts";
import { loadCredentials } from "./credentials.ts";

async function makeDir(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pallas-account-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

const account = { token: "first\n", "ca.crt": "an authority" };
const address = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };

async function inPod(environment: Readonly<Record<string, string>>) {
  const dir = await makeDir(account);
  const config = readPodConfig(environment, dir);
  if (config === undefined) throw new Error("expected a configuration");
  return { dir, config };
}

describe("in a pod", () => {
  test("its service account is who we are, and a rotated token is read anew", async () => {
    const { dir, config } = await inPod(address);
    expect(await loadCredentials(config)).toMatchObject({
      origin: "https://10.0.0.1:6443",
      headers: { authorization: "Bearer first" },
      tls: { ca: Buffer.from("an authority") },
    });
    await writeFile(join(dir, "token"), "second");
    expect((await loadCredentials(config)).headers["authorization"]).toBe("Bearer second");
  });

  test("an IPv6 address stands in brackets, the port is 443 unless told", async () => {
    const { config } = await inPod({ KUBERNETES_SERVICE_HOST: "fd00::1" });
    expect((await loadCredentials(config)).origin).toBe("https://[fd00::1]");
  });

  test.each([
    ["without a token", address, {}],
    ["without an API server's address", {}, account],
  ])("%s there is none", async (_title, environment, files) => {
    expect(readPodConfig(environment, await makeDir(files))).toBeUndefined();
  });
});

// The library that reads it takes a while to load.
test("a kubeconfig that KUBECONFIG names comes before everything", { timeout: 60_000 }, async () => {
  const cluster = { name: "c", cluster: { server: "https://named.example" } };
  const user = { name: "u", user: { token: "named" } };
  const context = { name: "x", context: { cluster: "c", user: "u" } };
  const named = { apiVersion: "v1", kind: "Config", clusters: [cluster], users: [user], contexts: [context] };
  const dir = await makeDir({ config: JSON.stringify({ ...named, "current-context": "x" }) });
  const before = process.env["KUBECONFIG"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = before;
  });
  process.env["KUBECONFIG"] = join(dir, "config");
  const config = await findClusterConfig({ ...address, KUBECONFIG: join(dir, "config") });
  expect(await loadCredentials(config)).toMatchObject({
    origin: "https://named.example",
    headers: { authorization: "Bearer named" },
  });
});
