// An instance in memory in place of a watch for tests of the management server, and writes that are only noted down.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import { kinds } from "../../../crds/kinds.ts";
import type { PallasPolicy } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { applyMergePatch } from "../../merge-patch.ts";
import { parseAgent, parseResource } from "../../../plan/parse.ts";
import { sampleInstance } from "../../../plan/testing/resources.ts";
import {
  WriteRefused,
  type GatewayState,
  type GatewayWrites,
  type ResourceWrites,
  type StateChange,
} from "../../state/state.ts";
import { localWrites } from "../../writes/local-writes.ts";

export interface TestState extends GatewayState {
  put(agent: PallasAgent): void;
  putPolicy(policy: PallasPolicy): void;
  removePolicy(name: string): void;
  /** Says that these approvals are others now. */
  tellApprovals(names: readonly string[]): void;
  remove(name: string): void;
  setInstance(instance: PallasInstance): void;
  setEndpoint(name: string, endpoint: { mcpUrl: string; adminUrl: string } | undefined): void;
}

export function createTestState(
  agents: readonly PallasAgent[],
  first: PallasInstance = sampleInstance(),
  firstPolicies: readonly PallasPolicy[] = [],
): TestState {
  const policies = new Map(firstPolicies.map((policy) => [policy.metadata.name, policy]));
  const byName = new Map(agents.map((agent) => [agent.metadata.name, agent]));
  const endpoints = new Map<string, { mcpUrl: string; adminUrl: string }>();
  const listeners = new Set<(change: StateChange) => void>();
  let instance = first;
  const tell = (change: Partial<StateChange>) =>
    listeners.forEach((listener) =>
      listener({ agents: [], servers: [], registrations: [], policies: [], approvals: [], instance: false, ...change }),
    );
  return {
    namespace: "default",
    instance: "ouranos",
    getInstance: () => instance,
    listAgents: () => [...byName.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    getAgent: (name) => byName.get(name),
    getEndpoint: (name) => endpoints.get(name),
    listAdminUrls: (name) => [endpoints.get(name)?.adminUrl ?? []].flat(),
    listServers: () => [],
    getServer: () => undefined,
    getServerAddress: () => undefined,
    listServerAdminUrls: () => [],
    listRegistrations: () => [],
    listPolicies: () => [...policies.values()],
    getPolicy: (name) => policies.get(name),
    getPolicySource: (name) => policies.get(name),
    listApprovals: () => [],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    put(agent) {
      byName.set(agent.metadata.name, agent);
      tell({ agents: [agent.metadata.name] });
    },
    putPolicy(policy) {
      policies.set(policy.metadata.name, policy);
      tell({ policies: [policy.metadata.name] });
    },
    removePolicy(name) {
      policies.delete(name);
      tell({ policies: [name] });
    },
    tellApprovals: (names) => tell({ approvals: names }),
    remove(name) {
      byName.delete(name);
      tell({ agents: [name] });
    },
    setInstance(changed) {
      instance = changed;
      tell({ instance: true });
    },
    setEndpoint(name, endpoint) {
      if (endpoint === undefined) endpoints.delete(name);
      else endpoints.set(name, endpoint);
      tell({ agents: [name] });
    },
  };
}

/** As the API server would, without its judgement; `refused` makes it refuse. */
export function createTestWrites(state: TestState, written: unknown[], by: Identity): GatewayWrites {
  const take = (value: unknown): PallasAgent => {
    const parsed = parseAgent(value);
    if (!parsed.ok) throw new WriteRefused("the API server refused it", { kind: "invalid" });
    state.put(parsed.value);
    return parsed.value;
  };
  const agents: ResourceWrites<PallasAgent> = {
    async create(manifest) {
      written.push(["create", manifest]);
      return take(manifest);
    },
    async patch(name, patch) {
      written.push(["patch", name, patch]);
      return take(applyMergePatch(state.getAgent(name), patch));
    },
    upsert: async (manifest) => take(manifest),
    async delete(name) {
      written.push(["delete", name]);
      if (state.getAgent(name) === undefined) {
        throw new WriteRefused(`agent "${name}" has been deleted meanwhile`, { kind: "gone" });
      }
      state.remove(name);
    },
  };
  const local = localWrites(by);
  const policies: ResourceWrites<PallasPolicy> = {
    ...local.policies,
    async patch(name, patch) {
      written.push(["patch policy", name, patch]);
      const before = state.getPolicy(name);
      const { metadata } = before ?? {};
      const changed = { ...before, metadata: { ...metadata, generation: (metadata?.generation ?? 0) + 1 } };
      const parsed = parseResource(kinds.PallasPolicy, applyMergePatch(changed, patch));
      if (!parsed.ok) throw new WriteRefused("the API server refused it", { kind: "invalid" });
      state.putPolicy(parsed.value);
      return parsed.value;
    },
  };
  return { ...local, agents, policies };
}
