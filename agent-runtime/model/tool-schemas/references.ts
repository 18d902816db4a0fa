// What `$ref` means in a tool's schema: a place in the same document. Nothing else is looked for, and nothing is fetched.
import { isRecord } from "./schema.ts";

export interface References {
  /** The reference by which a definition is named in the result, where it is kept. */
  keep(reference: string): string | undefined;
  /** What a reference names; undefined for another document, and for no place of this one. */
  resolve(reference: string): unknown;
  /** The next definition that was kept and not taken yet. */
  takeKept(): { name: string; schema: unknown } | undefined;
}

const maxPointerParts = 32;
const maxPointerChars = 1_000;
const nameOfDefinition = /^#\/(?:\$defs|definitions)\/([\w.-]{1,100})$/;

export function createReferences(root: unknown, keeps: boolean): References {
  /** Name in the result → pointer. */
  const kept = new Map<string, string>();
  const waiting: string[] = [];
  const resolve = (reference: string) => follow(root, reference);
  return {
    resolve,
    keep(reference) {
      const name = keeps ? nameOfDefinition.exec(reference)?.[1] : undefined;
      if (name === undefined || !isRecord(resolve(reference))) return undefined;
      const known = kept.get(name);
      // Two drafts' homes of definitions, with one name in both: the first is kept, the other written out.
      if (known !== undefined && known !== reference) return undefined;
      if (known === undefined) waiting.push(name);
      kept.set(name, reference);
      return `#/$defs/${name}`;
    },
    takeKept() {
      const name = waiting.shift();
      return name === undefined ? undefined : { name, schema: resolve(kept.get(name) ?? "") };
    },
  };
}

/** A JSON pointer behind `#`, over own properties only. */
function follow(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || reference.length > maxPointerChars) return undefined;
  const parts = reference.slice(2).split("/", maxPointerParts + 1);
  if (parts.length > maxPointerParts) return undefined;
  let at = root;
  for (const part of parts) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // No percent-encoding: taken as it is written.
  }
}
