// How a pod reaches the outside: the instance's proxy and its extra certificates, both by the environment variables
// that Node itself reads, so that every HTTP client in the process obeys.
import type { V1EnvVar, V1Volume, V1VolumeMount } from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import { mounts } from "../../crds/names.ts";

interface Outgoing {
  env: V1EnvVar[];
  volumes: V1Volume[];
  volumeMounts: V1VolumeMount[];
}

const inCluster = ["localhost", "127.0.0.1", ".svc", ".cluster.local"];

export function renderOutgoing({ spec }: PallasInstance): Outgoing {
  const { https = "", http = "", noProxy = [] } = spec.proxy ?? {};
  const env: V1EnvVar[] = [];
  if (https !== "" || http !== "") {
    env.push({ name: "NODE_USE_ENV_PROXY", value: "1" });
    if (https !== "") env.push({ name: "HTTPS_PROXY", value: https });
    if (http !== "") env.push({ name: "HTTP_PROXY", value: http });
    env.push({ name: "NO_PROXY", value: [...new Set([...inCluster, ...noProxy])].join(",") });
  }
  if (!spec.caBundle) return { env, volumes: [], volumeMounts: [] };
  const { name, key } = spec.caBundle.configMapKeyRef;
  const folder = mounts.caBundle.slice(0, mounts.caBundle.lastIndexOf("/"));
  const file = mounts.caBundle.slice(folder.length + 1);
  return {
    env: [...env, { name: "NODE_EXTRA_CA_CERTS", value: mounts.caBundle }],
    volumes: [{ name: "ca", configMap: { name, optional: true, items: [{ key, path: file }] } }],
    volumeMounts: [{ name: "ca", mountPath: folder, readOnly: true }],
  };
}
