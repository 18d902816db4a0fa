// URLs of the project, which stand in manifests for all to read. Placeholders are filled in, because a cluster has no
// environment to fill them from; a URL that carries a key is refused.
import { url as urlSchema } from "../../crds/references.ts";
import { findSecretInUrl } from "../../plan/secret-text.ts";
import type { MapReader } from "./map-reader.ts";
import type { Variables } from "./variables.ts";

/** `${NAME}`, or `${NAME:default}`. */
export const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]{0,99})(?::([^}$]*))?\}/g;
/** Twice what a URL may have, for the placeholders. */
const maxTextChars = 4_096;

/** An http(s) URL without secrets, or what is wrong with it, in words that show nothing of it. */
export function readPlainUrl(text: string, variables: Variables): { url: URL; text: string } | string {
  if (text.length > maxTextChars) return `has more than ${maxTextChars} characters`;
  const unset: string[] = [];
  const filled = text.trim().replaceAll(placeholder, (_, name: string, fallback?: string) => {
    const value = variables.get(name) ?? fallback;
    if (value === undefined) unset.push(name);
    return value ?? "";
  });
  if (unset.length > 0) {
    return `the variable ${unset.join(", ")} is in no .env; set it there, or write the URL into the manifest`;
  }
  if (!URL.canParse(filled) || !urlSchema("").safeParse(filled).success) {
    return "expected an http:// or https:// URL; write one into the manifest";
  }
  const url = new URL(filled);
  const secret = findSecretInUrl(url);
  if (secret !== undefined) {
    return `${secret} seems to be a key, and manifests hold no secrets; send it in a header from a Secret`;
  }
  return { url, text: filled };
}

/** The URL of a key; what cannot be one is reported. */
export function importUrl(reader: MapReader, key: string, variables: Variables): string | undefined {
  const found = reader.secretText(key);
  if (found === undefined) return undefined;
  const read = readPlainUrl(found.value, variables);
  if (typeof read !== "string") return read.text;
  reader.notes.warn(found.place, `${reader.path(key)}: not carried over: ${read}`);
  return undefined;
}
