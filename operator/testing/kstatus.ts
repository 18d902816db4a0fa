// The rules by which kstatus (cli-utils, pkg/kstatus/status) judges a custom resource, for tests: what Flux, Helm 4 and
// `kubectl apply --wait` style tools make of our statuses.

interface Judged {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export type Kstatus = "Current" | "InProgress" | "Failed" | "Terminating";

/** Generation first, then Reconciling and Stalled, then Ready; a resource without any of them counts as Current. */
export function computeKstatus({ metadata, status = {} }: Judged): Kstatus {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return "InProgress";
  for (const { type, status: state } of conditions) {
    if (state !== "True") continue;
    if (type === "Reconciling") return "InProgress";
    if (type === "Stalled") return "Failed";
  }
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True" ? "Current" : "InProgress";
}
