// Reads lists and watch events: checks the few fields the kernel stands on and drops managedFields, which would make up
// most of the memory of a cache. Kind-specific fields pass through unread.
import { parseErrorObject } from "./api-error.ts";
import type { RawObject } from "./object.ts";
import { apiVersionOf, type ResourceType } from "./resource.ts";

export interface ListPage {
  readonly items: readonly RawObject[];
  readonly resourceVersion: string;
  /** Token of the next page; undefined on the last. */
  readonly next: string | undefined;
}

export type WatchEvent =
  | { readonly kind: "upsert" | "delete"; readonly object: RawObject }
  | { readonly kind: "bookmark"; readonly resourceVersion: string };

/** Items of a list carry no apiVersion and kind of their own; they are filled in. Changes `value` in place. */
export function parseObject(value: unknown, type: ResourceType): RawObject {
  const object = parseRecord(value, type.kind);
  const metadata = parseRecord(object["metadata"], `metadata of a ${type.kind}`);
  for (const field of ["name", "uid", "resourceVersion"]) {
    if (typeof metadata[field] !== "string" || metadata[field] === "") {
      throw new Error(`a ${type.kind} from the API server lacks metadata.${field}; expected a non-empty string`);
    }
  }
  delete metadata["managedFields"];
  object["apiVersion"] ??= apiVersionOf(type);
  object["kind"] ??= type.kind;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked field by field above
  return object as unknown as RawObject;
}

export function parseListPage(value: unknown, type: ResourceType): ListPage {
  const list = parseRecord(value, `list of ${type.plural}`);
  const metadata = parseRecord(list["metadata"], `metadata of a list of ${type.plural}`);
  const { resourceVersion, continue: next } = metadata;
  if (typeof resourceVersion !== "string" || resourceVersion === "") {
    throw new Error(`a list of ${type.plural} lacks metadata.resourceVersion; without it no watch can follow`);
  }
  const items = list["items"] ?? [];
  if (!Array.isArray(items)) throw new Error(`a list of ${type.plural} has items that are not an array`);
  return {
    items: items.map((item) => parseObject(item, type)),
    resourceVersion,
    next: typeof next === "string" && next !== "" ? next : undefined,
  };
}

/** Throws an `ApiError` for an ERROR event, and an error for a line which is no event. */
export function parseWatchEvent(line: string, type: ResourceType): WatchEvent {
  const event = parseRecord(parseJson(line, type), `watch event of ${type.plural}`);
  switch (event["type"]) {
    case "ADDED":
    case "MODIFIED":
      return { kind: "upsert", object: parseObject(event["object"], type) };
    case "DELETED":
      return { kind: "delete", object: parseObject(event["object"], type) };
    case "BOOKMARK": {
      const metadata = parseRecord(parseRecord(event["object"], "bookmark")["metadata"], "metadata of a bookmark");
      if (typeof metadata["resourceVersion"] !== "string") throw new Error("a bookmark lacks metadata.resourceVersion");
      return { kind: "bookmark", resourceVersion: metadata["resourceVersion"] };
    }
    case "ERROR":
      throw parseErrorObject(`watch of ${type.plural}`, event["object"]);
    default:
      throw new Error(`unknown type ${JSON.stringify(event["type"])} of a watch event of ${type.plural}`);
  }
}

function parseJson(line: string, type: ResourceType): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`watch of ${type.plural}: a line is not JSON; the stream is broken and will be opened again`, {
      cause,
    });
  }
}

function parseRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`expected a JSON object for ${what}, found ${value === null ? "null" : typeof value}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object has string keys
  return value as Record<string, unknown>;
}
