// EndpointSlices as the registry reads them: down to the addresses of agents' pods.
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { labels, ports } from "../../crds/names.ts";
import { parseEndpoints } from "../../lib/kube/endpoint-slice.ts";
import { identityOf, type LiveObject, type RawObject } from "../../lib/kube/object.ts";

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
