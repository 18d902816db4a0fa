// What is observed of a tool server's Deployment and bridge as conditions, and the operator's part of the status around
// them: the other part (its tools, Indexed, Pinned) is the gateway's, which writes it as another field manager (DSC-12).
// Pure: the reconciler writes what this returns.
import type { Reason, ServerConditionType } from "../../crds/conditions.ts";
import type { Condition } from "../../crds/definition.ts";
import { labels } from "../../crds/names.ts";
import type { ServerStatus } from "../../crds/server.ts";
import { defined } from "../../lib/process/defined.ts";
import type { ResolvedServer } from "../../plan/resolved-server.ts";
import type { ConditionSet } from "../conditions.ts";
import type { Failure } from "../failure.ts";
import type { BridgeVerdict } from "../health/bridge-verdict.ts";
import type { Rollout } from "../rollout.ts";

type Conditions = ConditionSet<ServerConditionType>;

const ownConditions: ReadonlySet<string> = new Set([
  "Accepted",
  "Available",
  "Ready",
  "Reconciling",
  "Stalled",
] satisfies ServerConditionType[]);

/** What of a status the operator writes; the rest it neither compares nor sends. */
export function ownStatus({ observedGeneration, conditions, url }: ServerStatus = {}): ServerStatus & {
  readonly conditions: readonly Condition[];
} {
  const own = conditions?.filter(({ type }) => ownConditions.has(type)) ?? [];
  return { ...defined({ observedGeneration, url }), conditions: own };
}

export interface SeenServer {
  readonly name: string;
  /** Undefined where it is not accepted: what there was before may go on. */
  readonly resolved: ResolvedServer | undefined;
  readonly rollout: Rollout | undefined;
  readonly verdict: BridgeVerdict | undefined;
  readonly failure: Failure | undefined;
}

export const isInactive = ({ resolved, rollout }: Pick<SeenServer, "resolved" | "rollout">): boolean =>
  resolved ? !resolved.server.spec.active : rollout?.reason === "ScaledToZero";

export const inactiveMessage = "not active: nothing runs of it; set spec.active to true to start it";

const because = (sentence: string, words: string): string => (words === "" ? sentence : `${sentence}: ${words}`);

/** What was found before the bridge of pods that serve was asked by this process. */
const foundByAsking: ReadonlySet<string> = new Set(["Available", "ServerStarting", "ServerDown"] satisfies Reason[]);

/** How the server behind the bridge is. */
function markAsked(conditions: Conditions, rollout: Rollout, verdict: BridgeVerdict | undefined): void {
  if (verdict === undefined) {
    // So that a new operator writes nothing.
    if (foundByAsking.has(conditions.get("Available")?.reason ?? "")) {
      conditions.keep("Available");
      return;
    }

    conditions.set("Available", "False", "ServerStarting", "its bridge serves, and has not said yet how the server is");
    return;
  }
  const { status, message } = verdict;
  switch (status) {
    case "ok":
      conditions.set("Available", "True", "Available", because(rollout.message, message));
      return;
    case "silent": {
      // Its pods are ready, which is all that is known.
      const unasked = because("its bridge cannot be asked how the server is", message);
      conditions.set("Available", "True", "Available", `${rollout.message}; ${unasked}`);
      return;
    }
    case "starting":
      conditions.set("Available", "False", "ServerStarting", because("the server has not answered yet", message));
      return;
    case "down":
      conditions.set("Available", "False", "ServerDown", because("the server cannot be started or reached", message));
  }
}

/** Why a pod does not run only its events say, which the operator has no right to read. */
const whereToLook = (name: string): string =>
  `; if this lasts, kubectl describe pods --selector=${labels.server}=${name} says why`;

export function markAvailable(conditions: Conditions, { name, resolved, rollout, verdict, failure }: SeenServer): void {
  if (failure) {
    conditions.set("Available", rollout?.available === true ? "True" : "False", failure.reason, failure.message);
  } else if (isInactive({ resolved, rollout })) {
    conditions.set("Available", "True", "Inactive", inactiveMessage);
  } else if (resolved && !resolved.bridge) {
    conditions.set("Available", "True", "Available", "called directly at its URL, without a bridge");
  } else if (!rollout) {
    conditions.set("Available", "False", "Unavailable", "nothing runs of it yet");
  } else if (rollout.available || verdict?.status === "starting" || verdict?.status === "down") {
    // A bridge may hold its pod back from callers for the server's sake.
    markAsked(conditions, rollout, verdict);
  } else {
    const why = because(rollout.message, verdict?.message ?? "");
    conditions.set(
      "Available",
      "False",
      rollout.reason,
      `${why}${rollout.reason === "Progressing" ? whereToLook(name) : ""}`,
    );
  }
}

/** The operator's part of the status. */
export const renderServerStatus = (
  conditions: Conditions,
  {
    resolved,
    observedGeneration,
    before,
  }: {
    readonly resolved: ResolvedServer | undefined;
    readonly observedGeneration: number;
    readonly before: ServerStatus | undefined;
  },
): ServerStatus => ({
  observedGeneration,
  conditions: conditions.all,
  ...defined({ url: resolved?.address.url ?? before?.url }),
});
