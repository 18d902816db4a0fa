// The state of local mode: the file that `pallas up` replaces at each change (crds/local-state.ts). A file that cannot be
// read takes away nothing of what is known.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasApproval } from "../../crds/approval.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { maxLocalStateBytes, parseLocalState, type LocalState } from "../../crds/local-state.ts";
import type { PallasPolicy } from "../../crds/policy.ts";
import type { PallasRegistration } from "../../crds/registration.ts";
import { FollowedFile } from "../../lib/process/followed-file.ts";
import type { Logger } from "../../lib/process/log.ts";
import { Changes } from "./changes.ts";
import { noPresets } from "./presets.ts";
import { collectServers, findAddress, type ServerSet } from "./servers.ts";
import type { StateSource } from "./state.ts";

const pollMs = 1_000;

export interface LocalStateOptions {
  path: string;
  namespace: string;
  instance: string;
  /** Which a file of their own holds. Absent: there are none. */
  approvals?: LocalApprovals;
  log: Logger;
}

export interface LocalApprovals {
  list(): readonly PallasApproval[];
  onChange(listener: (names: readonly string[]) => void): () => void;
}

interface LocalAgent {
  agent: PallasAgent;
  endpoint: { mcpUrl: string; adminUrl: string } | undefined;
}

interface Known {
  instance: PallasInstance | undefined;
  agents: ReadonlyMap<string, LocalAgent>;
  servers: ServerSet;
  /** Admin URLs, by the name of the server's resource. */
  bridges: ReadonlyMap<string, readonly string[]>;
  registrations: readonly PallasRegistration[];
  policies: ReadonlyMap<string, PallasPolicy>;
}

export function createLocalState({ path, namespace, instance, approvals, log }: LocalStateOptions): StateSource {
  const changes = new Changes();
  const stopApprovals = approvals?.onChange((names) => names.forEach((name) => changes.add("approvals", name)));
  let known: Known | undefined;
  let trouble = "the state file has not been read yet";
  const file = new FollowedFile({
    path,
    name: "local state",
    parse: (text) => parseLocalState(text, path),
    onRead(state) {
      const next = derive(state, namespace, instance);
      announce(known, next, changes);
      known = next;
    },
    onTrouble(error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message === trouble) return;
      trouble = message;
      log.warn({ err: error }, "local state cannot be read");
    },
    maxFileBytes: maxLocalStateBytes,
    pollMs,
    log,
  });
  return {
    namespace,
    instance,
    presets: noPresets,
    getInstance: () => known?.instance,
    listAgents: () => [...(known?.agents.values() ?? [])].map(({ agent }) => agent),
    getAgent: (name) => known?.agents.get(name)?.agent,
    getEndpoint: (name) => known?.agents.get(name)?.endpoint,
    listAdminUrls: (name) => [known?.agents.get(name)?.endpoint?.adminUrl ?? []].flat(),
    listServers: () => known?.servers.list ?? [],
    getServer: (name) => known?.servers.get(name),
    getServerAddress(name) {
      const server = known?.servers.get(name);
      return server && findAddress(server);
    },
    listServerAdminUrls: (name) => known?.bridges.get(name) ?? [],
    listRegistrations: () => known?.registrations ?? [],
    listPolicies: () => [...(known?.policies.values() ?? [])],
    getPolicy: (name) => known?.policies.get(name),
    getPolicySource: (name) => known?.policies.get(name),
    listApprovals: () => approvals?.list() ?? [],
    onChange: (listener) => changes.onChange(listener),
    observeUnready: () => (known === undefined ? trouble : undefined),
    // No cluster signs tokens here.
    findAgent: () => undefined,
    start: () => file.start(),
    async stop() {
      stopApprovals?.();
      changes.stop();
      await file.stop();
    },
  };
}

function derive({ resources, endpoints, bridges }: LocalState, namespace: string, instance: string): Known {
  const isOwn = ({ metadata, spec }: { metadata: { namespace?: string }; spec: { instanceRef: { name: string } } }) =>
    metadata.namespace === namespace && spec.instanceRef.name === instance;
  const agents = resources
    .filter(isOfKind(kinds.PallasAgent))
    .filter(isOwn)
    .toSorted(byName)
    .map((agent): [string, LocalAgent] => {
      const { name } = agent.metadata;
      const adminUrl = endpoints.find((each) => each.namespace === namespace && each.agent === name)?.adminUrl;
      const mcpUrl = agent.status?.url;
      const endpoint = adminUrl === undefined || mcpUrl === undefined ? undefined : { mcpUrl, adminUrl };
      return [name, { agent, endpoint }];
    });
  const own = resources
    .filter(isOfKind(kinds.PallasInstance))
    .find(({ metadata }) => metadata.namespace === namespace && metadata.name === instance);
  return {
    instance: own,
    agents: new Map(agents),
    servers: collectServers(own, resources.filter(isOfKind(kinds.PallasServer)).filter(isOwn)),
    bridges: new Map(
      bridges
        .filter((each) => each.namespace === namespace && each.instance === instance)
        .map(({ server, adminUrl }) => [server, [adminUrl]]),
    ),
    registrations: resources.filter(isOfKind(kinds.PallasRegistration)).filter(isOwn).toSorted(byName),
    policies: mapByName(resources.filter(isOfKind(kinds.PallasPolicy)).filter(isOwn).toSorted(byName)),
  };
}

const byName = (a: { metadata: { name: string } }, b: { metadata: { name: string } }): number =>
  a.metadata.name < b.metadata.name ? -1 : 1;

const mapByName = <Named extends { metadata: { name: string } }>(list: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(list.map((each) => [each.metadata.name, each]));

function announce(before: Known | undefined, now: Known, changes: Changes): void {
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  if (before === undefined || differs(before.instance, now.instance)) changes.addInstance();
  const compare = <Each>(
    what: "agents" | "servers" | "registrations" | "policies",
    mapOf: (known: Known) => ReadonlyMap<string, Each>,
  ) => {
    const [old, current] = [before && mapOf(before), mapOf(now)];
    for (const name of new Set([...(old?.keys() ?? []), ...current.keys()])) {
      if (differs(old?.get(name), current.get(name))) changes.add(what, name);
    }
  };
  compare("agents", ({ agents }) => agents);
  compare("servers", ({ servers }) => new Map(servers.list.map((each) => [each.name, each])));
  compare("registrations", ({ registrations }) => mapByName(registrations));
  compare("policies", ({ policies }) => policies);
}
