// The built operator as a child process against the test API server, under a ServiceAccount with the rights of an
// installation, watched through its own metrics.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect } from "vitest";
import { runNotes } from "../rights/started.ts";
import {
  createOperatorAccount,
  grantRights,
  operatorAccount,
  writeAccountKubeconfig,
  type ServerAccess,
} from "./program-account.ts";

export interface OperatorProcess extends AsyncDisposable {
  /** Of probes and metrics, without a trailing slash. */
  readonly adminUrl: string;
  /** Requests so far by HTTP method, as its own rest_client_requests_total counts them. */
  requests(): Promise<Record<string, number>>;
  /** Values of one metric, by its labels. */
  metric(name: string): Promise<Map<string, number>>;
  /** Lines of its log so far, as they are, that hold this text. */
  logged(text: string): string[];
  stop(): Promise<{ code: number | null; stderr: string }>;
  /** Milliseconds since 1970 when it logged its first line with this message; undefined before. */
  loggedAt(message: string): number | undefined;
  /** Freezes and thaws it: to the others it looks partitioned, to itself no time passes. The rest goes to its handlers. */
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGTERM" | "SIGUSR2"): void;
  /** How it ended, once it has. */
  readonly ended: Promise<number | null>;
  /** Ends it as a crash would, at once and without a word; resolves when it has ended. */
  kill9(): Promise<void>;
}

const program = join(import.meta.dirname, "../../dist/operator.js");
const startTimeoutMs = 30_000;

/** Reads the log to its end. `adminPort` is what it says there, or rejects with the whole log when that has none. */
function readLog(stdout: Readable): { adminPort: Promise<number>; loggedAt: Map<string, number> } {
  const loggedAt = new Map<string, number>();
  const found = Promise.withResolvers<number>();
  const seen: string[] = [];
  const lines = createInterface(stdout);
  lines.on("line", (line) => {
    const { adminPort, message } = JSON.parse(line);
    if (!loggedAt.has(message)) loggedAt.set(message, Date.now());
    if (typeof adminPort === "number") found.resolve(adminPort);
    if (!loggedAt.has("operator started")) seen.push(line);
  });
  lines.once("close", () =>
    found.reject(new Error(`expected the operator to say its admin port, found:\n${seen.join("\n")}`)),
  );
  return { adminPort: found.promise, loggedAt };
}

export interface OperatorOptions {
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  readonly env?: Record<string, string>;
  /** The namespace of its account and its Lease; default: the first of `namespaces`. */
  readonly home?: string;
  /** False: it has an account and no right, until the test calls `grantRights`. */
  readonly isGranted?: boolean;
  /** Another way to be that account than a kubeconfig with a token. */
  readonly kubeconfigPath?: string;
}

/** The kubeconfig of the operator's account, which is made where it is not there yet. */
async function prepareAccount(access: ServerAccess, options: OperatorOptions) {
  const { namespaces, home = namespaces[0], isGranted = true } = options;
  if (home === undefined) throw new Error("expected a home for an operator that watches the whole cluster, found none");
  await createOperatorAccount(access, home);
  if (isGranted) await grantRights(access, { home, namespaces });
  const scope = namespaces.length === 0 ? [] : [...new Set([...namespaces, home])];
  const testPath = expect.getState().testPath ?? "";
  runNotes.noteStart({ program: "operator", account: `${home}/${operatorAccount}`, namespaces: scope, testPath });
  if (options.kubeconfigPath !== undefined) return { path: options.kubeconfigPath, remove: () => Promise.resolve() };
  return writeAccountKubeconfig(access, home, operatorAccount);
}

export async function startOperator(access: ServerAccess, options: OperatorOptions): Promise<OperatorProcess> {
  const kubeconfig = await prepareAccount(access, options);
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env["PATH"] ?? "",
      KUBECONFIG: kubeconfig.path,
      PALLAS_NAMESPACES: options.namespaces.join(","),
      PALLAS_AGENT_IMAGE: "pallas/agent:test",
      PALLAS_REGISTRY_IMAGE: "pallas/registry:test",
      PALLAS_GATEWAY_IMAGE: "pallas/gateway:test",
      PALLAS_BRIDGE_IMAGE: "pallas/bridge:test",
      PALLAS_ADMIN_PORT: "0",
      PALLAS_HOST: "127.0.0.1",
      // One process a namespace, unless a test says otherwise: a killed one must not hold up the next.
      PALLAS_LEADER_ELECTION: "false",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const exited = once(child, "close");
  // A test that fails amid its work must not leave it behind.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => {
    process.off("exit", kill);
    void kubeconfig.remove();
  });
  const late = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
  const { adminPort, loggedAt } = readLog(child.stdout);
  const port = await adminPort.catch((error: unknown) => {
    throw new Error(`the operator did not start: ${stderr}`, { cause: error });
  });
  clearTimeout(late);

  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const found = new Map<string, number>();
    for (const line of text.split("\n")) {
      const match = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line);
      if (match?.[1] === name) found.set(match[2] ?? "", Number(match[3]));
    }
    return found;
  };
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    return { code: child.exitCode, stderr };
  };
  return {
    adminUrl: `http://127.0.0.1:${port}`,
    metric,
    logged: (text) => stdout.split("\n").filter((line) => line.includes(text)),
    stop,
    loggedAt: (message) => loggedAt.get(message),
    signal: (name) => void child.kill(name),
    ended: exited.then(() => child.exitCode),
    async kill9() {
      child.kill("SIGKILL");
      await exited;
    },
    async requests() {
      const byMethod: Record<string, number> = {};
      for (const [labels, value] of await metric("rest_client_requests_total")) {
        const method = /method="([A-Z]+)"/.exec(labels)?.[1] ?? "?";
        byMethod[method] = (byMethod[method] ?? 0) + value;
      }
      return byMethod;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
    },
  };
}
