// Files → documents, sorted by what they are for: resources of ours, Secrets and ConfigMaps, and the rest, which is
// passed over with a note. It reads and sorts; what is wrong with a resource is said by plan/.
import { manifestKindNames } from "../../crds/kinds.ts";
import { group } from "../../crds/names.ts";
import type { Manifest } from "../../plan/check.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { FoundFiles } from "./find-files.ts";
import { parseLocalObject, type LocalObject } from "./local-objects.ts";
import { readDescriptor, readTextFile, type ReadText } from "./manifest-text.ts";
import type { Position } from "./positions.ts";
import { readYamlDocuments, type YamlDocument } from "./yaml-documents.ts";

export interface Source {
  file: string;
  document: YamlDocument;
  /** The file's lines, for excerpts. */
  lines: readonly string[];
  /** When the file was last changed, RFC 3339 in UTC. */
  changedAt: string;
}

export interface Manifests {
  resources: Manifest<Source>[];
  /** Where each resource stands, as far as it says what it is: by `PallasAgent namespace/name`. */
  sources: Map<string, Source>;
  objects: LocalObject[];
  diagnostics: Diagnostic[];
}

export const noManifests = (): Manifests => ({
  resources: [],
  sources: new Map(),
  objects: [],
  diagnostics: [],
});

/** Reads every file; one that cannot be read becomes a diagnostic. */
export async function readManifests(found: FoundFiles): Promise<Manifests> {
  const manifests = noManifests();
  for (const { path, named, descriptor } of found.files) {
    const file = await (descriptor === undefined ? readTextFile(path) : readDescriptor(descriptor));
    if (typeof file === "object") addFile(manifests, path, named, file);
    else manifests.diagnostics.push({ severity: "error", file: path, message: file });
  }
  return manifests;
}

/** Adds what is in the text of a file. @param named whether the user means this file, whatever is in it */
export function addFile(manifests: Manifests, file: string, named: boolean, { text, changedAt }: ReadText): void {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  // A tsconfig.json beside the manifests is nobody's problem; a broken manifest is.
  const isOurs = named || text.includes(group);
  for (const part of readYamlDocuments(text)) {
    if (part.ok) {
      addDocument(manifests, { file, document: part.document, lines, changedAt }, isOurs);
    } else {
      manifests.diagnostics.push({
        severity: isOurs ? "error" : "note",
        file,
        position: part.position,
        message: isOurs ? part.message : `passed over, since it names no ${group} and cannot be read: ${part.message}`,
      });
    }
  }
}

function addDocument(manifests: Manifests, source: Source, isOurs: boolean): void {
  const { value } = source.document;
  const [apiVersion, kind] = [textIn(value, "apiVersion"), textIn(value, "kind")];
  const say = (severity: Diagnostic["severity"], position: Position, message: string): void => {
    manifests.diagnostics.push({ severity, file: source.file, position, message });
  };
  if (apiVersion === "v1" && (kind === "Secret" || kind === "ConfigMap")) {
    const object = parseLocalObject(source.file, source.document);
    if (!Array.isArray(object)) {
      manifests.objects.push(object);
    } else {
      for (const { path, message } of object) {
        say("error", source.document.locate(path), `${kind}: ${path}: ${message}`);
      }
    }
  } else if (apiVersion !== undefined && kind !== undefined && !apiVersion.startsWith(`${group}/`)) {
    say(
      "note",
      source.document.start,
      `passed over ${kind}: read are ${manifestKindNames.join(", ")}, Secret and ConfigMap`,
    );
  } else if (apiVersion === undefined && kind === undefined && !isOurs) {
    say("note", source.document.start, "passed over, since it has no apiVersion and kind");
  } else {
    manifests.resources.push({ source, value });
    const id = identify(value);
    if (id !== undefined && !manifests.sources.has(id)) manifests.sources.set(id, source);
  }
}

function identify(value: unknown): string | undefined {
  const kind = textIn(value, "kind");
  const metadata: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "metadata") : undefined;
  const name = textIn(metadata, "name");
  if (kind === undefined || name === undefined) return undefined;
  return `${kind} ${textIn(metadata, "namespace") ?? "default"}/${name}`;
}

/** Where a resource that plan/ has accepted stands. */
export const sourceOf = (
  { sources }: Pick<Manifests, "sources">,
  { kind, metadata }: { kind: string; metadata: { namespace: string; name: string } },
): Source | undefined => sources.get(`${kind} ${metadata.namespace}/${metadata.name}`);

function textIn(value: unknown, key: string): string | undefined {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === "string" ? found : undefined;
}
