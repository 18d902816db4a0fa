// Starts a program as the kubelet would: with a ServiceAccount's token and the server's CA where a pod has them, in a
// mount namespace of its own, instead of a kubeconfig, whose library takes memory that no pod needs. Linux and root only.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callApi, type ApiAccess } from "../cluster/api-call.ts";

const account = "operator";
/** A benchmark is over by then. */
const tokenSeconds = 86_400;

async function post<T>(access: ApiAccess, path: string, body: object): Promise<T> {
  const answer = await callApi(access, { method: "POST", path, body });
  if (answer.status !== 201 && answer.status !== 409) {
    throw new Error(`expected ${path} to take the benchmark's account, found ${answer.status}: ${answer.body}`);
  }
  return JSON.parse(answer.body);
}

/** A token that may do everything: what is measured is memory and time, not rights. */
async function createToken(access: ApiAccess, namespace: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await post(access, accounts, { metadata: { name: account } });
  await post(access, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: `bench-${namespace}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  });
  const spec = { spec: { expirationSeconds: tokenSeconds } };
  const { status } = await post<{ status: { token: string } }>(access, `${accounts}/${account}/token`, spec);
  return status.token;
}

/** Everything below /run is the pod's own; the folder `$0` becomes its service account. */
const script = `mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
mount --bind "$0" /run/secrets/kubernetes.io/serviceaccount
exec "$@"`;

export interface PodStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How to start `command` in that way.
 * @param dir an empty folder of the benchmark's
 */
export async function preparePodStart(
  access: ApiAccess,
  {
    namespace,
    dir,
    command,
  }: { readonly namespace: string; readonly dir: string; readonly command: readonly string[] },
): Promise<PodStart> {
  if (process.getuid?.() !== 0) throw new Error("starting a program as in a pod needs root; run the benchmark as root");
  const folder = join(dir, "serviceaccount");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "token"), await createToken(access, namespace), { mode: 0o600 });
  await copyFile(access.caPath, join(folder, "ca.crt"));
  const { hostname, port } = new URL(access.url);
  return {
    file: "unshare",
    args: ["--mount", "--propagation", "private", "sh", "-ec", script, folder, ...command],
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
  };
}
