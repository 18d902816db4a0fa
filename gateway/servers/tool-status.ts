// What the gateway says of a server's tools in its status: how many, their hash, what was approved, and the conditions Indexed and
// Pinned. A write is made only where that differs from what stands there; one that fails is made again with the next look.
import type { Condition } from "../../crds/definition.ts";
import type { PallasServer, ServerStatus } from "../../crds/server.ts";
import type { Reason, ServerConditionType } from "../../crds/conditions.ts";
import { renderTime, type Clock, type Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ToolStatus, WriteToolStatus } from "../writes/server-status.ts";
import type { ServerEntry } from "./entry.ts";
import type { ToolServers } from "./tool-servers.ts";

export interface ToolStatusParts {
  servers: Pick<ToolServers, "all" | "onChange">;
  write: WriteToolStatus;
  log: Logger;
  clock: Clock;
}

/** Changes of a moment are one write. */
const settleMs = 500;
const maxNamed = 10;
const maxNameChars = 100;

/** Until what it returns is called. */
export function keepToolStatus({ servers, write, log, clock }: ToolStatusParts): () => void {
  const timers = new Map<string, Timer>();
  const look = async (name: string) => {
    timers.delete(name);
    const server = servers.all().find((each) => each.name === name);
    const resource = server?.known.resource;
    if (server === undefined || resource === undefined) return;
    const status = renderToolStatus(server, resource, renderTime(clock));
    if (status === undefined || !differs(status, resource.status)) return;
    try {
      await write(resource, status);
    } catch (error) {
      log.warn({ server: name, err: error }, "status of a server not written");
    }
  };
  const stop = servers.onChange((name) => {
    if (timers.has(name)) return;
    const timer = clock.schedule(settleMs, () => void look(name));
    timers.set(name, timer);
  });
  return () => {
    stop();
    for (const timer of timers.values()) timer.cancel();
  };
}

/** Undefined while nothing is known of its tools. */
export function renderToolStatus(
  { tools, health, pins, problem }: Pick<ServerEntry, "tools" | "health" | "pins" | "problem">,
  { metadata, status = {} }: PallasServer,
  now: string,
): ToolStatus | undefined {
  const condition = (type: ServerConditionType, holds: boolean, reason: Reason, message: string): Condition => {
    const before = status.conditions?.find((each) => each.type === type);
    const wanted = holds ? "True" : "False";
    const lastTransitionTime = before?.status === wanted ? before.lastTransitionTime : now;
    const { generation: observedGeneration } = metadata;
    return { type, status: wanted, ...defined({ observedGeneration }), lastTransitionTime, reason, message };
  };
  if (tools === undefined) {
    if (health.status !== "unhealthy") return undefined;
    const { toolCount, toolsHash, listedAt, pinned } = status;
    const others = status.conditions?.filter(({ type }) => type === "Pinned") ?? [];
    const indexed = condition(
      "Indexed",
      false,
      "NotListed",
      problem ?? "its tools cannot be listed now; it is tried again",
    );
    return { ...defined({ toolCount, toolsHash, listedAt, pinned }), conditions: [indexed, ...others] };
  }
  const { toolsHash, pinned, changed, mode } = pins;
  const listedAt = status.toolsHash === toolsHash ? (status.listedAt ?? now) : now;
  const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const isDown = health.status === "unhealthy";
  const indexed = isDown
    ? condition("Indexed", false, "NotListed", `its tools cannot be listed now; ${count} as last listed`)
    : condition("Indexed", true, "Listed", count);
  const whetherPinned =
    changed.length === 0
      ? condition("Pinned", true, "Pinned", "every tool is as it was approved")
      : condition("Pinned", false, "ToolsChanged", renderChanged(changed, mode === "block"));
  const conditions = mode === "off" ? [indexed] : [indexed, whetherPinned];
  return { toolCount: tools.length, toolsHash, listedAt, ...(pinned && { pinned: [...pinned] }), conditions };
}

function renderChanged(names: readonly string[], isHidden: boolean): string {
  // Names are a stranger's words.
  const shown = names.slice(0, maxNamed).map((name) => JSON.stringify(name.slice(0, maxNameChars)));
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  const hidden = isHidden ? ", and hidden by the gateway until then" : "";
  const cure = "read the difference at GET /api/servers/NAME/pins of the gateway and approve it";
  return `not as approved: ${shown.join(", ")}${more}${hidden}; ${cure}`;
}

/** Times, and the words of what is down, are no reason to write. */
function differs(wanted: ToolStatus, live: ServerStatus = {}): boolean {
  const facts = ({ toolCount, toolsHash, pinned = [], conditions = [] }: ToolStatus) => [
    toolCount,
    toolsHash,
    pinned.map(({ name, hash }) => [name, hash]),
    ["Indexed", "Pinned"].map((type) => {
      const found = conditions.find((each) => each.type === type);
      return [found?.status, found?.reason, type === "Pinned" ? found?.message : undefined];
    }),
  ];
  return JSON.stringify(facts(wanted)) !== JSON.stringify(facts(live));
}
