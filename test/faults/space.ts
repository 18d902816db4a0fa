// A namespace for fault rows: a small instance with two agents in it, and short ways to edit and to look, past the
// proxy and past the operator's own client.

import { callApi } from "../cluster/api-call.ts";
import type { ApiAccess } from "../cluster/api-call.ts";
import { createNamespace } from "../cluster/cluster.ts";

export interface LiveObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly ownerReferences?: { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: {
      type: string;
      status: string;
      reason: string;
      message: string;
      observedGeneration?: number;
    }[];
    readonly agents?: { readonly ready: number };
  };
  readonly data?: Record<string, string>;
}

const pallas = "/apis/pallas.helu.ca/v1alpha1";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roots = {
  pallasinstances: pallas,
  pallasagents: pallas,
  deployments: "/apis/apps/v1",
  replicasets: "/apis/apps/v1",
  services: "/api/v1",
  configmaps: "/api/v1",
  serviceaccounts: "/api/v1",
  roles: rbac,
  rolebindings: rbac,
  networkpolicies: "/apis/networking.k8s.io/v1",
  poddisruptionbudgets: "/apis/policy/v1",
} as const;
export type Plural = keyof typeof roots;
export const plurals = Object.keys(roots).filter((name): name is Plural => name in roots);

const kind = (name: "PallasInstance" | "PallasAgent" | "PallasServer", metadata: object, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: name,
  metadata,
  spec,
});
export const instance = (name = "team", spec: object = {}) =>
  kind("PallasInstance", { name }, { registryNamespace: "com.example", defaultModel: "passthrough", ...spec });
export const agent = (name: string, spec: object = {}) =>
  kind("PallasAgent", { name }, { instanceRef: { name: "team" }, ...spec });
export const server = (name: string, spec: object) =>
  kind("PallasServer", { name }, { instanceRef: { name: "team" }, ...spec });
/** beta calls alpha, so its Deployment waits until alpha is Ready. */
export const smallInstance = [instance(), agent("alpha"), agent("beta", { agents: [{ name: "alpha" }] })];

export interface Space extends AsyncDisposable {
  readonly name: string;
  apply(...manifests: object[]): Promise<void>;
  kubectl(...args: string[]): Promise<string>;
  read(plural: Plural, name: string): Promise<LiveObject | undefined>;
  list(plural: Plural): Promise<LiveObject[]>;
  delete(plural: Plural, name: string): Promise<void>;
  /** The ConfigMap that the agent's Deployment mounts. */
  runConfig(name: string): Promise<LiveObject | undefined>;
  /** Sets the agent's spec.request.maxSteps; `steps` says what its run configuration has. */
  setSteps(name: string, maxSteps: number): Promise<void>;
  steps(name: string): Promise<number | undefined>;
}

/** Removed at the end of the block that uses it, with what is in it. */
export async function createSpace(prefix: string, access: ApiAccess): Promise<Space> {
  const namespace = await createNamespace(prefix, access);
  const pathOf = (plural: Plural) => `${roots[plural]}/namespaces/${namespace.name}/${plural}`;
  const kubectl = (...args: string[]) => access.kubectl([`--namespace=${namespace.name}`, ...args]);

  const read = async (plural: Plural, name: string): Promise<LiveObject | undefined> => {
    const { status, body } = await callApi(access, { path: `${pathOf(plural)}/${name}` });
    return status === 200 ? JSON.parse(body) : undefined;
  };
  const runConfig = async (name: string): Promise<LiveObject | undefined> => {
    const [mounted] =
      /[-a-z0-9]+-run-config-[0-9a-f]{16}/.exec(JSON.stringify(await read("deployments", name)) ?? "") ?? [];
    return mounted === undefined ? undefined : read("configmaps", mounted);
  };
  return {
    name: namespace.name,
    kubectl,
    read,
    async apply(...manifests) {
      const input = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
      const args = ["apply", "--server-side", "--force-conflicts", `--namespace=${namespace.name}`, "--filename=-"];
      await access.kubectl(args, { input });
    },
    async list(plural) {
      return JSON.parse((await callApi(access, { path: pathOf(plural) })).body).items;
    },
    async delete(plural, name) {
      const { status, body } = await callApi(access, { method: "DELETE", path: `${pathOf(plural)}/${name}` });
      if (status !== 200 && status !== 404) throw new Error(`expected ${plural}/${name} to be deleted, found: ${body}`);
    },
    async setSteps(name, maxSteps) {
      const patch = JSON.stringify({ spec: { request: { maxSteps } } });
      await kubectl("patch", "pallasagent", name, "--type=merge", `--patch=${patch}`);
    },
    runConfig,
    async steps(name) {
      const data = (await runConfig(name))?.data;
      return data === undefined ? undefined : JSON.parse(data["run-config.json"] ?? "{}").request?.maxSteps;
    },
    [Symbol.asyncDispose]: () => namespace.remove(),
  };
}
