// How a tool server is, in one word and a sentence: from what the gateway found when it last asked, and from what whoever runs it says
// in its conditions. Pure.
import type { Condition } from "../../crds/definition.ts";
import type { StateReason } from "../../crds/conditions.ts";
import type { ServerEntry } from "./entry.ts";

export interface ServerState {
  /** degraded: it answers, and not all of it can be used. off: it is not started. */
  readonly state: "ready" | "degraded" | "error" | "starting" | "off";
  readonly reason: string | null;
}

type Seen = Pick<ServerEntry, "known" | "isActive" | "health" | "problem" | "refusal" | "pins">;

const startingReasons: ReadonlySet<string> = new Set([
  "ServerStarting",
  "Progressing",
  "Reconciling",
  "WaitingForRollout",
] satisfies StateReason[]);

export const conditionsOf = ({ known }: Pick<ServerEntry, "known">): readonly Condition[] =>
  known.resource?.status?.conditions ?? [];

export function observeServerState(server: Seen): ServerState {
  const { health, known, isActive, problem, refusal } = server;
  if (refusal !== undefined) return { state: "error", reason: refusal };
  if (!isActive) return { state: "off", reason: null };
  const unavailable = conditionsOf(server).find(({ type, status }) => type === "Available" && status === "False");
  // What a condition says can be older than the answer that was heard here.
  if (health.status !== "healthy" && unavailable !== undefined) {
    return { state: startingReasons.has(unavailable.reason) ? "starting" : "error", reason: unavailable.message };
  }
  // The gateway cannot ask it, and those who can say how it is elsewhere.
  if (problem !== undefined && known.inline !== undefined) return { state: "ready", reason: problem };
  if (problem !== undefined) return { state: "starting", reason: problem };
  if (health.status === "unknown") return { state: "starting", reason: "its tools have not been listed yet" };
  if (health.status === "unhealthy") {
    return { state: "error", reason: health.error ?? "its tools cannot be listed now; it is tried again" };
  }
  const { mode, changed } = server.pins;
  if (mode !== "block" || changed.length === 0) return { state: "ready", reason: null };
  const count = changed.length === 1 ? "1 tool is" : `${changed.length} tools are`;
  return { state: "degraded", reason: `${count} not as approved, and hidden until somebody approves the difference` };
}
