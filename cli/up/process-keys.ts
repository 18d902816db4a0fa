// What the processes of a run are called among each other, and what each is by its name: agents have one slash in theirs,
// as in namespace/name; gateways and servers begin with what they are.
import { gatewayName } from "../../crds/names.ts";

interface Named {
  metadata: { namespace: string; name: string };
}

export const registryKey = "registry";

/** Of an agent's process, and of every resource among those of its kind. */
export const keyOf = ({ metadata }: Named): string => `${metadata.namespace}/${metadata.name}`;

/** @param instance whose gateway it is */
export const gatewayKey = (instance: Named): string =>
  `gateway/${instance.metadata.namespace}/${gatewayName(instance.metadata.name)}`;

export const serverKey = (server: Named): string => `server/${keyOf(server)}`;

export type ProcessKind = "registry" | "agent" | "gateway" | "server";

export function kindOfKey(key: string): ProcessKind {
  if (key === registryKey) return "registry";
  if (key.split("/").length === 2) return "agent";
  return key.startsWith("gateway/") ? "gateway" : "server";
}

/** namespace/name → name, for people. */
export const shortName = (key: string): string => key.slice(key.lastIndexOf("/") + 1);
