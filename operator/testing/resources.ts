// Resources as they come from an API server, for tests: the least that is valid, with what a case changes on top.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { apiVersion } from "../../crds/names.ts";
import { neighbourhood } from "../../plan/check.ts";
import { parseAgent, parseInstance } from "../../plan/parse.ts";
import type { Neighbourhood } from "../../plan/resolve.ts";

const serverFilled = {
  namespace: "agents",
  generation: 1,
  resourceVersion: "1",
  creationTimestamp: "2026-11-21T10:00:00Z",
};

export function makeInstance(spec: Record<string, unknown> = {}, name = "ouranos"): PallasInstance {
  const parsed = parseInstance({
    apiVersion,
    kind: "PallasInstance",
    metadata: { name, uid: `uid-of-${name}`, ...serverFilled },
    spec: { registryNamespace: "ca.helu.ouranos", defaultModel: "passthrough", ...spec },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value;
}

export function makeAgent(name: string, spec: Record<string, unknown> = {}): PallasAgent {
  const parsed = parseAgent({
    apiVersion,
    kind: "PallasAgent",
    metadata: { name, uid: `uid-of-${name}`, ...serverFilled },
    spec: { instanceRef: { name: "ouranos" }, ...spec },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value;
}

export const around = (instance: PallasInstance, ...agents: PallasAgent[]): Neighbourhood =>
  neighbourhood(instance, agents);

export const releaseImages = {
  agent: "registry.example/pallas/agent:0.1.0",
  registry: "registry.example/pallas/registry:0.1.0",
};
