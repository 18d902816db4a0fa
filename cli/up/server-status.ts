// How a tool server is doing on this machine: in words for the table, and as the status that it has in a cluster (DSC-6). Pure.
import type { Reason, ServerConditionType } from "../../crds/conditions.ts";
import type { Condition } from "../../crds/definition.ts";
import type { ServerKind, ServerStatus } from "../../crds/server.ts";
import { defined } from "../../lib/process/defined.ts";
import { describeState, type DescribedState, type ProcessState } from "./board.ts";
import type { ListedServer } from "./desired-servers.ts";

export interface DescribedServer {
  /** direct: agents call it without a process of this run, and only they know how it is. */
  status: DescribedState["status"] | "inactive" | "held" | "direct";
  reason?: string;
}

/** @param isRunnable whether a process is started for it */
export function describeServer(
  { held }: ListedServer,
  isRunnable: boolean,
  state: ProcessState | undefined,
): DescribedServer {
  if (held !== undefined) return { status: held.reason === "Inactive" ? "inactive" : "held", reason: held.message };
  return isRunnable ? describeState(state) : { status: "direct" };
}

/** What it is made of, with the registry of a package. */
export const describeKind = ({ kind, server }: ListedServer): ServerKind | "npm" | "pypi" =>
  server.spec.package?.kind ?? kind;

export interface ServerStatusInput {
  listed: ListedServer;
  isRunnable: boolean;
  state: ProcessState | undefined;
  previous?: ServerStatus | undefined;
  /** RFC 3339, UTC. */
  now: string;
}

interface Finding {
  type: ServerConditionType;
  status: Condition["status"];
  reason: Reason;
  message: string;
}

/** The status; a condition whose status is as before keeps its time. */
export function renderServerStatus({ listed, isRunnable, state, previous, now }: ServerStatusInput): ServerStatus {
  const available = availability(listed, describeServer(listed, isRunnable, state));
  const isReady = available.status === "True";
  const findings: Finding[] = [
    { type: "Accepted", status: "True", reason: "Accepted", message: "" },
    available,
    isReady
      ? { type: "Ready", status: "True", reason: "Ready", message: "" }
      : { type: "Ready", status: "False", reason: "NotReady", message: available.message },
  ];
  const conditions = findings.map((found): Condition => {
    const before = previous?.conditions?.find(({ type }) => type === found.type);
    return { ...found, lastTransitionTime: before?.status === found.status ? before.lastTransitionTime : now };
  });
  const bridge = state?.bridge;
  // What it had last is the best that is known of one that is down.
  const toolCount = (bridge === "unreachable" ? undefined : bridge?.toolCount) ?? previous?.toolCount;
  // Of one that is held nobody should ask.
  const url = listed.held === undefined ? listed.url : undefined;
  return { conditions, ...defined({ url, toolCount }) };
}

function availability({ held }: ListedServer, { status, reason = "" }: DescribedServer): Finding {
  const found = (holds: boolean, why: Reason, message: string): Finding => ({
    type: "Available",
    status: holds ? "True" : "False",
    reason: why,
    message,
  });
  switch (status) {
    case "ready":
      return found(true, "Available", "");
    case "direct":
      return found(true, "Available", "agents call it directly");
    case "inactive":
    case "held":
      return found(false, held?.reason ?? "Unavailable", reason);
    case "starting":
    case "waiting":
      return found(false, "ServerStarting", reason === "" ? "it is starting" : reason);
    case "failing":
    case "degraded":
      return found(false, "ServerDown", reason);
    case "stopping":
    case "stopped":
      return found(false, "Unavailable", "it is not running");
  }
}
