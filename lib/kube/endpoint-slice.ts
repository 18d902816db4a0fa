// EndpointSlices (discovery.k8s.io/v1): the addresses behind a Service, down to what a client of pods needs. Whose they
// are, and which of them count, is for the caller to judge.
import * as z from "zod";
import type { RawObject } from "./object.ts";
import type { ResourceType } from "./resource.ts";

export const endpointSliceType: ResourceType = {
  group: "discovery.k8s.io",
  version: "v1",
  plural: "endpointslices",
  kind: "EndpointSlice",
};

export interface Endpoint {
  /** As it stands in a URL: IPv6 in brackets. */
  readonly host: string;
  readonly ready: boolean;
  readonly terminating: boolean;
  /** Undefined when something else than a pod is behind it. */
  readonly pod: string | undefined;
  /** Of that pod. */
  readonly podUid: string | undefined;
}

const sliceSchema = z.object({
  addressType: z.string(),
  endpoints: z
    .array(
      z.object({
        // More than one is not in use: consumers take the first.
        addresses: z.array(z.string()).min(1),
        conditions: z.object({ ready: z.boolean().nullish(), terminating: z.boolean().nullish() }).nullish(),
        targetRef: z
          .object({ kind: z.string().optional(), name: z.string().optional(), uid: z.string().optional() })
          .nullish(),
      }),
    )
    .nullish(),
});

/** Ready or not, draining or not; none of a slice of names (FQDN). Throws on an object of another shape. */
export function parseEndpoints(slice: RawObject): readonly Endpoint[] {
  const { addressType, endpoints } = sliceSchema.parse(slice);
  if (addressType === "FQDN") return [];
  return (endpoints ?? []).map(({ addresses: [address = ""], conditions, targetRef }) => ({
    host: addressType === "IPv6" ? `[${address}]` : address,
    // Absent means ready, as it does to kube-proxy.
    ready: conditions?.ready ?? true,
    terminating: conditions?.terminating ?? false,
    pod: targetRef?.kind === "Pod" ? targetRef.name : undefined,
    podUid: targetRef?.kind === "Pod" ? targetRef.uid : undefined,
  }));
}
