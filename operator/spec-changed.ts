// When a resource's spec last changed, which the catalogue publishes as updatedAt (CAT-6). The generation alone does not
// tell: `kubectl scale` and autoscalers raise it too. So a digest of the spec, replicas apart, is kept beside the time.
import { hashOf } from "../lib/kube/canonical.ts";
import type { LiveMeta } from "../lib/kube/object.ts";
import { defined } from "../lib/process/defined.ts";

export interface SpecChange {
  readonly specChangedAt?: string;
  readonly specDigest?: string;
}

/**
 * What status says of it from now on.
 * @param before the status as it is
 * @param spec undefined while it cannot be read: nothing is known of it then
 * @param now RFC 3339
 */
export function observeSpecChange(
  { generation, creationTimestamp }: LiveMeta,
  before: (SpecChange & { readonly observedGeneration?: number }) | undefined,
  spec: { readonly replicas?: number } | object | undefined,
  now: string,
): SpecChange {
  const { specChangedAt, specDigest, observedGeneration } = before ?? {};
  const known = {
    ...defined({ specChangedAt, specDigest }),
  };
  if (spec === undefined || (observedGeneration === generation && specDigest !== undefined)) return known;
  const digest = hashOf({ ...spec, replicas: undefined });
  if (specChangedAt === undefined) return { ...defined({ specChangedAt: creationTimestamp }), specDigest: digest };
  // A status of an earlier release has no digest: there the generation must do.
  const changed = specDigest === undefined ? observedGeneration !== generation : specDigest !== digest;
  return { specChangedAt: changed ? now : specChangedAt, specDigest: digest };
}
