// The gateway as it is built, beside a state file as `pallas up` writes it: agents of the test's own, who may come, change and go,
// and tokens for roles. No cluster, no `pallas up`.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import type { GatewayAccessRule, GatewayConfig } from "../../crds/gateway-config.ts";
import { defined } from "../../lib/process/defined.ts";
import { agentManifest, instanceManifest, testConfig } from "../../gateway/testing/resources.ts";

export interface KnownAgent {
  name: string;
  spec?: object;
  /** Absent: it has no process. */
  endpoint?: { mcpUrl: string; adminUrl: string };
}

export interface StateFileGateway extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly adminUrl: string;
  readonly lines: Record<string, unknown>[];
  /** These are its agents from now on. */
  tell(agents: readonly KnownAgent[]): Promise<void>;
}

export interface StateFileGatewayOptions {
  agents: readonly KnownAgent[];
  /** Whose each token is. */
  tokens: Readonly<Record<string, GatewayAccessRule["as"]>>;
  /** What it shows its agents' admin ports. */
  agentsToken: string;
  bodyLimitBytes?: number;
  /** With the text of its key's file. */
  embeddings?: Extract<GatewayConfig["embeddings"], { kind: "openai" }> & { keyText: string };
}

const everybody = { agents: ["*"], servers: ["*"] };
export const personAs = (
  role: "viewer" | "caller" | "approver" | "operator" | "admin",
  narrowed: Partial<typeof everybody> = {},
): GatewayAccessRule["as"] => ({ role, ...everybody, ...narrowed });

function renderState(agents: readonly KnownAgent[]): string {
  const resources = agents.map(({ name, spec, endpoint }) => ({
    ...agentManifest(name, spec),
    ...(endpoint && { status: { url: endpoint.mcpUrl } }),
  }));
  const endpoints = agents.flatMap(({ name, endpoint }) =>
    endpoint === undefined
      ? []
      : [{ namespace: "agents", instance: "ouranos", agent: name, pod: `${name}-1`, adminUrl: endpoint.adminUrl }],
  );
  return JSON.stringify({ schema: 2, resources: [instanceManifest(), ...resources], endpoints });
}

/** A table of tokens for each of them, `0`, `1` and so on. */
async function writeTokens(folder: string, tokens: StateFileGatewayOptions["tokens"]): Promise<GatewayAccessRule[]> {
  await mkdir(join(folder, "tokens"));
  return await Promise.all(
    Object.entries(tokens).map(async ([token, as], at) => {
      const digest = createHash("sha256").update(token).digest("hex");
      await writeFile(join(folder, "tokens", String(at)), `sha256:${digest}\n`);
      return { who: { tokens: { name: "tokens", key: String(at) } }, as };
    }),
  );
}

/** Resolves when it is ready. */
export async function startStateFileGateway(options: StateFileGatewayOptions): Promise<StateFileGateway> {
  const { agents, tokens, agentsToken, bodyLimitBytes = 1_000_000, embeddings } = options;
  const folder = await mkdtemp(join(tmpdir(), "pallas-gateway-"));
  const at = (name: string) => join(folder, name);
  const tell = async (told: readonly KnownAgent[]) => {
    await writeFile(at("state.new"), renderState(told));
    await rename(at("state.new"), at("state.json"));
  };
  await tell(agents);
  const http = { allowedHosts: [], allowedOrigins: [], bodyLimitBytes };
  const access = await writeTokens(folder, tokens);
  if (embeddings?.apiKey !== undefined) {
    await mkdir(at(embeddings.apiKey.name));
    await writeFile(join(at(embeddings.apiKey.name), embeddings.apiKey.key), embeddings.keyText);
  }
  const config = testConfig({ access, http, ...defined({ embeddings }) });
  await writeFile(at("gateway.json"), JSON.stringify(config));
  await writeFile(at("agents-token"), agentsToken);
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../dist/gateway.js")], {
    env: {
      PATH: process.env["PATH"] ?? "",
      PALLAS_GATEWAY_CONFIG: at("gateway.json"),
      PALLAS_SECRETS_DIR: folder,
      PALLAS_LOCAL_STATE: at("state.json"),
      PALLAS_REGISTRATIONS_FILE: at("registrations.json"),
      PALLAS_APPROVALS_FILE: at("approvals.json"),
      PALLAS_AGENTS_TOKEN: at("agents-token"),
      PALLAS_HOST: "127.0.0.1",
      PALLAS_DRAIN_DELAY_MS: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close");
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const patience = { timeout: 60_000 };
  const started = await vi.waitUntil(() => lines.find(({ message }) => message === "gateway started"), patience);
  const adminUrl = String(started["adminUrl"]);
  await vi.waitUntil(async () => (await fetch(`${adminUrl}/readyz`)).status === 200, patience);
  return {
    pid: child.pid ?? 0,
    url: String(started["url"]),
    adminUrl,
    lines,
    tell,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
