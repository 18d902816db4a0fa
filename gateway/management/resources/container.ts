// `resource://container.info`: what the gateway itself runs on.
import type { GatewayConfig } from "../../../crds/gateway-config.ts";
import { isViewer } from "../access.ts";
import type { ResourceFamily } from "./family.ts";

export interface ContainerInfo {
  version: string;
  /** Where it is known. */
  image?: string;
}

export const createContainerInfo = (
  container: ContainerInfo,
  of: { namespace: string; instance: string; management: GatewayConfig["management"] },
): ResourceFamily => ({
  uri: "resource://container.info",
  name: "Container",
  description: "What this server runs on, and what it may do.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  read: async () => ({
    ...container,
    ...of,
    node: process.versions.node,
    platform: process.platform,
    architecture: process.arch,
  }),
});
