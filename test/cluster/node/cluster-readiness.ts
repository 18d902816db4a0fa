// Waits until a node cluster works. While it waits it watches that no program has ended, and an error shows the end of
// the log of the program that is most likely the reason.

import { Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";

import { callApi } from "../api-call.ts";
import type { Components } from "../components.ts";
import type { ProcessGroup } from "../process-group.ts";
import type { ServerFiles } from "../server-files.ts";
import { apiServiceAddress, dnsAddress, nodeName } from "./addresses.ts";
import type { NodeComponent } from "./node-commands.ts";

const readyTimeoutMs = 60_000;
const pollMs = 50;

interface Condition {
  readonly description: string;
  /** Whose log may say why it does not come. */
  readonly suspect: NodeComponent;
  readonly holds: () => Promise<boolean>;
}

export async function waitForApi(
  files: ServerFiles,
  components: Components<NodeComponent>,
  group: ProcessGroup,
): Promise<void> {
  const holds = async (): Promise<boolean> => (await readStatus(files, "/readyz")) !== undefined;
  await waitFor([{ description: `${files.url}/readyz answers`, suspect: "kube-apiserver", holds }], components, group);
}

/** Resolves when pods can be made, the node is ready for them, and names of the cluster resolve. */
export async function waitForNode(
  files: ServerFiles,
  components: Components<NodeComponent>,
  group: ProcessGroup,
): Promise<void> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([dnsAddress]);
  const conditions: Condition[] = [
    {
      description: "the default service account is there",
      suspect: "kube-controller-manager",
      holds: async () => (await readStatus(files, "/api/v1/namespaces/default/serviceaccounts/default")) !== undefined,
    },
    {
      description: "the node is Ready",
      suspect: "kubelet",
      holds: async () => hasCondition(await readStatus(files, `/api/v1/nodes/${nodeName}`), "Ready"),
    },
    {
      description: "CoreDNS is Available",
      suspect: "kubelet",
      holds: async () =>
        hasCondition(await readStatus(files, "/apis/apps/v1/namespaces/kube-system/deployments/coredns"), "Available"),
    },
    {
      description: `${dnsAddress} resolves kubernetes.default.svc.cluster.local`,
      suspect: "kube-proxy",
      holds: () =>
        resolver.resolve4("kubernetes.default.svc.cluster.local").then(
          (addresses) => addresses.includes(apiServiceAddress),
          () => false, // not answering yet; the caller has the deadline
        ),
    },
  ];
  await waitFor(conditions, components, group);
}

async function waitFor(
  conditions: readonly Condition[],
  components: Components<NodeComponent>,
  group: ProcessGroup,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (const { description, suspect, holds } of conditions) {
    while (!(await holds())) {
      await components.failOnEnd();
      if (Date.now() > deadline) {
        const tail = await group.readLogTail(suspect);
        throw new Error(
          `expected that ${description} within ${readyTimeoutMs} ms; the end of ${suspect}'s log:\n${tail}`,
        );
      }
      await delay(pollMs);
    }
  }
  await components.failOnEnd();
}

/** The body of an answer with 200, else undefined. */
async function readStatus(files: ServerFiles, path: string): Promise<string | undefined> {
  return callApi(files, { path, timeoutMs: 2_000 }).then(
    ({ status, body }) => (status === 200 ? body : undefined),
    () => undefined, // not listening yet
  );
}

interface Conditional {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function hasCondition(body: string | undefined, type: string): boolean {
  if (body === undefined) return false;
  const object: Conditional = JSON.parse(body);
  return (
    object.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false
  );
}
