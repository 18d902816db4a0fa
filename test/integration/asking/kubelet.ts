// What the kubelet and the network of pods do for a program of ours that a test starts in place of a pod: its token, its mounted live
// configuration, and where names lead.
import { rename, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { callApi } from "../../cluster/api-call.ts";
import { cluster } from "../../cluster/cluster.ts";
import type { WatchedNamespace } from "../watched-namespace.ts";

/** A pod as tokens and EndpointSlices name it. */
export interface PodRef {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly name: string;
  readonly uid: string;
}

const mountEveryMs = 200;

export async function findPod(space: Pick<WatchedNamespace, "kubectl">, agent: string): Promise<PodRef> {
  const found = await space.kubectl("get", "pods", `--selector=pallas.helu.ca/agent=${agent}`, "--output=json");
  const { name, uid } = JSON.parse(found).items[0].metadata;
  return { apiVersion: "v1", kind: "Pod", name, uid };
}

/** By it a gateway knows the agent's pod, whose token it believes. */
export const sliceOf = (targetRef: PodRef, agent: string, address: string) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: `${agent}-by-hand`,
    labels: {
      "pallas.helu.ca/component": "agent",
      "pallas.helu.ca/agent": agent,
      "pallas.helu.ca/instance": "team",
    },
  },
  addressType: "IPv4",
  endpoints: [{ addresses: [address], conditions: { ready: true }, targetRef }],
});

/** @param spec of a TokenRequest */
export async function requestToken(
  { name: namespace }: Pick<WatchedNamespace, "name">,
  account: string,
  spec: object,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { status, body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
  if (status !== 201) throw new Error(`expected a token of ${account}, found ${status}: ${body}`);
  return JSON.parse(body).status.token;
}

/** Keeps a file as the live configuration of an agent is, until it is disposed of. */
export function mountLiveConfig(
  { name: namespace }: Pick<WatchedNamespace, "name">,
  agent: string,
  file: string,
): AsyncDisposable {
  const stop = new AbortController();
  const path = `/api/v1/namespaces/${namespace}/configmaps/${agent}-live-config`;
  let mounted: string | undefined;
  const mount = async () => {
    const text: unknown = JSON.parse((await callApi(cluster(), { path })).body).data?.["live-config.json"];
    if (typeof text !== "string" || text === mounted) return;
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
    mounted = text;
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      await mount().catch(() => undefined); // a busy server did not answer in time: asked again
      await delay(mountEveryMs);
    }
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

export interface Network {
  /** For POD_NETWORK of pod-network.ts. */
  readonly path: string;
  /** `host:port` leads to this port of loopback from now on. */
  lead(from: string, port: number): Promise<void>;
}

export function createNetwork(path: string): Network {
  const ports: Record<string, number> = {};
  return {
    path,
    async lead(from, port) {
      ports[from] = port;
      await writeFile(`${path}.new`, JSON.stringify(ports));
      await rename(`${path}.new`, path);
    },
  };
}
