// Resources as an API server gives them, for tests: the least that is valid, with what a case changes on top.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import type { PallasServer } from "../../../crds/server.ts";
import { neighbourhood } from "../../../plan/check.ts";
import type { Neighbourhood } from "../../../plan/resolve.ts";
import type { ResolvedServer } from "../../../plan/resolved-server.ts";
import type { Rules } from "../../../plan/rules.ts";
import { resolveServer } from "../../../plan/server.ts";
import { sampleAgent, sampleInstance, sampleServer } from "../../../plan/testing/resources.ts";
import { clusterServerUrl } from "../../../plan/urls.ts";

const serverFilled = (name: string) => ({
  uid: `uid-of-${name}`,
  namespace: "agents",
  generation: 1,
  resourceVersion: "1",
  creationTimestamp: "2026-11-21T10:00:00Z",
});

export const makeInstance = (spec: object = {}): PallasInstance => sampleInstance(spec, serverFilled("ouranos"));
export const makeAgent = (name: string, spec: object = {}): PallasAgent => sampleAgent(name, spec, serverFilled(name));
export const makeServer = (name: string, spec: object): PallasServer => sampleServer(name, spec, serverFilled(name));

/** As its reconciler resolves it. */
export const resolved = (server: PallasServer, instance: PallasInstance): ResolvedServer =>
  resolveServer(server, instance, clusterServerUrl(server.metadata.name, server.metadata.namespace));

export const around = (instance: PallasInstance, ...agents: PallasAgent[]): Neighbourhood =>
  neighbourhood(instance, agents);

export const releaseRules: Rules = { mode: "cluster", allowedImages: [] };

export const releaseImages = {
  agent: "registry.example/pallas/agent:0.1.0",
  registry: "registry.example/pallas/registry:0.1.0",
  gateway: "registry.example/pallas/gateway:0.1.0",
  bridge: "registry.example/pallas/bridge:0.1.0",
};
