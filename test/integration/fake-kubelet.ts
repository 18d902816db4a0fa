// Stands in for the kubelet where there is no node: marks every pod of a namespace as running and ready, as long as it
// is not told otherwise. Everything above the pods (Deployments, ReplicaSets, garbage collection) is real.
import { callApi, type ApiAccess } from "../cluster/api-call.ts";

export interface FakeKubelet extends AsyncDisposable {
  /** Pods of this Deployment stay pending from now on. */
  hold(deployment: string): void;
  release(deployment: string): void;
}

interface Pod {
  metadata: { name: string; labels?: Record<string, string> };
  status?: { conditions?: { type: string; status: string }[] };
}

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True");

async function markReady(access: ApiAccess, namespace: string, pod: Pod): Promise<void> {
  const now = new Date().toISOString();
  const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now });
  const status = {
    phase: "Running",
    podIP: "127.0.0.1",
    conditions: ["Ready", "ContainersReady", "PodScheduled", "Initialized"].map(condition),
  };
  await access.kubectl([
    "patch",
    "pod",
    pod.metadata.name,
    `--namespace=${namespace}`,
    "--subresource=status",
    "--type=merge",
    `--patch=${JSON.stringify({ status })}`,
  ]);
}

export function startFakeKubelet(access: ApiAccess, namespace: string): FakeKubelet {
  const held = new Set<string>();
  const stop = new AbortController();
  const round = async () => {
    const { body } = await callApi(access, { path: `/api/v1/namespaces/${namespace}/pods` });
    const pods: Pod[] = JSON.parse(body).items;
    const waiting = pods.filter(
      (pod) => !isReady(pod) && ![...held].some((name) => pod.metadata.name.startsWith(`${name}-`)),
    );
    await Promise.all(waiting.map((pod) => markReady(access, namespace, pod).catch(() => undefined))); // gone meanwhile
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      await round().catch(() => undefined); // a busy server did not answer in time: asked again
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const running = loop();
  return {
    hold: (deployment) => held.add(deployment),
    release: (deployment) => held.delete(deployment),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
