// The one writer of statuses: the whole status at the end of a reconcile, only where the server has another, and an
// Event for each condition that changed with it, so that `kubectl describe` tells the story.
import type { Condition } from "../crds/definition.ts";
import { fieldManager } from "../crds/names.ts";
import type { WriteTracker } from "../lib/kube/consistency.ts";
import type { EventRecorder } from "../lib/kube/events.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import type { ResourceType } from "../lib/kube/resource.ts";
import { writeStatus } from "../lib/kube/status.ts";
import type { Transport } from "../lib/kube/transport.ts";
import type { OwnerGuard, Reconciling } from "../lib/kube/owner-guard.ts";

interface WithConditions {
  readonly conditions?: readonly Condition[];
}

export interface StatusWriter {
  /** True when it was written; false when the server has it already, or the object is gone. */
  write(
    type: ResourceType,
    live: LiveObject & { readonly status?: WithConditions | undefined },
    status: WithConditions,
    reconciling: Reconciling,
  ): Promise<boolean>;
}

export interface StatusWriterOptions {
  readonly transport: Transport;
  readonly tracker: WriteTracker;
  readonly guard: OwnerGuard;
  readonly events: Pick<EventRecorder, "record">;
}

export const createStatusWriter = ({ transport, tracker, guard, events }: StatusWriterOptions): StatusWriter => ({
  async write(type, live, status, reconciling) {
    const { signal } = reconciling;
    const beforeWrite = () => guard.confirm(reconciling, "update");
    const outcome = await writeStatus(transport, { type, live, status, fieldManager, signal, tracker, beforeWrite });
    if (outcome !== "written") return false;
    recordTransitions(events, live, live.status?.conditions ?? [], status.conditions ?? []);
    return true;
  },
});

/** Conditions that only mirror others make no Events. */
const mirrors: ReadonlySet<string> = new Set(["Reconciling", "Stalled"]);

/** Conditions that are worth an Event when the very first judgement finds a problem; the others only begin. */
const problems: ReadonlySet<string> = new Set(["Accepted", "ReferencesResolved"]);

/** One Event for each condition whose status is another than before; a mere beginning is no news. */
export function recordTransitions(
  events: Pick<EventRecorder, "record">,
  object: LiveObject,
  before: readonly Condition[],
  after: readonly Condition[],
): void {
  for (const { type, status, reason, message } of after) {
    const previous = before.find((condition) => condition.type === type)?.status;
    if (previous === status || mirrors.has(type) || status === "Unknown") continue;
    if (previous === undefined && (status === "True" || !problems.has(type))) continue;
    const text = message === "" ? `${type} is ${status}` : `${type}: ${message}`;
    events.record(object, status === "True" ? "Normal" : "Warning", reason, text);
  }
}
