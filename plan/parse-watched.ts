// What the API server serves, read for programs that must go on: it was validated when it was written, perhaps by the
// CRD of another release, and its status is another program's. So spec and status are read apart, keys that this
// release does not know are passed over, and of a faulty status is kept what can be read. `pallas check` and local
// mode read strictly (parse.ts).
import * as z from "zod";
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { Kind } from "../crds/kinds.ts";
import type { PallasPolicy } from "../crds/policy.ts";
import type { PallasServer } from "../crds/server.ts";
import { apiVersion } from "../crds/names.ts";
import type { Outcome } from "./validation-error.ts";
import { parseBySchema, withoutNulls } from "./parse.ts";
import { schemaAt } from "./schema-at.ts";

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
  readonly kind: string;
  readonly metadata: ServedMeta & { readonly namespace?: string; readonly annotations?: unknown };
  readonly spec?: unknown;
  readonly status?: unknown;
}

type OwnMeta = ServedMeta & { readonly namespace: string };

export interface Watched<Resource extends { status?: unknown }> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: OwnMeta;
  /** With the status, as far as it can be read; problems are those of name and spec. */
  readonly parsed: Outcome<Resource>;
  /** As far as it can be read, also where the spec cannot. */
  readonly status: Resource["status"];
}
export type WatchedAgent = Watched<PallasAgent>;
export type WatchedInstance = Watched<PallasInstance>;
export type WatchedServer = Watched<PallasServer>;
export type WatchedPolicy = Watched<PallasPolicy>;

interface Identity {
  apiVersion: typeof apiVersion;
  kind: string;
  metadata: OwnMeta;
}
interface Read<Spec, Status> extends Identity {
  spec: Spec;
  status?: Status;
}
/** As it was read before. */
interface Previous<Spec> {
  readonly metadata: OwnMeta;
  readonly parsed: Outcome<{ spec: Spec }>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without annotations, which nobody reads: kubectl keeps the whole manifest in one of them. */
function parseMetadata({ metadata }: Served): OwnMeta {
  const { annotations: _, namespace, ...rest } = metadata;
  if (namespace === undefined) throw new Error(`expected a namespace on "${rest.name}", found none`);
  return { ...rest, namespace };
}

function parseSpec<Spec>(schema: z.ZodType<{ spec: Spec }>, { metadata, spec }: Served): Outcome<{ spec: Spec }> {
  const raw = { metadata: { name: metadata.name }, spec };
  const found = parseBySchema(schema, raw);
  return found.ok ? found : parseBySchema(schema, withoutNulls(schema, raw, "dropped"));
}

/** Entries of a list that are sound by themselves; anything else as it is. */
function soundEntries(schema: z.core.$ZodType, value: unknown): unknown {
  const at = schemaAt(schema, []);
  if (!(at instanceof z.ZodArray) || !Array.isArray(value)) return value;
  return value.filter((entry) => z.safeParse(at.element, entry).success);
}

/** What of a status is sound field by field, as a status. */
function parseStatus<Status>(
  { status: schema, statusFields }: Pick<Kind<unknown, Status>, "status" | "statusFields">,
  raw: unknown,
): Status | undefined {
  if (!isRecord(raw)) return undefined;
  const whole = schema.safeParse(raw);
  if (whole.success) return whole.data;
  const known = withoutNulls(schema, raw, "dropped");
  if (!isRecord(known)) return undefined;
  const sound = Object.entries(statusFields).flatMap(([name, field]): [string, unknown][] => {
    const value = soundEntries(field, known[name]);
    return value !== undefined && z.safeParse(field, value).success ? [[name, value]] : [];
  });
  return schema.safeParse(Object.fromEntries(sound)).data;
}

/**
 * @param previous its spec is not read again for as long as it is of the same generation
 * @throws Error when it has no namespace
 */
export function parseWatched<Spec, Status>(
  kind: Kind<Spec, Status>,
  served: Served,
  previous: Previous<Spec> | undefined,
): Watched<Read<Spec, Status>> {
  const metadata = parseMetadata(served);
  const identity: Identity = { apiVersion, kind: served.kind, metadata };
  const status = parseStatus(kind, served.status);
  const isKnown =
    previous?.metadata.uid === metadata.uid &&
    metadata.generation !== undefined &&
    previous.metadata.generation === metadata.generation;
  const found = isKnown ? previous.parsed : parseSpec(kind.served, served);
  if (!found.ok) return { ...identity, parsed: found, status };
  const withStatus = status === undefined ? {} : { status };
  const value: Read<Spec, Status> = { ...identity, spec: found.value.spec, ...withStatus };
  return { ...identity, parsed: { ok: true, value }, status };
}

/** What an informer of one of `crds/kinds.ts` is made with. */
export const watching = <Spec, Status>(kind: Kind<Spec, Status>) => ({
  type: kind.type,
  parse: (served: Served, previous: Previous<Spec> | undefined) => parseWatched(kind, served, previous),
});
