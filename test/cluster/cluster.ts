// What a test file sees of the one API server that global-setup.ts shares among all of them. Files run in parallel on
// it, so each works in namespaces of its own; whoever needs to break the server starts one with startApiServer.

import { randomBytes } from "node:crypto";

import { inject } from "vitest";

import { callApi } from "./api-call.ts";
import type { ApiAccess } from "./api-call.ts";
import type { Missing } from "./go-build.ts";
import { createKubectl } from "./kubectl.ts";
import type { KubectlSetup } from "./kubectl.ts";

/** What crosses from the global setup to the test processes: plain data. */
type ProvidedCluster = Missing | (Omit<ApiAccess, "kubectl"> & { readonly kubectlSetup: KubectlSetup });

declare module "vitest" {
  interface ProvidedContext {
    cluster: ProvidedCluster | undefined; // undefined where the project does not list global-setup.ts
  }
}

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
  /** Asks for its deletion and does not wait for the end of it. */
  remove(): Promise<void>;
}

/** Why there is no shared API server, undefined when there is one: `describe.skipIf(clusterMissing())(…)`. */
export function clusterMissing(): string | undefined {
  const provided = inject("cluster");
  if (provided === undefined) return "this vitest project does not list test/cluster/global-setup.ts in globalSetup";
  return "missing" in provided ? provided.missing : undefined;
}

/** The shared API server, with controllers and the project's CRDs. Throws when it is missing; call it inside tests. */
export function cluster(): ApiAccess {
  const provided = inject("cluster");
  if (provided === undefined || "missing" in provided) throw new Error(`no test API server: ${clusterMissing()}`);
  const { kubectlSetup, ...access } = provided;
  return { ...access, kubectl: createKubectl(kubectlSetup) };
}

/**
 * Makes a namespace named `<prefix>-<8 random hex digits>`; `prefix` is a DNS label of at most 54 characters.
 * Remove it with `await using` in a test, or with `remove` in afterAll.
 */
export async function createNamespace(prefix: string, access: ApiAccess = cluster()): Promise<TestNamespace> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const created = await callApi(access, { method: "POST", path: "/api/v1/namespaces", body });
  if (created.status !== 201) {
    throw new Error(`expected 201 for namespace ${name}, found ${created.status}: ${created.body}`);
  }

  const remove = async (): Promise<void> => {
    const { status, body } = await callApi(access, { method: "DELETE", path: `/api/v1/namespaces/${name}` });
    const isGoing = status === 200 || status === 404 || status === 409; // 409: it is being deleted already
    if (!isGoing) throw new Error(`expected namespace ${name} to be deleted, found ${status}: ${body}`);
  };
  return { name, remove, [Symbol.asyncDispose]: remove };
}
