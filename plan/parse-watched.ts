// What the API server serves, read for programs that must go on: it was validated when it was written, perhaps by the
// CRD of another release, and its status is another program's. So spec and status are read apart, keys that this
// release does not know are passed over, and of a faulty status is kept what can be read. `pallas check` and local
// mode read strictly (parse.ts).
import * as z from "zod";
import { kinds, type KindName, type ResourceOf } from "../crds/kinds.ts";
import type { Outcome } from "./fault.ts";
import { parseBySchema, schemaAt, withoutNulls } from "./parse.ts";

interface ServedMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

/** A live object; whatever else it has is left unread. */
export interface Served {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ServedMeta & { readonly namespace?: string; readonly annotations?: unknown };
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface Watched<Name extends KindName> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ServedMeta & { readonly namespace: string };
  /** With the status, as far as it can be read; faults are those of name and spec. */
  readonly parsed: Outcome<ResourceOf<Name>>;
  /** As far as it can be read, also where the spec cannot. */
  readonly status: ResourceOf<Name>["status"];
}
export type WatchedAgent = Watched<"PallasAgent">;
export type WatchedInstance = Watched<"PallasInstance">;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without annotations, which nobody reads: kubectl keeps the whole manifest in one of them. */
function parseMetadata({ metadata }: Served): Watched<KindName>["metadata"] {
  const { annotations: _, namespace, ...rest } = metadata;
  if (namespace === undefined) throw new Error(`expected a namespace on "${rest.name}", found none`);
  return { ...rest, namespace };
}

function parseSpec(name: KindName, { metadata, spec }: Served): Outcome<unknown> {
  const schema = kinds[name].served;
  const raw = { metadata: { name: metadata.name }, spec };
  const found = parseBySchema(schema, raw);
  const parsed = found.ok ? found : parseBySchema(schema, withoutNulls(schema, raw, "dropped"));
  return parsed.ok ? { ok: true, value: parsed.value.spec } : parsed;
}

/** Entries of a list that are sound by themselves; anything else as it is. */
function soundEntries(schema: z.core.$ZodType, value: unknown): unknown {
  const at = schemaAt(schema, []);
  if (!(at instanceof z.ZodArray) || !Array.isArray(value)) return value;
  return value.filter((entry) => z.safeParse(at.element, entry).success);
}

function parseStatus(name: KindName, raw: unknown): unknown {
  if (!isRecord(raw)) return undefined;
  const schema = kinds[name].definition.status;
  const whole = schema.safeParse(raw);
  if (whole.success) return whole.data;
  const known = withoutNulls(schema, raw, "dropped");
  if (!isRecord(known)) return undefined;
  const sound = Object.entries(schema.shape).flatMap(([field, ofField]): [string, unknown][] => {
    const value = z.safeParse(ofField, soundEntries(ofField, known[field]));
    return value.success && value.data !== undefined ? [[field, value.data]] : [];
  });
  return Object.fromEntries(sound);
}

/**
 * @param previous as it was read before: its spec is not read again for as long as it is of the same generation
 * @throws Error when it has no namespace
 */
export function parseWatched<Name extends KindName>(
  name: Name,
  served: Served,
  previous: Watched<Name> | undefined,
): Watched<Name> {
  const { apiVersion, kind } = served;
  const metadata = parseMetadata(served);
  const status = parseStatus(name, served.status);
  const isKnown =
    previous?.metadata.uid === metadata.uid &&
    metadata.generation !== undefined &&
    previous.metadata.generation === metadata.generation;
  const spec = isKnown ? specOf(previous) : parseSpec(name, served);
  const withStatus = status === undefined ? {} : { status };
  const parsed = spec.ok ? { ok: true, value: { apiVersion, kind, metadata, spec: spec.value, ...withStatus } } : spec;
  // Each part was read by the schema of this kind.
  return { apiVersion, kind, metadata, parsed, status } as Watched<Name>;
}

/** What an informer of this kind is made with. */
export const watching = <Name extends KindName>(name: Name) => ({
  type: kinds[name].type,
  parse: (served: Served, previous: Watched<Name> | undefined) => parseWatched(name, served, previous),
});

const specOf = ({ parsed }: { readonly parsed: Outcome<{ spec: unknown }> }): Outcome<unknown> =>
  parsed.ok ? { ok: true, value: parsed.value.spec } : parsed;
