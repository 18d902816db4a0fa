// Texts nobody thought of, for every kind of text field that the schema has: some that match its pattern, some near
// it, some of any characters. The seed is fixed, so a failure comes back.
import fc from "fast-check";
import { manifestAround, type Case } from "./field-cases.ts";
import { formatPath, withValue } from "./manifest-path.ts";
import type { LocatedPlace } from "./manifests.ts";
import type { SchemaNode } from "./schema-node.ts";

const seed = 20_261_121;
const textsPerKind = 30;

const anyText = fc.string({ unit: "binary", maxLength: 40 });

function textsFor(pattern: string | undefined): fc.Arbitrary<string> {
  if (pattern === undefined) return anyText;
  const matching = fc.stringMatching(new RegExp(pattern), { maxLength: 200 });
  const near = fc
    .tuple(matching, fc.nat(), fc.string({ unit: "binary", minLength: 1, maxLength: 2 }))
    .map(
      ([text, at, inserted]) => text.slice(0, at % (text.length + 1)) + inserted + text.slice(at % (text.length + 1)),
    );
  return fc.oneof(matching, near, anyText);
}

/** One place for each kind of text: same bounds, pattern and rules. */
export function distinctTexts(places: readonly LocatedPlace[]): LocatedPlace[] {
  const byKind = new Map<string, LocatedPlace>();
  for (const place of places) {
    const { node } = place;
    if (node.type !== "string" && !node["x-kubernetes-int-or-string"]) continue;
    if (node.enum || node.format !== undefined) continue;
    const kind = JSON.stringify([node.pattern, node.minLength, node.maxLength, node["x-kubernetes-validations"]]);
    if (!byKind.has(kind)) byKind.set(kind, place);
  }
  return [...byKind.values()];
}

export function randomTextCases(schema: SchemaNode, place: LocatedPlace): Case[] {
  const { node, path } = place;
  const at = formatPath(path);
  const around = manifestAround(schema, place);
  return fc.sample(textsFor(node.pattern), { seed, numRuns: textsPerKind }).map((value) => ({
    title: `${at} = ${JSON.stringify(value)}`,
    path: at,
    manifest: withValue(around, path, value),
  }));
}
