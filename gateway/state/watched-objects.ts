// What a gateway keeps of objects that are not Pallas' own: of the slices of agents' Services the pods behind them, and of
// accounts who they are and whose.
import { labels } from "../../crds/names.ts";
import { parseEndpoints, type Endpoint } from "../../lib/kube/endpoint-slice.ts";
import {
  controllerOf,
  identityOf,
  type LiveObject,
  type OwnerReference,
  type RawObject,
} from "../../lib/kube/object.ts";
import type { ResourceType } from "../../lib/kube/resource.ts";

export const serviceAccountType: ResourceType = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
};

export interface WatchedAccount extends LiveObject {
  readonly controller: OwnerReference | undefined;
}

export const parseAccount = (raw: RawObject): WatchedAccount => ({ ...identityOf(raw), controller: controllerOf(raw) });

export interface WatchedSlice extends LiveObject {
  /** Whose Service it is of: one of the two. */
  readonly agent: string | undefined;
  readonly server: string | undefined;
  readonly endpoints: readonly Endpoint[];
}

const ownerOf = ({ metadata }: RawObject, component: "agent" | "server"): string | undefined =>
  metadata.labels?.[labels.component] === component ? metadata.labels[labels[component]] : undefined;

/** A slice carries the labels of its Service. Throws on one of another shape. */
export const parseSlice = (raw: RawObject): WatchedSlice => ({
  ...identityOf(raw),
  agent: ownerOf(raw, "agent"),
  server: ownerOf(raw, "server"),
  endpoints: parseEndpoints(raw),
});
