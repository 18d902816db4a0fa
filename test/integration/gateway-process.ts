// The gateway as it is built, against the API server of the tests: a child process with the account, the rights and the
// configuration that the operator made for it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, vi } from "vitest";
import { parseGatewayConfig } from "../../crds/gateway-config.ts";
import { cluster } from "../cluster/cluster.ts";
import { runNotes } from "../rights/started.ts";
import { writeAccountKubeconfig, type ServerAccess } from "./program-account.ts";
import type { WatchedNamespace } from "./watched-namespace.ts";

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  /** Where it looks for token tables, {secret}/{key}. */
  readonly secretsDir: string;
  /** A kubeconfig of its account. */
  readonly kubeconfigPath: string;
  /** Where it keeps its sessions. */
  readonly sessionsPath: string;
  readonly lines: Record<string, unknown>[];
  /** Tells it to stop, and resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Kills it and starts it anew with the files it had, as a kubelet does with a container; elsewhere, with another URL. */
  restart(): Promise<GatewayProcess>;
}

type Home = Pick<WatchedNamespace, "name" | "get">;

async function readConfig({ get }: Home, name: string) {
  const deployment = JSON.stringify((await get("deployment", name)).spec);
  const [config = ""] = new RegExp(`${name}-config-[0-9a-f]{16}`).exec(deployment) ?? [];
  const { data } = await get("configmap", config);
  return parseGatewayConfig(data?.["gateway.json"] ?? "");
}

export interface GatewayProcessOptions {
  /** Of Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the shared one. */
  readonly server?: ServerAccess;
}

/** Resolves when it is ready. */
export async function startGateway(
  space: Home,
  instance: string,
  { flags = [], env = {}, server = cluster() }: GatewayProcessOptions = {},
): Promise<GatewayProcess> {
  const name = `${instance}-gateway`;
  const config = { ...(await readConfig(space, name)), ports: { http: 0, admin: 0 } };
  const folder = await mkdtemp(join(tmpdir(), "pallas-gateway-"));
  const configPath = join(folder, "gateway.json");
  await writeFile(configPath, JSON.stringify(config));
  const tokenPath = join(folder, "agents-token");
  await writeFile(tokenPath, "of-the-gateway");
  const kubeconfig = await writeAccountKubeconfig(server, space.name, name);
  const testPath = expect.getState().testPath ?? "";
  runNotes.noteStart({ program: "gateway", account: `${space.name}/${name}`, namespaces: [space.name], testPath });
  return await startProcess({ configPath, folder, tokenPath, kubeconfig, flags, env });
}

/** Resolves with the line by which it said where it is. */
async function untilReady(lines: readonly Record<string, unknown>[]): Promise<Record<string, unknown>> {
  const patience = { timeout: 30_000 };
  const started = await vi.waitUntil(() => lines.find(({ message }) => message === "gateway started"), patience);
  await vi.waitUntil(async () => (await fetch(`${String(started["adminUrl"])}/readyz`)).status === 200, patience);
  return started;
}

interface StartOptions extends Required<Omit<GatewayProcessOptions, "server">> {
  configPath: string;
  /** Of token tables and sessions. */
  folder: string;
  tokenPath: string;
  kubeconfig: { path: string; remove(): Promise<void> };
}

async function startProcess(options: StartOptions): Promise<GatewayProcess> {
  const { configPath, folder, tokenPath, kubeconfig, flags, env } = options;
  const sessionsPath = join(folder, "sessions.json");
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "../../dist/gateway.js")], {
    env: {
      PATH: process.env["PATH"] ?? "",
      KUBECONFIG: kubeconfig.path,
      PALLAS_GATEWAY_CONFIG: configPath,
      PALLAS_SECRETS_DIR: folder,
      PALLAS_SESSIONS_FILE: sessionsPath,
      PALLAS_HOST: "127.0.0.1",
      PALLAS_DRAIN_DELAY_MS: "0",
      PALLAS_AGENTS_TOKEN: tokenPath,
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close");
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const started = await untilReady(lines).catch((error: unknown) => {
    // One that outlived the tests would keep their run from ending: it writes to the same standard error.
    child.kill("SIGKILL");
    throw error;
  });
  const adminUrl = String(started["adminUrl"]);
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    return child.exitCode;
  };
  return {
    url: String(started["url"]),
    adminUrl,
    secretsDir: folder,
    kubeconfigPath: kubeconfig.path,
    sessionsPath,
    lines,
    stop,
    async restart() {
      child.kill("SIGKILL");
      await exited;
      return await startProcess(options);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
      await kubeconfig.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
