// Everything of a tool server that runs behind a bridge, in the order it is written: what its pods need comes before the
// Deployment (DSC-6). It has no rights and no token; its secrets are named in its own pods and nowhere else (SEC-2).
import type { V1ConfigMap, V1Deployment, V1Service, V1ServiceAccount } from "@kubernetes/client-node";
import { configFiles, ports, serverChildren } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { ResolvedBridge, ResolvedServer } from "../../plan/resolved-server.ts";
import { serialiseConfig } from "../../plan/run-config.ts";
import type { Images } from "./agent-children.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import type { RenderedNetworkPolicy } from "./policy-rules.ts";
import { renderServerDeployment } from "./server-deployment.ts";
import { renderServerNetworkPolicy, type ServerPeers } from "./server-network-policy.ts";

export interface ServerChildren {
  serviceAccount: Rendered<V1ServiceAccount>;
  runConfig: Rendered<V1ConfigMap>;
  /** Undefined: none, now. */
  networkPolicy: RenderedNetworkPolicy | undefined;
  /** There is one pod, which may go when its node must be emptied. */
  podDisruptionBudget: undefined;
  service: Rendered<V1Service>;
  deployment: Rendered<V1Deployment>;
}

const renderServiceAccount = (server: PallasServer): Rendered<V1ServiceAccount> => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: renderMetadata(server, "server", serverChildren(server.metadata.name).serviceAccount),
  automountServiceAccountToken: false,
});

const renderConfigMap = (server: PallasServer, { config, hash }: ResolvedBridge): Rendered<V1ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: renderMetadata(server, "server", serverChildren(server.metadata.name).config(hash)),
  data: { [configFiles.bridge]: serialiseConfig(config) },
  immutable: true,
});

const renderService = (server: PallasServer): Rendered<V1Service> => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: renderMetadata(server, "server", serverChildren(server.metadata.name).service),
  spec: {
    type: "ClusterIP",
    selector: renderSelector(server, "server"),
    ports: [{ name: "mcp", port: ports.bridge, targetPort: "mcp", protocol: "TCP", appProtocol: "http" }],
  },
});

/** Of a server without problems; undefined where it is called directly. */
export function renderServerChildren(
  { server, instance, bridge }: ResolvedServer,
  images: Images,
  peers: ServerPeers = { callers: [], metricsFrom: [] },
): ServerChildren | undefined {
  if (bridge === undefined) return undefined;
  return {
    serviceAccount: renderServiceAccount(server),
    runConfig: renderConfigMap(server, bridge),
    networkPolicy: renderServerNetworkPolicy(server, instance, peers),
    podDisruptionBudget: undefined,
    service: renderService(server),
    deployment: renderServerDeployment(server, instance, bridge, images.bridge),
  };
}
