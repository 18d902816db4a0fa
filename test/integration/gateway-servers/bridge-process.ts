// The built bridge in place of a tool server's pod: with the configuration that the operator wrote for it, but for its ports and for
// the command, which fetches a package in a cluster.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseBridgeConfig, type BridgeConfig } from "../../../crds/bridge-config.ts";
import { configFiles, serverChildren } from "../../../crds/names.ts";
import type { WatchedNamespace } from "../watched-namespace.ts";

export interface BridgeProcess extends AsyncDisposable {
  readonly port: number;
}

/** @param name of the server's resource */
async function readConfig(space: Pick<WatchedNamespace, "get">, name: string): Promise<BridgeConfig> {
  const deployment = JSON.stringify((await space.get("deployment", serverChildren(name).deployment)).spec);
  const [config = ""] = new RegExp(serverChildren(name).config("[0-9a-f]{16}")).exec(deployment) ?? [];
  return parseBridgeConfig((await space.get("configmap", config)).data?.[configFiles.bridge] ?? "");
}

/** Resolves when it listens. */
export async function startBridge(
  space: Pick<WatchedNamespace, "get">,
  name: string,
  command: string[],
): Promise<BridgeProcess> {
  const config = await readConfig(space, name);
  const target: BridgeConfig["target"] = { kind: "command", command, env: [] };
  const folder = await mkdtemp(join(tmpdir(), "pallas-bridge-"));
  const configPath = join(folder, "bridge.json");
  await writeFile(configPath, JSON.stringify({ ...config, target, ports: { http: 0, admin: 0 } }));
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../../dist/bridge.js")], {
    env: {
      PATH: process.env["PATH"] ?? "",
      PALLAS_BRIDGE_CONFIG: configPath,
      PALLAS_BRIDGE_WORK: join(folder, "work"),
      PALLAS_HOST: "127.0.0.1",
      PALLAS_DRAIN_DELAY_MS: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close");
  const started = Promise.withResolvers<URL>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { message, url } = JSON.parse(line);
    if (message === "bridge started") started.resolve(new URL(url));
  });
  void exited.then(() => started.reject(new Error(`expected the bridge of ${name} to serve, found it ended`)));
  const { port } = await started.promise;
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
