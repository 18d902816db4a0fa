// The table of values in the chart's README: names and defaults from values.yaml, meanings from the schema.
import { load } from "js-yaml";

const start = "<!-- values: written by `make chart` -->";
const end = "<!-- end of values -->";

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly $ref?: string;
}

interface Schema extends SchemaNode {
  readonly definitions: Readonly<Record<string, SchemaNode>>;
}

export interface ValueRow {
  /** With dots. */
  readonly path: string;
  readonly fallback: unknown;
  readonly description: string;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One for every value that is set as a whole. Throws on one that the schema does not know. */
export function listValues(valuesYaml: string, schemaJson: string): ValueRow[] {
  const schema: Schema = JSON.parse(schemaJson);
  const rowsOf = (value: unknown, node: SchemaNode, path: string): ValueRow[] => {
    const target = node.$ref === undefined ? node : schema.definitions[node.$ref.replace("#/definitions/", "")];
    const { properties } = target ?? {};
    if (!isMap(value) || properties === undefined) {
      return [{ path, fallback: value, description: node.description ?? "" }];
    }
    return Object.entries(value).flatMap(([name, inner]) => {
      const below = path === "" ? name : `${path}.${name}`;
      const known = properties[name];
      if (known === undefined) throw new Error(`expected ${below} in values.schema.json, found it in values.yaml only`);
      return rowsOf(inner, known, below);
    });
  };
  return rowsOf(load(valuesYaml), schema, "");
}

const renderRow = ({ path, fallback, description }: ValueRow): string =>
  `| \`${path}\` | \`${JSON.stringify(fallback)}\` | ${description} |`;

/** The README with its table renewed. */
export function insertValuesTable(readme: string, valuesYaml: string, schemaJson: string): string {
  const [before, rest] = readme.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`expected the lines "${start}" and "${end}" in the chart's README, found no such pair`);
  }
  const rows = listValues(valuesYaml, schemaJson).map(renderRow);
  return `${before}${start}\n\n${["| Value | Default | Meaning |", "|---|---|---|", ...rows].join("\n")}\n\n${end}${after}`;
}
