// The tool servers of an instance as a gateway knows them: its PallasServers, and those of its own spec, which only its manifest
// changes. Of two that claim one name the earlier has it, and an inline one before all. Pure.
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
import { serverNameOf } from "../../plan/server.ts";
import { needsSecrets } from "../../plan/server-address.ts";

type InlineServer = NonNullable<PallasInstance["spec"]["servers"]>[number];

/** `resource` and `inline`: exactly one of them. */
export type KnownServer = { readonly name: string } & (
  | { readonly resource: PallasServer; readonly inline?: undefined }
  | { readonly inline: InlineServer; readonly resource?: undefined }
);

/** Of a server that this program may call: it needs no secrets for it. */
export interface PlainAddress {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly forwardInboundAuth: boolean;
}

export interface ServerSet {
  readonly list: readonly KnownServer[];
  get(name: string): KnownServer | undefined;
}

/** @param servers of the instance, in any order */
export function collectServers(instance: PallasInstance | undefined, servers: readonly PallasServer[]): ServerSet {
  const byName = new Map<string, KnownServer>();
  for (const inline of instance?.spec.servers ?? []) byName.set(inline.name, { name: inline.name, inline });
  for (const resource of servers.toSorted(byAge)) {
    const name = serverNameOf(resource);
    if (!byName.has(name)) byName.set(name, { name, resource });
  }
  const list = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { list, get: (name) => byName.get(name) };
}

function byAge({ metadata: a }: PallasServer, { metadata: b }: PallasServer): number {
  const [left, right] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (left !== right) return left < right ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Undefined where it has none yet, where it is not started, and where only agents hold the secrets for it. */
export function findAddress({ resource, inline }: KnownServer): PlainAddress | undefined {
  const direct = inline ?? resource?.spec.remote;
  if (resource?.spec.active === false || (inline !== undefined && needsSecrets(inline))) return undefined;
  if (direct === undefined) return viaBridge(resource);
  const plain = (direct.headers ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
  if (plain.length < (direct.headers?.length ?? 0)) return viaBridge(resource);
  return { url: direct.url, headers: plain, forwardInboundAuth: direct.forwardInboundAuth ?? false };
}

/** Whoever stands before it says where that is. */
function viaBridge(resource: PallasServer | undefined): PlainAddress | undefined {
  const url = resource?.status?.url;
  return url === undefined ? undefined : { url, headers: [], forwardInboundAuth: false };
}
