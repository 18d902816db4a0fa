// Resources as they come from an API server, for tests: the least that is valid, with what a case changes on top.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { apiVersion } from "../../crds/names.ts";
import { parseAgent, parseInstance } from "../../plan/parse.ts";

const metadataOf = (name: string) => ({
  name,
  namespace: "agents",
  uid: `uid-of-${name}`,
  generation: 1,
  resourceVersion: "1",
  creationTimestamp: "2026-11-21T10:00:00Z",
});

export const instanceManifest = (spec: Record<string, unknown> = {}, name = "ouranos") => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: metadataOf(name),
  spec: { registryNamespace: "ca.helu.ouranos", defaultModel: "passthrough", ...spec },
});

export const agentManifest = (name: string, spec: Record<string, unknown> = {}) => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: metadataOf(name),
  spec: { instanceRef: { name: "ouranos" }, ...spec },
});

export function makeInstance(spec: Record<string, unknown> = {}, name?: string): PallasInstance {
  const parsed = parseInstance(instanceManifest(spec, name));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

export function makeAgent(
  name: string,
  spec: Record<string, unknown> = {},
  metadata: Partial<PallasAgent["metadata"]> = {},
): PallasAgent {
  const parsed = parseAgent(agentManifest(name, spec));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { ...parsed.value, metadata: { ...parsed.value.metadata, ...metadata } };
}

export const makeEndpoint = (agent: string, adminUrl: string, pod = `${agent}-1`): AgentEndpoint => ({
  namespace: "agents",
  instance: "ouranos",
  agent,
  pod,
  adminUrl,
});
