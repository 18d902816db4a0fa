// Resources as an API server gives them, for tests: the least that is valid, with what a case changes on top.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import { neighbourhood } from "../../../plan/check.ts";
import type { Neighbourhood } from "../../../plan/resolve.ts";
import type { Rules } from "../../../plan/rules.ts";
import { sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";

const serverFilled = (name: string) => ({
  uid: `uid-of-${name}`,
  namespace: "agents",
  generation: 1,
  resourceVersion: "1",
  creationTimestamp: "2026-11-21T10:00:00Z",
});

export const makeInstance = (spec: object = {}): PallasInstance => sampleInstance(spec, serverFilled("ouranos"));
export const makeAgent = (name: string, spec: object = {}): PallasAgent => sampleAgent(name, spec, serverFilled(name));

export const around = (instance: PallasInstance, ...agents: PallasAgent[]): Neighbourhood =>
  neighbourhood(instance, agents);

export const releaseRules: Rules = { mode: "cluster", allowedImages: [] };

export const releaseImages = {
  agent: "registry.example/pallas/agent:0.1.0",
  registry: "registry.example/pallas/registry:0.1.0",
  gateway: "registry.example/pallas/gateway:0.1.0",
};
