/**
 * Status conditions after the Kubernetes API conventions. Pure: time is handed in.
 */

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** A CamelCase word that programs may rely on. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339 in seconds: since when `status` is what it is. */
  readonly lastTransitionTime: string;
  /** The generation of the spec that was judged. */
  readonly observedGeneration?: number;
}

export type NextCondition = Omit<Condition, "lastTransitionTime">;

/**
 * The list with `next` in place of the condition of its type, or added at the end. lastTransitionTime moves only when
 * the status changes; the very same list comes back when nothing changes.
 */
export function setCondition(conditions: readonly Condition[], next: NextCondition, now: Date): readonly Condition[] {
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const current = conditions[index];
  if (current === undefined) return [...conditions, { ...next, lastTransitionTime: renderTime(now) }];
  if (
    current.status === next.status &&
    current.reason === next.reason &&
    current.message === next.message &&
    current.observedGeneration === next.observedGeneration
  ) {
    return conditions;
  }
  const lastTransitionTime = current.status === next.status ? current.lastTransitionTime : renderTime(now);
  return conditions.with(index, { ...next, lastTransitionTime });
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The form of metav1.Time: UTC, whole seconds. */
export function renderTime(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, "Z");
}
