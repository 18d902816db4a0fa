// The agents of a benchmark: one instance and many agents of it in one namespace, as manifests, and the children that
// they get, rendered by the operator's own pure functions. All agents are alike but for their names and texts.
import { agentType, instanceType } from "../../crds/kinds.ts";
import { agentChildren, annotations, apiVersion, labels } from "../../crds/names.ts";
import { apiVersionOf, collectionPath, objectPath } from "../../lib/kube/resource.ts";
import { neighbourhood } from "../../plan/check.ts";
import type { Outcome } from "../../plan/validation-error.ts";
import { parseAgent, parseInstance } from "../../plan/parse.ts";
import { clusterAgentUrl } from "../../plan/urls.ts";
import { renderAgentChildren } from "../../operator/render/agent-children.ts";
import { childTypes } from "../../operator/resources.ts";
import type { BareClient } from "./bare-client.ts";

/** A write ready to be sent. */
export interface Write {
  readonly path: string;
  readonly body: string;
}

const instanceName = "fleet";
const images = {
  agent: "pallas/agent:bench",
  registry: "pallas/registry:bench",
  gateway: "pallas/gateway:bench",
  bridge: "pallas/bridge:bench",
};
/** Stands where the uid of the agent must be, which only the server knows. */
const unknownUid = "00000000-0000-0000-0000-000000000000";

export const agentName = (position: number): string => `agent-${String(position).padStart(5, "0")}`;
export const agentNames = (count: number): string[] =>
  Array.from({ length: count }, (_, position) => agentName(position));
export const agentPath = (namespace: string, name: string): string => objectPath(agentType, { namespace, name });
export const agentsPath = (namespace: string): string => collectionPath(agentType, namespace);
export const runConfigsPath = (namespace: string): string => collectionPath(childTypes.configMap, namespace);
/** The agent whose run configuration a ConfigMap of this name holds, if it does. */
export const agentOfRunConfig = (name: string): string =>
  name.slice(0, -agentChildren("").runConfig("0".repeat(16)).length);

const instanceManifest = (namespace: string) => ({
  apiVersion,
  kind: instanceType.kind,
  metadata: { name: instanceName, namespace },
  spec: {
    registryNamespace: "com.example",
    defaultModel: "passthrough",
    servers: [
      { name: "search", url: "http://search.tools.svc:8000/mcp" },
      { name: "files", url: "http://files.tools.svc:8000/mcp", timeout: "30s" },
    ],
  },
});

const agentManifest = (namespace: string, name: string) => ({
  apiVersion,
  kind: agentType.kind,
  metadata: { name, namespace },
  spec: {
    instanceRef: { name: instanceName },
    description: `Answers questions about the matter of ${name}`,
    instruction: `You are ${name}. Answer in at most three sentences, and name the sources that you used.`,
    servers: [{ name: "search" }, { name: "files" }],
    request: { maxSteps: 12 },
  },
});

export const instanceWrite = (namespace: string): Write => ({
  path: objectPath(instanceType, { namespace, name: instanceName }),
  body: JSON.stringify(instanceManifest(namespace)),
});

export const agentWrite = (namespace: string, name: string): Write => ({
  path: agentPath(namespace, name),
  body: JSON.stringify(agentManifest(namespace, name)),
});

/** A merge patch which changes what the agent runs on. */
export const editBody = (text: string): string => JSON.stringify({ spec: { instruction: text } });

function sound<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`expected a resource without faults, found ${JSON.stringify(outcome.problems)}`);
}

function renderChildren(namespace: string, name: string) {
  const serverFilled = { uid: unknownUid, creationTimestamp: "2026-01-01T00:00:00Z", generation: 1 };
  const manifest = agentManifest(namespace, name);
  const agent = sound(parseAgent({ ...manifest, metadata: { ...manifest.metadata, ...serverFilled } }));
  const around = neighbourhood(sound(parseInstance(instanceManifest(namespace))), [agent]);
  const children = Object.values(renderAgentChildren(agent, around, images)).filter((child) => child !== undefined);
  return children.map((child) => {
    const type = Object.values(childTypes).find(({ kind }) => kind === child.kind);
    if (type === undefined) throw new Error(`expected the operator to know the kind of its child, found ${child.kind}`);
    return { type, child };
  });
}

/** Every child of an agent, in the operator's order. */
export const childWrites = (namespace: string, name: string): Write[] =>
  renderChildren(namespace, name).map(({ type, child }) => {
    const hash = { [annotations.appliedHash]: "0".repeat(64) }; // as long as the real one
    const metadata = { ...child.metadata, annotations: { ...child.metadata.annotations, ...hash } };
    return { path: objectPath(type, { namespace, name: metadata.name }), body: JSON.stringify({ ...child, metadata }) };
  });

/** Puts the agent's uid where a write of `childWrites` left room for it. */
export const withOwner = ({ path, body }: Write, uid: string): Write => ({
  path,
  body: body.replaceAll(unknownUid, uid),
});

/** A status as large as the operator's own right after the creation. */
export function statusWrite(namespace: string, name: string): Write {
  const at = { observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const conditions = [
    { type: "Accepted", status: "True", reason: "Accepted", message: `belongs to PallasInstance "${instanceName}"` },
    { type: "ReferencesResolved", status: "True", reason: "Resolved", message: "all references exist" },
    { type: "DependenciesReady", status: "True", reason: "DependenciesReady", message: "depends on no other agent" },
    { type: "Available", status: "False", reason: "Unavailable", message: "the Deployment is not observed yet" },
    { type: "Ready", status: "False", reason: "NotReady", message: "Available: the Deployment is not observed yet" },
    { type: "Stalled", status: "False", reason: "Succeeded", message: "" },
    { type: "Reconciling", status: "True", reason: "Reconciling", message: "the Deployment is not observed yet" },
  ].map((condition) => ({ ...condition, ...at }));
  const status = {
    observedGeneration: 1,
    specChangedAt: at.lastTransitionTime,
    conditions,
    url: clusterAgentUrl(name, namespace),
    replicas: 0,
    readyReplicas: 0,
    selector: `${labels.agent}=${name}`,
  };
  const body = { apiVersion, kind: agentType.kind, metadata: { name, namespace }, status };
  return { path: objectPath(agentType, { namespace, name }, "status"), body: JSON.stringify(body) };
}

/** The status of an agent's Deployment whose only pod serves. */
export function availableWrite(namespace: string, name: string): Write {
  const type = childTypes.deployment;
  const identity = { namespace, name: agentChildren(name).deployment };
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const status = { observedGeneration: 1, ...counts };
  const body = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: identity, status };
  return { path: objectPath(type, identity, "status"), body: JSON.stringify(body) };
}

/** Children that are not on the server, as paths: none, once the operator has done its work. */
export async function findMissingChildren(
  client: BareClient,
  namespace: string,
  names: readonly string[],
): Promise<string[]> {
  const wanted = names.flatMap((name) => renderChildren(namespace, name));
  const found = new Set<string>();
  for (const type of new Set(wanted.map(({ type }) => type))) {
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const list: { items: { metadata: { name: string } }[] } = JSON.parse(
      await client.getText(collectionPath(type, namespace), accept),
    );
    for (const { metadata } of list.items) found.add(objectPath(type, { namespace, name: metadata.name }));
  }
  return wanted.map(({ type, child }) => objectPath(type, child.metadata)).filter((path) => !found.has(path));
}
