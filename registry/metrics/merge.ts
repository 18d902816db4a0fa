// Many expositions into one: each family once, with one HELP and one TYPE, its series together (MET-1).
import { sampleNames } from "./exposition.ts";
import type { FamilyText } from "./pod-series.ts";

const chunkChars = 256 * 1024;

export interface Merged {
  /** Text 0.0.4 in pieces of moderate size, made as they are taken. */
  chunks: Iterable<string>;
  /** Families of pods left out because an earlier one uses the name in another way. */
  conflicts: number;
}

/**
 * Parts in order; the first that has a family decides about its HELP and TYPE. A later family of the same name but
 * another type, or whose samples would have the names of another family's, is left out: both cannot be in one output.
 */
export function mergeFamilies(parts: Iterable<readonly FamilyText[]>): Merged {
  const families = new Map<string, { first: FamilyText; texts: string[] }>();
  const owners = new Map<string, string>();
  let conflicts = 0;
  for (const part of parts) {
    for (const family of part) {
      const existing = families.get(family.name);
      if (existing !== undefined) {
        if (existing.first.type === family.type) existing.texts.push(family.text);
        else conflicts += 1;
        continue;
      }
      const names = sampleNames(family.name, family.type);
      if (names.some((name) => owners.has(name))) {
        conflicts += 1;
        continue;
      }
      for (const name of names) owners.set(name, family.name);
      families.set(family.name, { first: family, texts: [family.text] });
    }
  }
  return { chunks: renderChunks(families.values()), conflicts };
}

function* renderChunks(families: Iterable<{ first: FamilyText; texts: readonly string[] }>): Generator<string> {
  let chunk = "";
  for (const { first, texts } of families) {
    chunk += renderHeader(first);
    for (const text of texts) {
      chunk += text;
      if (chunk.length < chunkChars) continue;
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

const renderHeader = ({ name, help, type }: FamilyText): string =>
  `${help === undefined ? "" : `# HELP ${name} ${help}\n`}# TYPE ${name} ${type}\n`;
