// The built operator as a process of its own, looked at from outside: its metrics, what the kernel says it uses, and
// what its heap holds after a collection. It cannot outlive the benchmark.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiAccess } from "../cluster/api-call.ts";
import { createProcessGroup } from "../cluster/process-group.ts";
import { readImageStart } from "./image-start.ts";
import { readCollectedHeap } from "./inspected-heap.ts";
import { preparePodStart } from "./pod-start.ts";
import { bucketsOf, parseMetrics, sumOf, type Buckets } from "./prometheus-text.ts";
import { readUsage, type ProcessUsage } from "./process-usage.ts";

export interface OperatorUnderTest extends AsyncDisposable {
  usage(): Promise<ProcessUsage>;
  /** Writes it has sent so far, Leases and Events among them. */
  writes(): Promise<number>;
  /** How long agents' keys waited in the queue, so far. */
  queueSeconds(): Promise<Buckets>;
  /** Reconciles of agents so far, whatever came of them. */
  reconciles(): Promise<number>;
  /** Bytes in use on its heap after a full collection. Opens its debugger: nothing may be timed afterwards. */
  collectedHeapBytes(): Promise<number>;
}

const startTimeoutMs = 30_000;
const pollMs = 50;
const masterStatus = "leader_election_master_status";
const writeMethods = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export interface OperatorOptions {
  readonly namespace: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when it is ready to reconcile. */
export async function startOperatorUnderTest(
  access: ApiAccess,
  { namespace, env = {} }: OperatorOptions,
): Promise<OperatorUnderTest> {
  const dir = mkdtempSync(join(tmpdir(), "pallas-bench-"));
  const group = createProcessGroup({ dir, removeDir: true });
  const image = readImageStart("operator");
  const command = [process.execPath, "--inspect-port=127.0.0.1:0", ...image.flags, image.program];
  const pod = await preparePodStart(access, { namespace, dir, command });
  const operator = group.start("operator", pod.file, pod.args, {
    ...pod.env,
    ...image.env,
    PALLAS_NAMESPACES: namespace,
    PALLAS_AGENT_IMAGE: "pallas/agent:bench",
    PALLAS_REGISTRY_IMAGE: "pallas/registry:bench",
    PALLAS_GATEWAY_IMAGE: "pallas/gateway:bench",
    PALLAS_BRIDGE_IMAGE: "pallas/bridge:bench",
    PALLAS_ADMIN_PORT: "0",
    PALLAS_HOST: "127.0.0.1",
    ...env,
  });
  const readLog = () => group.readLogTail("operator", Number.POSITIVE_INFINITY);

  const poll = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (!operator.isRunning() || Date.now() > deadline) {
        const tail = await group.readLogTail("operator");
        await group.close();
        throw new Error(`expected the operator ${what} within ${startTimeoutMs} ms; the end of its log:\n${tail}`);
      }
      await delay(pollMs);
    }
  };
  const port = await poll("to say its admin port", async () => /"adminPort":(\d+)/.exec(await readLog())?.[1]);
  const origin = `http://127.0.0.1:${port}`;
  await poll("to be ready", async () => ((await fetch(`${origin}/readyz`)).ok ? true : undefined));
  const metrics = async (...names: string[]) => parseMetrics(await (await fetch(`${origin}/metrics`)).text(), names);
  // Only the leader reconciles; without election there is no such metric.
  await poll("to lead", async () =>
    (await metrics(masterStatus)).some(({ value }) => value === 0) ? undefined : true,
  );

  return {
    usage: () => readUsage(operator.pid),
    async writes() {
      const samples = await metrics("rest_client_requests_total");
      return sumOf(samples, "rest_client_requests_total", ({ method = "" }) => writeMethods.has(method));
    },
    async reconciles() {
      const name = "controller_runtime_reconcile_total";
      return sumOf(await metrics(name), name, ({ controller }) => controller === "pallasagent");
    },
    async queueSeconds() {
      const name = "workqueue_queue_duration_seconds";
      return bucketsOf(await metrics(`${name}_bucket`), name, (labels) => labels["name"] === "pallasagent");
    },
    async collectedHeapBytes() {
      process.kill(operator.pid, "SIGUSR1");
      const url = await poll(
        "to open its debugger",
        async () => /Debugger listening on (ws:\S+)/.exec(await readLog())?.[1],
      );
      return readCollectedHeap(url);
    },
    async [Symbol.asyncDispose]() {
      await operator.end("SIGTERM"); // may be called twice
      await group.close();
    },
  };
}
