// Deployments of agents as an API server gives them, for tests of pacing.
import { annotations, labels } from "../../../crds/names.ts";
import type { LiveObject } from "../../../lib/kube/object.ts";

export interface LiveDeploymentOptions {
  image?: string;
  replicas?: number;
  status?: object;
  component?: string;
  /** Image of a container that somebody's webhook put before ours. */
  sidecar?: string;
  version?: number;
  /** "" where it did not serve before. */
  previousImage?: string;
  paused?: boolean;
}

/** Of generation 2; without `status` nothing has been carried out yet. */
export function liveDeployment(name: string, options: LiveDeploymentOptions = {}): LiveObject {
  const { image = "agent:1", replicas = 1, status = {}, component = "agent", sidecar, version = 1 } = options;
  const { previousImage = "agent:1", paused = false } = options;
  const injected = sidecar === undefined ? [] : [{ name: "sidecar", image: sidecar }];
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      namespace: "agents",
      uid: `uid-of-${name}`,
      resourceVersion: String(version),
      generation: 2,
      labels: { [labels.component]: component },
      annotations: previousImage === "" ? {} : { [annotations.previousImage]: previousImage },
    },
    spec: { replicas, paused, template: { spec: { containers: [...injected, { name: "agent", image }] } } },
    status,
  };
  return deployment;
}

/** The status of a Deployment that has carried everything out. */
export const carriedOut = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };

/** Its new pod made no progress in its time; the old one still serves. */
export const gaveUp = {
  observedGeneration: 2,
  replicas: 2,
  updatedReplicas: 1,
  availableReplicas: 1,
  conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }],
};

/** The same where the old pod had to go first. */
export const gaveUpRecreated = { ...gaveUp, replicas: 1, availableReplicas: 0 };
