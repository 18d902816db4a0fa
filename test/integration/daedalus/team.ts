// A team as a user has it: a tool server, and `pallas up` from dist/ on a folder of manifests with an orchestrator, the agent
// that it asks, and that agent's tools. The model is the keyless `passthrough`, which does what the message says.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveMcp } from "../../../lib/mcp/serve.ts";
import { type JsonObjectSchema, type McpTable, staticTools } from "../../../lib/mcp/table.ts";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { findFreePorts } from "../../../lib/process/testing/free-ports.ts";

const program = join(import.meta.dirname, "../../../dist/pallas.js");
const readyDeadlineMs = 60_000;
const stopDeadlineMs = 15_000;

export interface Team {
  registryUrl: string;
  /** When the tool server noticed that the call of `wait` with this id was cancelled; ms since 1970. */
  whenCancelled(id: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts everything and returns when `pallas up` has said that all is ready. */
export async function startTeam(): Promise<Team> {
  const tools = await startTools();
  const folder = await mkdtemp(join(tmpdir(), "pallas-daedalus-"));
  const stopRest = async (): Promise<void> => {
    await tools.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const registryPort = await findFreePorts(3);
    const agentPorts = [registryPort + 1, registryPort + 2];
    await writeFile(join(folder, "team.yaml"), renderManifests(tools.url, agentPorts));
    const pallas = await startPallas(folder, registryPort);
    return {
      registryUrl: `http://localhost:${registryPort}`,
      whenCancelled: (id) => tools.cancellations.of(id).promise,
      async stop() {
        await endProcess(pallas);
        await stopRest();
      },
    };
  } catch (error) {
    await stopRest();
    throw error;
  }
}

/** `tech-scout` has a hyphen, so that each spelling of a name shows. */
const renderManifests = (toolsUrl: string, [orchestratorPort, agentPort]: readonly number[]): string => `
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasInstance
metadata: { name: ouranos }
spec:
  registryNamespace: ca.helu.ouranos
  defaultModel: passthrough
  modelCapabilities: { vision: false, contextWindow: 200000, maxOutputTokens: 32000 }
  servers:
    - { name: argos, url: "${toolsUrl}" }
---
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata: { name: harper }
spec:
  instanceRef: { name: ouranos }
  title: Harper
  description: Asks the scout
  agents: [{ name: tech-scout }]
  port: ${orchestratorPort}
---
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata: { name: tech-scout }
spec:
  instanceRef: { name: ouranos }
  description: Web search via Argos
  servers: [{ name: argos }]
  port: ${agentPort}
`;

async function startPallas(folder: string, registryPort: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, "up", "-f", folder, "--port", String(registryPort)], {
    env: { ...process.env, PALLAS_STATE_DIR: join(folder, ".state") },
    // Over the IPC channel pallas notices when this process is gone, and stops.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const note = (chunk: Buffer) => {
    output += chunk.toString();
    if (/^registry ready: /m.test(output)) resolve();
  };
  child.stdout?.on("data", note);
  child.stderr?.on("data", note);
  const fail = (what: string) =>
    reject(new Error(`expected pallas up to become ready, but ${what}; it said:\n${output}`));
  child.once("error", (error) => fail(error.message));
  child.once("exit", (code) => fail(`it ended with exit code ${code}`));
  const timer = setTimeout(() => fail(`it was not within ${readyDeadlineMs} ms`), readyDeadlineMs);
  try {
    await ready;
  } catch (error) {
    await endProcess(child);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return child;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopDeadlineMs);
  await ended;
  clearTimeout(timer);
}

const oneText = (name: string): JsonObjectSchema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
  additionalProperties: false,
});

interface Cancellations {
  of(id: string): PromiseWithResolvers<number>;
}

function createCancellations(): Cancellations {
  const byId = new Map<string, PromiseWithResolvers<number>>();
  return {
    of(id) {
      const found = byId.get(id) ?? Promise.withResolvers<number>();
      byId.set(id, found);
      return found;
    },
  };
}

/** `search` answers and tells of its progress; `wait` lasts until it is cancelled. */
function createTools(cancellations: Cancellations): McpTable {
  return {
    server: { name: "argos", version: "1.0.0" },
    prompts: [],
    tools: staticTools([
      {
        name: "search",
        description: "Searches.",
        inputSchema: oneText("query"),
        async call({ query }, { sendProgress }) {
          await sendProgress?.({ progress: 1, total: 2, message: "looking" });
          return { content: [{ type: "text", text: `3 results for ${String(query)}` }] };
        },
      },
      {
        name: "wait",
        description: "Lasts until it is cancelled.",
        inputSchema: oneText("id"),
        async call({ id }, { signal }) {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
          cancellations.of(String(id)).resolve(Date.now());
          return { content: [] };
        },
      },
    ]),
  };
}

async function startTools() {
  const cancellations = createCancellations();
  const log = createLogger({ logger: "tools", level: "SILENT" });
  const limits = { bodyLimitBytes: 1_000_000, sessions: { idleTtlMs: 600_000, max: 1_000 } };
  const endpoint = serveMcp(createTools(cancellations), { log, callers: "anyone", ...limits });
  const server = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const stop = async (): Promise<void> => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  return { url: `${server.url}/mcp`, cancellations, stop };
}
