// YAML of a project → a field with the place of everything in it.
import type { Position } from "../manifests/positions.ts";
import { readYamlDocuments } from "../manifests/yaml-documents.ts";
import type { YamlNode } from "../manifests/yaml-nodes.ts";
import type { Field, Place } from "./field.ts";
import type { Notes } from "./notes.ts";

/** Values in one file, with aliases written out; more is nobody's settings. */
const maxValues = 20_000;

/** The document of a file; undefined when it is empty, or faulty, which is then reported. */
export function readYamlField(
  file: string,
  text: string,
  notes: Notes,
  { lineOffset = 0, isSecret = false }: { lineOffset?: number; isSecret?: boolean } = {},
): Field | undefined {
  const placeAt = ({ line, column }: Position): Place => ({ file, position: { line: line + lineOffset, column } });
  const parts = readYamlDocuments(text);
  for (const part of parts) if (!part.ok) notes.problem(placeAt(part.position), part.message);
  const [first, second] = parts.flatMap((part) => (part.ok ? [part.document] : []));
  if (second !== undefined) {
    notes.problem(placeAt(second.start), "a second document begins here, and one is expected; remove it");
  } else if (first !== undefined && first.root.size > maxValues) {
    notes.problem(placeAt(first.start), `has more than ${maxValues} values; import a part of the project`);
  } else if (first !== undefined && parts.length === 1) {
    const toField = (value: unknown, node: YamlNode, offset: number): Field => {
      const found = { place: placeAt(first.positionAt(offset)), isSecret };
      if (Array.isArray(value)) {
        const items = value.map((item, at) => toField(item, node.items[at] ?? node, node.items[at]?.offset ?? offset));
        return { kind: "list", items, ...found };
      }
      if (typeof value === "object" && value !== null) {
        const places = new Map(node.entries.map((entry) => [entry.key, entry]));
        const entries = Object.entries(value).map(([key, child]: [string, unknown]): [string, Field] => {
          // A key that `<<` merged stands elsewhere.
          const entry = places.get(key);
          return [key, toField(child, entry?.node ?? node, entry?.keyOffset ?? offset)];
        });
        return { kind: "map", entries: new Map(entries), ...found };
      }
      const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      return { kind: "scalar", value: isScalar ? value : null, ...found };
    };
    return toField(first.value, first.root, first.root.offset);
  }
  return undefined;
}
