// Secrets and ConfigMaps as manifests have them, for the machine that has no cluster to keep them. Their names become
// file names, so what is no Kubernetes name is refused. Values of Secrets appear in no message.
import * as z from "zod";
import { placeholder } from "../../crds/references.ts";
import type { YamlDocument } from "./yaml-documents.ts";

export interface LocalObject {
  kind: "Secret" | "ConfigMap";
  namespace: string;
  name: string;
  /** Key → contents. */
  values: Map<string, Buffer>;
  /** Keys of stringData, in which `${ENV}` is expanded (CFG-6), and their text. */
  templates: Map<string, string>;
  file: string;
  document: YamlDocument;
}

export interface ObjectProblem {
  path: string;
  message: string;
}

const objectName = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, "must be the name of an object");
const key = z
  .string()
  .max(253)
  .regex(/^(?!\.\.?$)[-._a-zA-Z0-9]+$/);
const texts = z.record(key, z.string("must be text; quote it"));
/** Lines may be broken anywhere. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const base64Texts = z.record(
  key,
  z.string().refine((text) => base64.test(text.replaceAll(/\s/g, "")), "must be base64"),
);

const metadata = z.looseObject({ name: objectName, namespace: objectName.default("default") });
const objectSchema = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("Secret"),
    metadata,
    data: base64Texts.nullish(),
    stringData: texts.nullish(),
  }),
  z.looseObject({
    kind: z.literal("ConfigMap"),
    metadata,
    data: texts.nullish(),
    binaryData: base64Texts.nullish(),
  }),
]);

/** A Secret or ConfigMap, or what is wrong with it. */
export function parseLocalObject(file: string, document: YamlDocument): LocalObject | ObjectProblem[] {
  const result = objectSchema.safeParse(document.value);
  if (!result.success) {
    return result.error.issues.map(({ path, message, code }) => ({
      path: path.map(String).join("."),
      message: code === "invalid_key" ? "must be a key: letters, digits, hyphens, underscores and dots" : message,
    }));
  }
  const { kind, metadata } = result.data;
  const isSecret = result.data.kind === "Secret";
  const encoded = result.data.kind === "Secret" ? result.data.data : result.data.binaryData;
  const plain = result.data.kind === "Secret" ? result.data.stringData : result.data.data;
  const values = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(encoded ?? {})) values.set(name, Buffer.from(value, "base64"));
  if (!isSecret) for (const [name, value] of Object.entries(plain ?? {})) values.set(name, Buffer.from(value));
  // As in a cluster, stringData wins over data.
  const templates = new Map(isSecret ? Object.entries(plain ?? {}) : []);
  return { kind, namespace: metadata.namespace, name: metadata.name, values, templates, file, document };
}

export interface Expanded {
  values: Map<string, Buffer>;
  /** Keys that are left out, with the variables that they lack: an empty text would pass for a value (CFG-6). */
  unset: { key: string; variables: string[] }[];
}

/** An object's contents with `${ENV}` of stringData filled in. */
export function expandObject(object: LocalObject, environment: Environment): Expanded {
  const values = new Map(object.values);
  const unset: Expanded["unset"] = [];
  for (const [key, template] of object.templates) {
    const missing = placeholdersIn(template).filter((name) => environment[name] === undefined);
    if (missing.length > 0) {
      values.delete(key);
      unset.push({ key, variables: missing });
    } else {
      values.set(key, Buffer.from(fillPlaceholders(template, environment)));
    }
  }
  return { values, unset };
}

export type Environment = Readonly<Record<string, string | undefined>>;

const everyPlaceholder = new RegExp(placeholder.source.replace("[A-Za-z_][A-Za-z0-9_]*", "($&)"), "g");

/** The text with every variable filled in that is set. */
export const fillPlaceholders = (text: string, environment: Environment): string =>
  text.replaceAll(everyPlaceholder, (written, name) => environment[name] ?? written);

/** Names of the variables that a text refers to, each once. */
export const placeholdersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(everyPlaceholder)].map(([, name = ""]) => name)),
];
