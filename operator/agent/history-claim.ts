// The claim of an agent's histories. It may outlive the agent, so it is known by name and labels, not by its owner; it
// only grows, and nothing here ever deletes it.
import { labels } from "../../crds/names.ts";
import { parseQuantity } from "../../crds/units.ts";
import { ApiError } from "../../lib/kube/api-error.ts";
import { controllerOf, isControlledBy, type LiveObject } from "../../lib/kube/object.ts";
import type { ChildWriter, Writing } from "../children.ts";
import type { AgentChildren } from "../render/agent-children.ts";

type Claim = NonNullable<AgentChildren["historyClaim"]>;

interface LiveClaim extends LiveObject {
  readonly spec?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
}

/** What of an AgentRun is needed here. */
interface ClaimRun {
  readonly children: Pick<ChildWriter, "find" | "apply">;
  readonly writing: Writing;
}

/** Of a claim that is there: a storage class that cannot resize will not learn it soon; every change of agent or claim is tried at once anyway. */
const refusedRetryMs = 600_000;

/** A claim of our name with our labels, be it from an earlier agent of that name, but of no other owner. */
const isOurs =
  (desired: Claim, owner: LiveObject) =>
  (live: LiveObject): boolean =>
    [labels.instance, labels.agent, labels.component].every(
      (key) => live.metadata.labels?.[key] === desired.metadata.labels[key],
    ) &&
    (controllerOf(live) === undefined || isControlledBy(live, owner));

/** What was asked for, but no less than there is: after spec.storage went and came back it may say less. */
function growOnly(desired: Claim, live: LiveClaim | undefined): Claim {
  const wanted = desired.spec?.resources?.requests?.["storage"];
  const there = live?.spec?.resources?.requests?.storage;
  if (wanted === undefined || there === undefined || parseQuantity(there) <= parseQuantity(wanted)) return desired;
  return {
    ...desired,
    spec: Object.assign({}, desired.spec, { resources: { requests: { storage: there } } }),
  };
}

/**
 * Applies the claim. What the API server refuses for good, such as growth that the storage class does not allow, is
 * returned and not thrown: the agent goes on with the claim as it is. Throws `Conflict` for a claim that is not ours.
 */
export async function applyHistoryClaim(
  { children, writing }: ClaimRun,
  desired: Claim | undefined,
): Promise<ApiError | undefined> {
  if (!desired) return undefined;
  const { namespace, name } = desired.metadata;
  const live = children.find("historyClaim", namespace, name);
  const claim = growOnly(desired, live);
  try {
    await children.apply("historyClaim", claim, writing, isOurs(desired, writing.owner));
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 422)) throw error;
    const { status, reason, details } = error;
    if (!live) return error;
    const message = `PersistentVolumeClaim ${name} stays as it is: ${error.message}; correct spec.storage or its class`;
    return new ApiError({ status, reason, details, message, retryAfterMs: refusedRetryMs });
  }
}
