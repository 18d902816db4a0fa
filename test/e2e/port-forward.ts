// A way from the tests into a pod past its NetworkPolicy, for clients that cannot run in the cluster. It ends with its pod.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Space } from "./testbed.ts";

const startTimeoutMs = 30_000;

export interface Forward extends AsyncDisposable {
  readonly url: string;
}

/** @param target as kubectl names it, such as `service/memory-server` */
export async function openForward(space: Space, target: string, port: number): Promise<Forward> {
  const { kubectlPath, kubeconfigPath } = space.cluster;
  const args = [`--kubeconfig=${kubeconfigPath}`, `--namespace=${space.name}`, "port-forward", target, `:${port}`];
  const child = spawn(kubectlPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill();
    await exited;
  };
  const timer = setTimeout(() => void stop(), startTimeoutMs);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, local] = /127\.0\.0\.1:(\d+) ->/.exec(line) ?? [];
      if (local === undefined) continue;
      child.stdout.resume(); // It says something with each connection.
      return { url: `http://127.0.0.1:${local}`, [Symbol.asyncDispose]: stop };
    }
    throw new Error(`expected kubectl to forward a port to ${target} within ${startTimeoutMs} ms, and it ended`);
  } finally {
    clearTimeout(timer);
  }
}
