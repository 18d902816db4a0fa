// The built gateway, started as its image starts it, with tokens of one table and, where a benchmark asks for it, those of an
// issuer. Its files are in a folder of the benchmark's, so that one that is started again finds the sessions it had.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { gatewayAudience } from "../../crds/names.ts";
import { defined } from "../../lib/process/defined.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import type { ApiAccess } from "../cluster/api-call.ts";
import { readImageStart } from "./image-start.ts";
import { preparePodStart } from "./pod-start.ts";
import { startProgram, type ProgramUnderTest } from "./program-under-test.ts";

export interface GatewayUnderTestOptions {
  /** An empty folder, or that of a gateway before. */
  readonly dir: string;
  readonly instance: string;
  readonly namespace: string;
  readonly tokens: readonly string[];
  readonly jwt?: GatewayConfig["jwt"];
  /** Default: the gateway's own table. */
  readonly embeddings?: GatewayConfig["embeddings"];
  /** Where it runs as a pod would: with a ServiceAccount of this API server's. */
  readonly access?: ApiAccess;
  /** Of all callers; an admin may write too. Default: caller. */
  readonly role?: "caller" | "admin";
  readonly env?: Readonly<Record<string, string>>;
}

const startTimeoutMs = 60_000;
/** What Node gives the heap in a pod of the default memory limit, 512Mi; this machine's memory would let garbage lie for longer. */
const heapFlag = "--max-old-space-size=256";
const pollMs = 50;
const everything = { agents: ["*"], servers: ["*"] };

export const createTokens = (count: number): string[] =>
  Array.from({ length: count }, () => randomBytes(32).toString("base64url"));

/** Resolves when it has read its resources. Callers of an issuer are those whose claim `team` is `bench`. */
export async function startGatewayUnderTest(options: GatewayUnderTestOptions): Promise<ProgramUnderTest> {
  const { dir, instance, namespace, tokens, jwt, embeddings, access, role = "caller", env = {} } = options;
  const [port, adminPort] = await findPorts();
  const config: GatewayConfig = {
    schema: 1,
    instance: { name: instance, namespace, version: "1.0.0" },
    audience: gatewayAudience(instance, namespace),
    management: role === "admin" ? "readWrite" : "approve",
    access: [
      { who: { tokens: { name: "bench", key: "tokens" } }, as: { role, ...everything } },
      { who: { claim: { name: "team", value: "bench" } }, as: { role, ...everything } },
    ],
    ...defined({ jwt, embeddings }),
    approvals: { timeoutMs: 600_000, keepMs: 604_800_000 },
    ports: { http: port, admin: adminPort },
    http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 32 * 1024 * 1024 },
    drainTimeoutMs: 1_000,
    logLevel: "INFO",
  };
  await mkdir(join(dir, "bench"), { recursive: true });
  await writeFile(join(dir, "gateway.json"), JSON.stringify(config));
  const lines = tokens.map((token) => `sha256:${createHash("sha256").update(token).digest("hex")}\n`);
  await writeFile(join(dir, "bench/tokens"), lines.join(""));
  const image = readImageStart("gateway");
  const command = [process.execPath, "--inspect-port=127.0.0.1:0", heapFlag, ...image.flags, image.program];
  const start = access && (await preparePodStart(access, { namespace, dir, command }));
  const { file = "", args, env: podEnv } = start ?? { file: command[0], args: command.slice(1), env: {} };
  const gateway = await startProgram({
    name: "gateway",
    file,
    args,
    env: {
      ...podEnv,
      ...image.env,
      PALLAS_GATEWAY_CONFIG: join(dir, "gateway.json"),
      PALLAS_SECRETS_DIR: dir,
      PALLAS_SESSIONS_FILE: join(dir, "sessions.json"),
      PALLAS_REGISTRATIONS_FILE: join(dir, "registrations.json"),
      PALLAS_APPROVALS_FILE: join(dir, "approvals.json"),
      PALLAS_HOST: "127.0.0.1",
      PALLAS_DRAIN_DELAY_MS: "0",
      ...env,
    },
  });
  const deadline = Date.now() + startTimeoutMs;
  while ((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status !== 200) {
    if (Date.now() > deadline) throw new Error(`expected the gateway to be ready within ${startTimeoutMs} ms`);
    await delay(pollMs);
  }
  return { ...gateway, url: `http://127.0.0.1:${port}` };
}

async function findPorts(): Promise<[number, number]> {
  const port = await findFreePorts(2);
  return [port, port + 1];
}
