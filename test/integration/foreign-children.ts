// For each kind of child an object of somebody else's that has its name already, with the resource that wants the name.
import { agentChildren, apiVersion, registryName } from "../../crds/names.ts";
import { childTypes, type ChildKind } from "../../operator/resources.ts";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export interface ForeignChild {
  readonly object: Manifest;
  readonly owner: Manifest;
}

interface Wanted {
  readonly by: "PallasAgent" | "PallasInstance";
  /** The child's name. */
  readonly name: (owner: string) => string;
  /** What the owner must say to have such a child. */
  readonly spec?: object;
  /** The least that the API server takes. */
  readonly body?: object;
}

const labels = { app: "foreign" };
const template = { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } };

const wanted: Record<ChildKind, Wanted> = {
  deployment: {
    by: "PallasAgent",
    name: (agent) => agentChildren(agent).deployment,
    body: { spec: { replicas: 0, selector: { matchLabels: labels }, template } },
  },
  service: {
    by: "PallasAgent",
    name: (agent) => agentChildren(agent).service,
    body: { spec: { ports: [{ port: 80 }] } },
  },
  configMap: { by: "PallasAgent", name: (agent) => agentChildren(agent).liveConfig },
  serviceAccount: { by: "PallasAgent", name: (agent) => agentChildren(agent).serviceAccount },
  networkPolicy: {
    by: "PallasAgent",
    name: (agent) => agentChildren(agent).networkPolicy,
    body: { spec: { podSelector: { matchLabels: labels } } },
  },
  podDisruptionBudget: {
    by: "PallasAgent",
    name: (agent) => agentChildren(agent).podDisruptionBudget,
    spec: { replicas: 2, scope: "request" },
    body: { spec: { maxUnavailable: 1, selector: { matchLabels: labels } } },
  },
  historyClaim: {
    by: "PallasAgent",
    name: (agent) => agentChildren(agent).historyClaim,
    spec: { storage: { size: "1Gi" } },
    body: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  },
  role: { by: "PallasInstance", name: registryName, body: { rules: [] } },
  roleBinding: {
    by: "PallasInstance",
    name: registryName,
    body: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "foreign" } },
  },
};

const leastSpecs = {
  PallasAgent: { instanceRef: { name: "team" } },
  PallasInstance: { registryNamespace: "com.example", defaultModel: "passthrough" },
};

function foreignChild(kind: ChildKind): ForeignChild {
  const { by, name, spec, body } = wanted[kind];
  const { group, version, kind: word } = childTypes[kind];
  const owner = `foreign-${word.toLowerCase()}`;
  return {
    object: {
      ...{ apiVersion: group === "" ? version : `${group}/${version}`, ...body },
      kind: word,
      metadata: { name: name(owner) },
    },
    owner: { ...{ apiVersion, spec: { ...leastSpecs[by], ...spec } }, kind: by, metadata: { name: owner } },
  };
}

const isChildKind = (kind: string): kind is ChildKind => kind in wanted;

/** One of each kind. The agents belong to an instance called "team". */
export const foreignChildren = (): ForeignChild[] => Object.keys(wanted).filter(isChildKind).map(foreignChild);
