// The kinds the registry watches, and the reading of each: our two by plan/, EndpointSlices down to the addresses of
// agents' pods. A resource with faults stays in the cache with them, so that it can be told of.
import { pallasAgent, type PallasAgent } from "../../crds/agent.ts";
import { pallasInstance, type PallasInstance } from "../../crds/instance.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { group, labels, ports, version } from "../../crds/names.ts";
import { parseEndpoints } from "../../lib/kube/endpoint-slice.ts";
import { identityOf, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import type { ResourceType } from "../../lib/kube/resource.ts";
import type { Outcome } from "../../plan/fault.ts";
import { parseAgent, parseInstance } from "../../plan/parse.ts";

export const agentType: ResourceType = { group, version, plural: pallasAgent.plural, kind: pallasAgent.kind };
export const instanceType: ResourceType = { group, version, plural: pallasInstance.plural, kind: pallasInstance.kind };

interface Watched<Resource> extends LiveObject {
  readonly parsed: Outcome<Resource>;
}
export type WatchedAgent = Watched<PallasAgent>;
export type WatchedInstance = Watched<PallasInstance>;

/** Nothing but identity and what was parsed is kept. */
export const parseWatchedAgent = (raw: RawObject): WatchedAgent => ({
  ...identityOf(raw),
  parsed: withoutFaultyStatus(parseAgent, raw),
});
export const parseWatchedInstance = (raw: RawObject): WatchedInstance => ({
  ...identityOf(raw),
  parsed: withoutFaultyStatus(parseInstance, raw),
});

/** A newer operator may write a status that this release does not know; that must not empty the catalogue. */
function withoutFaultyStatus<T>(parse: (raw: unknown) => Outcome<T>, raw: RawObject): Outcome<T> {
  const parsed = parse(raw);
  if (parsed.ok || !parsed.faults.every(({ path }) => /^status\b/.test(path))) return parsed;
  const { status: _, ...rest } = raw;
  return parse(rest);
}

export interface WatchedSlice extends LiveObject {
  readonly endpoints: readonly AgentEndpoint[];
}

/**
 * The pods behind an agent's Service, ready or not. A slice carries the labels of its Service, which say whose it is.
 * Throws on a slice of another shape.
 */
export function parseWatchedSlice(raw: RawObject): WatchedSlice {
  const { namespace = "", labels: found = {} } = raw.metadata;
  const instance = found[labels.instance];
  const agent = found[labels.agent];
  const endpoints = parseEndpoints(raw).flatMap(({ host, pod }): AgentEndpoint[] => {
    if (instance === undefined || agent === undefined || pod === undefined) return [];
    return [{ namespace, instance, agent, pod, adminUrl: `http://${host}:${ports.agentAdmin}` }];
  });
  return { ...identityOf(raw), endpoints };
}
