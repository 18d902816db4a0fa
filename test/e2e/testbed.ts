// What end-to-end tests stand on: the cluster that the global setup opened, with Pallas installed in it, and namespaces
// of their own.
import { inject } from "vitest";
import { connectCluster, type ClusterAccess, type ClusterDescription } from "../cluster/node/cluster-access.ts";
import { restrictedLabels } from "./installation.ts";

declare module "vitest" {
  interface ProvidedContext {
    testbed: Testbed;
  }
}

export interface Testbed {
  readonly cluster: ClusterDescription;
  /** Of the images made from this checkout. */
  readonly tag: string;
  readonly enforcesNetworkPolicy: boolean;
}

export const testbed = (): Testbed => inject("testbed");
export const openedCluster = (): ClusterAccess => connectCluster(testbed().cluster);

export interface LiveObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly generation?: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Record<string, string>;
  };
  readonly spec: Record<string, unknown>;
  readonly status?: {
    readonly conditions?: { type: string; status: string; reason: string; lastTransitionTime: string }[];
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly phase?: string;
    readonly containerStatuses?: { restartCount: number; imageID: string; state: Record<string, unknown> }[];
  };
}

export interface Space extends AsyncDisposable {
  readonly name: string;
  readonly cluster: ClusterAccess;
  kubectl(...args: string[]): Promise<string>;
  apply(...objects: object[]): Promise<void>;
  /** `kind` or `kind/name`s as kubectl takes them. */
  list(kind: string, selector?: string): Promise<LiveObject[]>;
  read(kind: string, name: string): Promise<LiveObject>;
  /** Of an agent, those that are not going away. */
  pods(agent: string): Promise<LiveObject[]>;
  /** Resolves when all of these agents are Ready. */
  agentsReady(names: readonly string[], timeoutMs?: number): Promise<void>;
  /** Resolves when its registry serves: an agent does not wait for that. */
  instanceReady(name: string): Promise<void>;
  /** An edit that is of no concern to the agent's pod, and shows by its NetworkPolicy. */
  switchPolicyOff(agent: string): Promise<void>;
  isPolicyGone(agent: string): Promise<true | undefined>;
}

export const createSpace = (prefix: string): Promise<Space> =>
  createNamedSpace(`${prefix}-${Math.random().toString(36).slice(2, 8)}`);

export async function createNamedSpace(name: string): Promise<Space> {
  const cluster = openedCluster();
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${name}`, ...args], { timeoutMs: 180_000 });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: restrictedLabels } };
  await cluster.kubectl(["create", "--filename=-"], { input: JSON.stringify(namespace) });
  const list = async (kind: string, selector = ""): Promise<LiveObject[]> => {
    const found: { items: LiveObject[] } = JSON.parse(
      await kubectl("get", kind, `--selector=${selector}`, "--output=json"),
    );
    return found.items;
  };
  return {
    name,
    cluster,
    kubectl,
    async apply(...objects) {
      const input = objects.map((object) => JSON.stringify(object)).join("\n---\n");
      await cluster.kubectl(["apply", "--server-side", `--namespace=${name}`, "--filename=-"], { input });
    },
    list,
    read: async (kind, of) => JSON.parse(await kubectl("get", kind, of, "--output=json")),
    async pods(agent) {
      const found = await list("pods", `pallas.helu.ca/agent=${agent}`);
      return found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    async agentsReady(names, timeoutMs = 60_000) {
      const resources = names.map((each) => `pallasagent/${each}`);
      await kubectl("wait", "--for=condition=Ready", ...resources, `--timeout=${timeoutMs / 1_000}s`);
    },
    async instanceReady(of) {
      await kubectl("wait", "--for=condition=Ready", `pallasinstance/${of}`, "--timeout=60s");
    },
    async switchPolicyOff(agent) {
      const patch = JSON.stringify({ spec: { networkPolicy: { enabled: false } } });
      await kubectl("patch", "pallasagent", agent, "--type=merge", `--patch=${patch}`);
    },
    async isPolicyGone(agent) {
      return (await kubectl("get", "networkpolicy", agent, "--ignore-not-found", "--output=name")) === "" || undefined;
    },
    async [Symbol.asyncDispose]() {
      await cluster.kubectl(["delete", "namespace", name, "--wait=false", "--ignore-not-found"]);
    },
  };
}

export const isReady = ({ status }: LiveObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
