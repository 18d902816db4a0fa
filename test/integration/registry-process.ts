// The registry as it is built, in local mode: a child process that serves as many made-up agents as a test wants.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import type { AgentEndpoint } from "../../crds/local-state.ts";

export interface RegistryProcess {
  url: string;
  pid: number;
  /** Lines of the log at INFO and above. */
  lines: Record<string, unknown>[];
  /** Replaces the resources. */
  serve(agents: readonly object[]): Promise<void>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** The least that is valid, and what a case changes on top. */
export function localAgent(name: string, spec: object = {}, status: object = {}): object {
  return {
    apiVersion: "pallas.helu.ca/v1alpha1",
    kind: "PallasAgent",
    metadata: { name, namespace: "local", creationTimestamp: "2026-11-21T10:00:00Z" },
    spec: { instanceRef: { name: "ouranos" }, ...spec },
    status: { url: "http://localhost:24101/mcp", ...status },
  };
}

const instance = {
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasInstance",
  metadata: { name: "ouranos", namespace: "local" },
  spec: { registryNamespace: "ca.helu.ouranos", defaultModel: "passthrough" },
};

/** Resolves when the registry serves `agents`. */
export async function startRegistryProcess(
  agents: readonly object[],
  env: Record<string, string> = {},
  endpoints: readonly AgentEndpoint[] = [],
): Promise<RegistryProcess> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-registry-"));
  const path = join(folder, "state.json");
  const serve = async (next: readonly object[]) => {
    await writeFile(`${path}.new`, JSON.stringify({ schema: 1, instances: [instance], agents: next, endpoints }));
    await rename(`${path}.new`, path);
  };
  await serve(agents);
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../dist/registry.js")], {
    env: { PATH: process.env["PATH"], PALLAS_LOCAL_STATE: path, PALLAS_HOST: "127.0.0.1", PALLAS_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close");
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const started = await vi.waitUntil(() => lines.find(({ message }) => message === "registry started"), {
    timeout: 20_000,
  });
  const url = String(started["url"]);
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, { timeout: 20_000 });
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    serve,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
