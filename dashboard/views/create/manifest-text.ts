// The draft as the manifest that kubectl would apply, and back: what is typed there is read as plain data, and says where it is wrong. Pure.
import { CORE_SCHEMA, dump, load, YAMLException } from "js-yaml";
import { apiVersion } from "../../../crds/names.ts";
import { createWords as words } from "../../words/create.ts";
import { fill } from "../../words/fill.ts";
import { isFields, type Draft } from "./draft.ts";

const kind = "PallasAgent";
/** Above what the gateway takes. */
export const maxManifestChars = 512 * 1024;

export interface Place {
  readonly instance: string;
  readonly namespace: string;
}

export function renderManifest({ name, spec }: Draft, { instance, namespace }: Place): string {
  const { instanceRef: _, ...own } = spec;
  const manifest = {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { instanceRef: { name: instance }, ...own },
  };
  return dump(manifest, { noRefs: true, lineWidth: 100, schema: CORE_SCHEMA });
}

export type ReadManifest =
  | { readonly ok: true; readonly draft: Draft }
  | { readonly ok: false; readonly problem: string };

export function readManifest(text: string, { instance, namespace }: Place): ReadManifest {
  const refuse = (problem: string): ReadManifest => ({ ok: false, problem });
  if (text.length > maxManifestChars) return refuse(fill(words.tooLong, { max: maxManifestChars }));
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    return refuse(tellFault(error));
  }
  if (!isFields(value)) return refuse(words.notObject);
  const { metadata, spec, ...head } = value;
  const isAgent = head["apiVersion"] === apiVersion && head["kind"] === kind;
  if (!isAgent) return refuse(fill(words.otherKind, { apiVersion, kind }));
  if (!isFields(metadata) || !isFields(spec)) return refuse(words.noSpec);
  const unknown = [
    ...Object.keys(head).filter((key) => key !== "apiVersion" && key !== "kind"),
    ...Object.keys(metadata).flatMap((key) => (key === "name" || key === "namespace" ? [] : [`metadata.${key}`])),
  ];
  if (unknown.length > 0) return refuse(fill(words.notTaken, { fields: unknown.join(", ") }));
  if ((metadata["namespace"] ?? namespace) !== namespace) return refuse(fill(words.otherNamespace, { namespace }));
  const { instanceRef, ...own } = spec;
  const isOwn = instanceRef === undefined || (isFields(instanceRef) && instanceRef["name"] === instance);
  if (!isOwn) return refuse(fill(words.otherInstance, { instance }));
  const name = metadata["name"] ?? "";
  return typeof name === "string" ? { ok: true, draft: { name, spec: own } } : refuse(words.nameNoText);
}

function tellFault(error: unknown): string {
  if (!(error instanceof YAMLException)) return words.notObject;
  const { mark, reason } = error;
  return mark === undefined ? reason : fill(words.notYaml, { line: mark.line + 1, column: mark.column + 1, reason });
}
