// What a new agent may refer to, as far as the person sees it: models in use, servers, agents and policies.
import { useMemo } from "preact/hooks";
import { agentsResource, agentsUri } from "../../data/agents.ts";
import { policyTextUri } from "../../data/policies.ts";
import { serversResource, serversUri } from "../../data/servers.ts";
import { useResource } from "../../page.ts";
import { modelsOf } from "../agents/agent-rows.ts";
import { policiesResource } from "../policies/policy-text.ts";
import type { Option } from "./pick-names.ts";

export interface Known {
  readonly models: readonly string[];
  readonly servers: readonly Option[];
  readonly agents: readonly Option[];
  readonly policies: readonly string[];
}

export function useKnown(): Known {
  const agents = useResource(agentsUri, agentsResource).value.data;
  const servers = useResource(serversUri, serversResource).value.data;
  const policies = useResource(policyTextUri, policiesResource).value.data;
  return useMemo(
    () => ({
      models: modelsOf(agents ?? []),
      servers: (servers ?? []).map(({ name, description }) => ({ name, about: description })).toSorted(byName),
      agents: (agents ?? []).map(({ id, description }) => ({ name: id, about: description })).toSorted(byName),
      policies: (policies ?? []).map(({ policy }) => policy),
    }),
    [agents, servers, policies],
  );
}

const byName = (a: Option, b: Option): number => (a.name < b.name ? -1 : 1);
