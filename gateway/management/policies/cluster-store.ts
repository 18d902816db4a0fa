// Proposals in a cluster: in the status of the PallasPolicy, under a field manager of their own, beside what the operator writes
// there. Each change is one read and one write that holds only for what was read; where somebody was quicker it begins again.
import { policyType } from "../../../crds/kinds.ts";
import type { PallasPolicy, PolicyProposal } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { ApiError } from "../../../lib/kube/api-error.ts";
import { collectionPath, objectPath } from "../../../lib/kube/resource.ts";
import type { Transport } from "../../../lib/kube/transport.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { Logger } from "../../../lib/process/log.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import { WriteRefused, type GatewayState } from "../../state/state.ts";
import { renderProblem } from "../../writes/problem.ts";
import { requireRoom, type EditProposals, type ProposalStore } from "./store.ts";

export interface ClusterStoreParts {
  transport: Pick<Transport, "request">;
  state: Pick<GatewayState, "namespace" | "instance" | "getPolicy" | "onChange">;
  metrics: Pick<GatewayMetrics, "countWrite">;
  log: Logger;
  clock: Clock;
}

const fieldManager = "pallas-gateway-proposals";
const timeoutMs = 15_000;
/** The operator and other people write the same object now and then. */
const maxTries = 5;
/** A watch is behind by milliseconds; one that is broken must not hold up an answer. */
const maxBehindMs = 2_000;

export function createClusterProposals(parts: ClusterStoreParts): ProposalStore {
  const { state } = parts;
  const list = (policy: string) => state.getPolicy(policy)?.status?.proposals ?? [];
  return {
    list,
    async edit(name, edit, by) {
      if (state.getPolicy(name) === undefined) {
        throw new WriteRefused(`instance "${state.instance}" has no policy "${name}"`, { kind: "gone" });
      }
      const kept = await editUntilKept(parts, name, edit, by);
      await untilListed(parts, () => idsOf(list(name)) === idsOf(kept));
    },
    onChange: () => () => undefined,
  };
}

/** What has an id never changes. */
const idsOf = (proposals: readonly PolicyProposal[]): string => proposals.map(({ id }) => id).join();

async function editUntilKept(
  parts: ClusterStoreParts,
  name: string,
  edit: EditProposals,
  by: Identity,
): Promise<readonly PolicyProposal[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await editOnce(parts, name, edit, by);
    } catch (error) {
      if (tries === maxTries || !(error instanceof WriteRefused) || error.kind !== "changed") throw error;
    }
  }
}

async function editOnce(
  { transport, state, metrics, log }: ClusterStoreParts,
  name: string,
  edit: EditProposals,
  by: Identity,
): Promise<readonly PolicyProposal[]> {
  const read = await readPolicy(transport, state.namespace, name);
  const proposals = edit(read.status?.proposals ?? []);
  requireRoom(name, proposals);
  const { uid, resourceVersion } = read.metadata;
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...(read.status === undefined ? [{ op: "add", path: "/status", value: {} }] : []),
    { op: "add", path: "/status/proposals", value: proposals },
  ];
  const fields = { operation: "patch", policy: name, namespace: state.namespace, subject: by.subject };
  try {
    await ask(name, () =>
      transport.request({
        method: "PATCH",
        path: objectPath(policyType, { namespace: state.namespace, name }, "status"),
        query: { fieldManager },
        contentType: "application/json-patch+json",
        body,
        timeoutMs,
      }),
    );
  } catch (error) {
    const isAnswered = error instanceof WriteRefused && error.cause instanceof ApiError;
    metrics.countWrite("patch", isAnswered ? "refused" : "failed");
    log.warn({ ...fields, err: error }, "proposals not written");
    throw error;
  }
  metrics.countWrite("patch", "ok");
  log.info({ ...fields, proposals: proposals.length }, "proposals written");
  return proposals;
}

type Read = Pick<PallasPolicy, "metadata" | "status">;

/** As the API server has it now, by the right to list, which following takes anyway. */
async function readPolicy(transport: Pick<Transport, "request">, namespace: string, name: string): Promise<Read> {
  const query = { fieldSelector: `metadata.name=${name}` };
  const path = collectionPath(policyType, namespace);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server serves what its schema lets pass
  const { items } = (await ask(name, () => transport.request({ method: "GET", path, query, timeoutMs }))) as {
    items: readonly Read[];
  };
  const [found] = items;
  if (found !== undefined) return found;
  throw new WriteRefused(`policy "${name}" has been deleted meanwhile`, { kind: "gone" });
}

async function ask(name: string, request: () => Promise<unknown>): Promise<unknown> {
  try {
    return await request();
  } catch (cause) {
    const { kind, message } = renderProblem(cause, "policy", name);
    throw new WriteRefused(message, { kind, cause });
  }
}

/** So that whoever looks next sees what was done. */
async function untilListed({ state, clock }: ClusterStoreParts, isListed: () => boolean): Promise<void> {
  if (isListed()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = state.onChange(() => {
    if (isListed()) resolve();
  });
  const timer = clock.schedule(maxBehindMs, resolve);
  await promise;
  timer.cancel();
  stop();
}
