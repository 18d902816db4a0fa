// The ServiceAccounts that tests run our programs under: with the very rights that an installation gives, never as the
// administrator. Everything is set up past proxies and their problems.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { renderRights } from "../rights/render-rights.ts";
import { callApi, type ApiAccess } from "../cluster/api-call.ts";
import { renderTokenKubeconfig } from "../cluster/token-kubeconfig.ts";

export const operatorAccount = "pallas-operator";

type Access = Omit<ApiAccess, "kubectl" | "kubeconfigPath">;
/** A server, or a proxy in front of one. */
export type ServerAccess = Access & { readonly upstream?: Access };

type RightsObject = ReturnType<typeof renderRights>[number];

function pathOf({ apiVersion, kind, metadata: { namespace } }: RightsObject): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}

/** One that is there already, since an operator before, is the same. */
async function create(access: Access, object: RightsObject): Promise<void> {
  const { status, body } = await callApi(access, { method: "POST", path: pathOf(object), body: object });
  if (status !== 201 && status !== 409) {
    throw new Error(`expected ${object.kind} "${object.metadata.name}" to be created, found ${status}: ${body}`);
  }
}

async function isAllowed(access: Access, home: string, resourceAttributes: object): Promise<boolean> {
  const user = `system:serviceaccount:${home}:${operatorAccount}`;
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes },
  };
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  return JSON.parse((await callApi(access, { method: "POST", path, body })).body).status?.allowed === true;
}

export interface OperatorAccountOptions {
  /** Of the account and the Lease. */
  readonly home: string;
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
}

/** Gives the operator's account in `home` its rights; resolves when they are in force. */
export async function grantRights(
  { upstream, ...own }: ServerAccess,
  { home, namespaces }: OperatorAccountOptions,
): Promise<void> {
  const access = upstream ?? own;
  const watched = namespaces.length === 0 ? undefined : namespaces;
  const agents = { group: "pallas.helu.ca", resource: "pallasagents", verb: "list" };
  const leases = { group: "coordination.k8s.io", resource: "leases", verb: "update", namespace: home };
  const scopes = watched?.map((namespace) => ({ ...agents, namespace })) ?? [agents];
  const isInForce = async () => {
    const verdicts = await Promise.all([...scopes, leases].map((attributes) => isAllowed(access, home, attributes)));
    return verdicts.every(Boolean);
  };
  if (await isInForce()) return; // since an operator before
  const rights = renderRights({ name: operatorAccount, namespace: home, watched });
  await Promise.all(rights.map((object) => create(access, object)));
  // The authorizer learns of roles by a watch, a little later.
  await vi.waitFor(async () => expect(await isInForce()).toBe(true), { timeout: 10_000, interval: 20 });
}

/** The operator's account in `home`, without rights. */
export async function createOperatorAccount({ upstream, ...own }: ServerAccess, home: string): Promise<void> {
  const metadata = { name: operatorAccount, namespace: home };
  await create(upstream ?? own, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}

export interface AccountKubeconfig {
  readonly path: string;
  remove(): Promise<void>;
}

/** A kubeconfig for `access` with a token of the account and nothing else. */
export async function writeAccountKubeconfig(
  access: ServerAccess,
  namespace: string,
  name: string,
): Promise<AccountKubeconfig> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status, body } = await callApi(access.upstream ?? access, { method: "POST", path, body: {} });
  if (status !== 201) throw new Error(`expected a token of ${namespace}/${name}, found ${status}: ${body}`);
  const { token } = JSON.parse(body).status;
  const dir = await mkdtemp(join(tmpdir(), "pallas-account-"));
  const kubeconfigPath = join(dir, "kubeconfig");
  const text = renderTokenKubeconfig(access.url, await readFile(access.caPath, "utf8"), token);
  await writeFile(kubeconfigPath, text, { mode: 0o600 });
  return { path: kubeconfigPath, remove: () => rm(dir, { recursive: true, force: true }) };
}
