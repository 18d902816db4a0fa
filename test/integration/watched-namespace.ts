// A namespace with an operator and a stand-in for the kubelet in it, and short ways to look at what is there.
import { parseRunConfig, type RunConfig } from "../../crds/run-config.ts";
import { cluster, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { startFakeKubelet, type FakeKubelet } from "./fake-kubelet.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

/** The run configuration that an agent's Deployment mounts. */
export async function readRunConfig(
  { get }: Pick<WatchedNamespace, "get">,
  agent: string,
): Promise<RunConfig | undefined> {
  const [name] = /[-a-z0-9]+-run-config-[0-9a-f]{16}/.exec(JSON.stringify((await get("deployment", agent)).spec)) ?? [];
  const text = name === undefined ? undefined : (await get("configmap", name)).data?.["run-config.json"];
  return text === undefined ? undefined : parseRunConfig(text);
}

interface LiveObject {
  metadata: {
    name: string;
    uid: string;
    generation: number;
    resourceVersion: string;
    annotations?: Record<string, string>;
  };
  spec: Record<string, unknown>;
  status?: { conditions?: Condition[] } & Record<string, unknown>;
  data?: Record<string, string>;
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  observedGeneration: number;
}

export interface WatchedNamespace extends AsyncDisposable {
  readonly name: string;
  readonly operator: OperatorProcess;
  readonly kubelet: FakeKubelet;
  kubectl(...args: string[]): Promise<string>;
  /** With a manifest that it reads. */
  kubectlWith(input: string, ...args: string[]): Promise<string>;
  apply(...manifests: object[]): Promise<void>;
  get(kind: string, name: string): Promise<LiveObject>;
  /** kind/name of everything of these kinds, sorted. */
  list(...kinds: string[]): Promise<string[]>;
  /** A condition as `status reason`, or "" while it is not there. */
  condition(kind: string, name: string, type: string): Promise<string>;
  message(kind: string, name: string, type: string): Promise<string>;
  waitFor(kind: string, name: string, condition: string, timeoutSeconds?: number): Promise<void>;
}

/** In a new namespace `<prefix>-<random>`, or in one that is there and is removed at the end all the same. */
export async function watchNamespace(
  where: string | TestNamespace,
  env: Readonly<Record<string, string>> = {},
): Promise<WatchedNamespace> {
  const access = cluster();
  const namespace = typeof where === "string" ? await createNamespace(where, access) : where;
  const kubectl = (...args: string[]) => access.kubectl([`--namespace=${namespace.name}`, ...args]);
  const operator = await startOperator(access, { namespaces: [namespace.name], env });
  const kubelet = startFakeKubelet(access, namespace.name);
  const get = async (kind: string, name: string): Promise<LiveObject> =>
    JSON.parse(await kubectl("get", kind, name, "-o", "json"));
  const find = async (kind: string, name: string, type: string) =>
    (await get(kind, name)).status?.conditions?.find((condition) => condition.type === type);
  return {
    name: namespace.name,
    operator,
    kubelet,
    kubectl,
    kubectlWith: (input, ...args) => access.kubectl([`--namespace=${namespace.name}`, ...args], { input }),
    get,
    async apply(...manifests) {
      const input = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
      await access.kubectl(
        ["apply", "--server-side", "--force-conflicts", `--namespace=${namespace.name}`, "-f", "-"],
        { input },
      );
    },
    async list(...kinds) {
      const names = await kubectl("get", kinds.join(","), "-o", "name");
      return names
        .split("\n")
        .filter((line) => line !== "")
        .toSorted();
    },
    async condition(kind, name, type) {
      const found = await find(kind, name, type);
      return found ? `${found.status} ${found.reason}` : "";
    },
    async message(kind, name, type) {
      return (await find(kind, name, type))?.message ?? "";
    },
    async waitFor(kind, name, condition, timeoutSeconds = 30) {
      await kubectl("wait", `--for=${condition}`, `${kind}/${name}`, `--timeout=${timeoutSeconds}s`);
    },
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await kubelet[Symbol.asyncDispose]();
      await namespace.remove();
    },
  };
}
