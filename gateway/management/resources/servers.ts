// `resource://servers/list`: the tool servers that the caller sees, each with how it is, how it was called, who uses it and what of its
// tools is not as approved.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { ServerSpec } from "../../../crds/server.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { renderServer } from "../../rest/server-view.ts";
import type { CallTrend } from "../../servers/call-trend.ts";
import type { ServerEntry } from "../../servers/entry.ts";
import { conditionsOf, observeServerState } from "../../servers/server-state.ts";
import type { ToolServers } from "../../servers/tool-servers.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent } from "../access.ts";
import type { ResourceFamily } from "./family.ts";
import { followChanges } from "./follow-changes.ts";

/** Of one server; `changed_count` says how many there are. */
export const maxChangedNames = 100;
const settleMs = 500;
const countsSettleMs = 2_000;

export interface ServerListParts {
  servers: Pick<ToolServers, "list" | "onChange">;
  state: Pick<GatewayState, "listAgents" | "getServerAddress">;
  trend: CallTrend;
  clock: Clock;
}

export function createServerList({ servers, state, trend, clock }: ServerListParts): ResourceFamily {
  return {
    uri: "resource://servers/list",
    name: "Tool servers",
    description: "All tool servers of the instance, each with its state, its calls of 24 hours and who uses it.",
    listKeys: (identity) => (isViewer(identity) ? [""] : []),
    mayRead: (_key, identity) => isViewer(identity),
    async read(_key, identity) {
      const users = indexUsers(state.listAgents(), identity);
      const counts = trend.ofServers();
      return servers.list(identity).map((server) => {
        const { calls, errors, medianMs } = counts.get(server.name) ?? { calls: 0, errors: 0, medianMs: null };
        return {
          ...renderServer(server),
          ...renderSource(server),
          ...observeServerState(server),
          ...{ median_ms: medianMs, calls_24h: calls, errors_24h: errors, used_by: users.get(server.name) ?? [] },
          ...renderPins(server),
          conditions: renderConditions(server),
          url:
            server.known.resource?.status?.url ??
            server.known.resource?.spec.remote?.url ??
            server.known.inline?.url ??
            null,
        };
      });
    },
    changedKeys: () => [""],
    follow(_key, onChange) {
      const stops = [
        followChanges({ clock, settleMs }, [(note) => servers.onChange(note)], onChange),
        followChanges({ clock, settleMs: countsSettleMs }, [(note) => trend.onCount(note)], onChange),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** Agents that the identity sees, by the server that they use. */
function indexUsers(agents: readonly PallasAgent[], identity: Identity): ReadonlyMap<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { metadata, spec } of agents) {
    if (!seesAgent(identity, metadata.name)) continue;
    for (const { name } of spec.servers ?? []) {
      const others = users.get(name);
      if (others === undefined) users.set(name, [metadata.name]);
      else others.push(metadata.name);
    }
  }
  return users;
}

function renderSource({ known }: Pick<ServerEntry, "known">) {
  if (known.resource === undefined) return { kind: "instance", package: null, version: null };
  const { spec } = known.resource;
  return {
    kind: kindOf(spec),
    package: spec.package?.name ?? spec.container?.image ?? null,
    version: spec.package?.version ?? null,
  };
}

function kindOf({ remote, container, package: published }: ServerSpec) {
  if (published !== undefined) return published.kind;
  if (remote !== undefined) return "remote";
  return container === undefined ? "local" : "container";
}

function renderPins({ pins }: Pick<ServerEntry, "pins">) {
  const { changed, mode } = pins;
  return { pin: mode, changed_tools: changed.slice(0, maxChangedNames), changed_count: changed.length };
}

const renderConditions = (server: Pick<ServerEntry, "known">) =>
  conditionsOf(server).map(({ type, status, reason, message, lastTransitionTime }) => ({
    ...{ type, status, reason, message, since: lastTransitionTime },
  }));
