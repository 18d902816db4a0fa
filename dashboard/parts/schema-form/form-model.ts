// What a form for a JSON Schema is made of: one node for each value that can be filled in. What no form can be made of, because it is too
// deep, leads back to itself or says nothing, is a JSON field of that part, with the reason. Pure, and bounded whatever the schema is.
import { fill, tellNumber } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { renderJson, toJson, type Json } from "./json-text.ts";
import {
  isSchema,
  listOf,
  mergeSchemas,
  SchemaReader,
  SchemaTooLarge,
  textOf,
  type ResolvedSchema,
  type Schema,
} from "./resolve-schema.ts";
import { tellBounds } from "./schema-bounds.ts";

interface Around {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The type, then bounds, in words. */
  readonly facts: readonly string[];
  readonly isNullable: boolean;
  readonly fallback: Json | undefined;
}

export interface FormField {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly node: FormNode;
}

export interface FormChoice {
  readonly label: string;
  readonly value: Json;
}

export interface FormVariant {
  readonly label: string;
  readonly node: FormNode;
  /** To find which one a value is. */
  readonly schema: Schema;
}

export type FormNode = Around &
  (
    | { readonly kind: "text" }
    | { readonly kind: "number"; readonly isWhole: boolean }
    | { readonly kind: "choice"; readonly choices: readonly FormChoice[] }
    | { readonly kind: "constant"; readonly value: Json }
    /** `rest`: of fields with names of one's own; undefined where there are none. */
    | { readonly kind: "group"; readonly fields: readonly FormField[]; readonly rest: FormNode | undefined }
    | { readonly kind: "list"; readonly item: FormNode }
    | { readonly kind: "variants"; readonly variants: readonly FormVariant[] }
    | { readonly kind: "json"; readonly why: string }
  );

/** Objects inside each other. */
export const maxGroupDepth = 3;
/** Lists and objects inside each other. */
const maxDepth = 8;
export const maxFormNodes = 500;
const maxChoices = 500;

/** The form of a whole schema; one JSON field where it is too large. */
export function buildForm(schema: unknown): FormNode {
  try {
    return new Builder(schema).build(schema, { depth: 0, groups: 0, refs: [] });
  } catch (error) {
    if (!(error instanceof SchemaTooLarge)) throw error;
    return jsonNode({}, fill(words.why.large, { max: maxFormNodes }));
  }
}

interface Place {
  readonly depth: number;
  readonly groups: number;
  readonly refs: readonly string[];
}

const around = (schema: Schema, type: string, isNullable = false): Around => ({
  title: textOf(schema["title"]),
  description: textOf(schema["description"]),
  facts: [isNullable ? fill(words.orNull, { type }) : type, ...tellBounds(schema)],
  isNullable,
  fallback: schema["default"] === undefined ? undefined : toJson(schema["default"]),
});

const jsonNode = (schema: Schema, why: string): FormNode => ({ ...around(schema, words.types.any), kind: "json", why });

class Builder {
  readonly #reader: SchemaReader;
  #nodes = 0;

  constructor(root: unknown) {
    this.#reader = new SchemaReader(root);
  }

  build(part: unknown, place: Place): FormNode {
    this.#nodes += 1;
    if (this.#nodes > maxFormNodes) throw new SchemaTooLarge();
    const resolved = this.#reader.resolve(part, place.refs);
    if (resolved.why !== undefined) return jsonNode(isSchema(part) ? part : {}, resolved.why);
    const inside = { ...place, refs: resolved.refs };
    if (place.depth > maxDepth) return jsonNode(resolved.schema, fill(words.why.deep, { max: maxDepth }));
    return this.#buildResolved(resolved.schema, inside, false);
  }

  #buildResolved(schema: Schema, place: Place, isNullable: boolean): FormNode {
    const nullable = isNullable || schema["nullable"] === true;
    if ("const" in schema) {
      const value = toJson(schema["const"]);
      const type = fill(words.types.constant, { value: renderJson(value) });
      return { ...around(schema, type, nullable), kind: "constant", value };
    }
    if (Array.isArray(schema["enum"])) return this.#choice(schema, listOf(schema["enum"]), nullable);
    const many = schema["oneOf"] ?? schema["anyOf"];
    if (Array.isArray(many) && many.length > 0) return this.#variants(schema, many, place, nullable);
    return this.#ofType(schema, place, nullable);
  }

  #choice(schema: Schema, values: readonly unknown[], isNullable: boolean): FormNode {
    const others = values.filter((value) => value !== null);
    const nullable = isNullable || others.length < values.length;
    this.#reader.spend(Math.min(values.length, maxChoices));
    if (others.length > maxChoices) return jsonNode(schema, fill(words.why.long, { max: maxChoices }));
    const names = listOf(schema["enumNames"]);
    const choices = others.map((value, index) => {
      const json = toJson(value);
      return { label: textOf(names[index]) ?? tellValue(json), value: json };
    });
    return { ...around(schema, fill(words.types.oneOf, { n: choices.length }), nullable), kind: "choice", choices };
  }

  #variants(schema: Schema, parts: readonly unknown[], place: Place, isNullable: boolean): FormNode {
    const { oneOf: _, anyOf: __, ...base } = schema;
    const known = parts.map((part) => ({ part, resolved: this.#reader.resolve(part, place.refs) }));
    const others = known.filter(({ resolved }) => resolved.why !== undefined || resolved.schema["type"] !== "null");
    const nullable = isNullable || others.length < known.length;
    const constants = others.flatMap(({ resolved }) => toConstant(resolved));
    if (constants.length === others.length && constants.length > 0 && constants.length <= maxChoices) {
      const type = fill(words.types.oneOf, { n: constants.length });
      return { ...around(schema, type, nullable), kind: "choice", choices: constants };
    }
    const [only] = others;
    if (others.length === 1 && only !== undefined) return this.#variant(base, only, place, nullable).node;
    const variants = others.map((each, index) => {
      const { node, schema: of } = this.#variant(base, each, place, false);
      return { label: labelOf(of, each.part, index), node, schema: of };
    });
    const type = fill(words.types.variants, { n: variants.length });
    return { ...around(schema, type, nullable), kind: "variants", variants };
  }

  #variant(
    base: Schema,
    { part, resolved }: { part: unknown; resolved: ResolvedSchema },
    place: Place,
    isNullable: boolean,
  ): { node: FormNode; schema: Schema } {
    this.#nodes += 1;
    if (this.#nodes > maxFormNodes) throw new SchemaTooLarge();
    const own = isSchema(part) ? part : {};
    if (resolved.why !== undefined) return { node: jsonNode(own, resolved.why), schema: own };
    this.#reader.spend(Object.keys(base).length);
    // The variant's own words describe it, where it stands for the whole its base's do.
    const merged = isNullable ? mergeSchemas(base, resolved.schema) : mergeSchemas(resolved.schema, base);
    if (merged === undefined) return { node: jsonNode(own, words.why.contradiction), schema: own };
    const inside = { ...place, depth: place.depth + 1, refs: resolved.refs };
    if (inside.depth > maxDepth) {
      return { node: jsonNode(merged, fill(words.why.deep, { max: maxDepth })), schema: merged };
    }
    return { node: this.#buildResolved(merged, inside, isNullable), schema: merged };
  }

  #ofType(schema: Schema, place: Place, isNullable: boolean): FormNode {
    const types = listTypes(schema);
    const others = types.filter((type) => type !== "null");
    const nullable = isNullable || others.length < types.length;
    if (others.length > 1) {
      const variants = others.map((type) => {
        const of = { ...schema, type };
        return { label: tellType(type), node: this.#single(of, type, place, false), schema: of };
      });
      const type = others.map(tellType).join(words.or);
      return { ...around(schema, type, nullable), kind: "variants", variants };
    }
    const [type] = others;
    if (type === undefined && types.length > 0) return this.#single(schema, "null", place, false);
    return this.#single(schema, type, place, nullable);
  }

  #single(schema: Schema, type: string | undefined, place: Place, isNullable: boolean): FormNode {
    const facts = around(schema, tellType(type), isNullable);
    switch (type) {
      case "string":
        return { ...facts, kind: "text" };
      case "number":
      case "integer":
        return { ...facts, kind: "number", isWhole: type === "integer" };
      case "boolean":
        return { ...facts, kind: "choice", choices: booleans };
      case "null":
        return { ...facts, kind: "constant", value: { kind: "null" } };
      case "array":
        return this.#list(schema, facts, place);
      case "object":
        return this.#group(schema, facts, place);
      default:
        return { ...facts, kind: "json", why: words.why.any };
    }
  }

  #list(schema: Schema, facts: Around, place: Place): FormNode {
    const { items } = schema;
    // Places of their own kinds are rare, and their order is their meaning.
    const hasPlaces = Array.isArray(items) || Array.isArray(schema["prefixItems"]);
    if (hasPlaces) return { ...facts, kind: "json", why: words.why.places };
    return { ...facts, kind: "list", item: this.build(items, { ...place, depth: place.depth + 1 }) };
  }

  #group(schema: Schema, facts: Around, place: Place): FormNode {
    if (place.groups > maxGroupDepth) {
      return { ...facts, kind: "json", why: fill(words.why.deep, { max: maxGroupDepth }) };
    }
    const inside = { ...place, depth: place.depth + 1, groups: place.groups + 1 };
    const needed = new Set(listOf(schema["required"]));
    const { properties, additionalProperties } = schema;
    const known = Object.entries(isSchema(properties) ? properties : {});
    if (known.length + needed.size > maxFormNodes) throw new SchemaTooLarge();
    const fields = known.map(([name, part]) => ({
      name,
      isNeeded: needed.has(name),
      node: this.build(part, inside),
    }));
    const unnamed = [...needed].flatMap((name) =>
      typeof name === "string" && !fields.some((field) => field.name === name)
        ? [{ name, isNeeded: true, node: this.build({}, inside) }]
        : [],
    );
    const isOpen = additionalProperties === true || isSchema(additionalProperties);
    const isMap = additionalProperties !== false && fields.length + unnamed.length === 0 && place.depth > 0;
    const rest = isOpen || isMap ? this.build(additionalProperties, inside) : undefined;
    return { ...facts, kind: "group", fields: [...fields, ...unnamed], rest };
  }
}

const booleans: readonly FormChoice[] = [
  { label: words.yes, value: { kind: "boolean", value: true } },
  { label: words.no, value: { kind: "boolean", value: false } },
];

/** Without `type`, what else it says tells. */
function listTypes(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((each) => typeof each === "string");
  if ("properties" in schema || "additionalProperties" in schema || "required" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema) return ["array"];
  if ("minLength" in schema || "maxLength" in schema || "pattern" in schema) return ["string"];
  if ("minimum" in schema || "maximum" in schema) return ["number"];
  return [];
}

const typeNames = new Map<string, string>(Object.entries(words.types));
const tellType = (type: string | undefined): string => typeNames.get(type ?? "any") ?? type ?? words.types.any;

/** Texts without quotes, since they stand in a list of choices. */
const tellValue = (value: Json): string =>
  value.kind === "string" && value.text !== "" ? value.text : renderJson(value);

function toConstant(resolved: ResolvedSchema): readonly FormChoice[] {
  if (resolved.why !== undefined) return [];
  const { schema } = resolved;
  const values = listOf(schema["enum"]);
  const isConstant = "const" in schema;
  if (!isConstant && values.length !== 1) return [];
  const value = toJson(isConstant ? schema["const"] : values[0]);
  return [{ label: textOf(schema["title"]) ?? tellValue(value), value }];
}

const maxLabelChars = 60;

/** By its title, what is constant in it, its reference, what it needs, or its number. */
function labelOf(schema: Schema, part: unknown, index: number): string {
  const ref = isSchema(part) ? textOf(part["$ref"]) : undefined;
  const own = isSchema(part) ? textOf(part["title"]) : undefined;
  const label = own ?? constantsOf(schema) ?? ref?.split("/").at(-1) ?? textOf(schema["title"]) ?? simpleType(schema);
  return (label ?? fill(words.variantN, { n: tellNumber(index + 1) })).slice(0, maxLabelChars);
}

function constantsOf({ properties }: Schema): string | undefined {
  const constants = Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, property]) => {
    if (!isSchema(property)) return [];
    const values = "const" in property ? [property["const"]] : listOf(property["enum"]);
    return values.length === 1 ? [`${name} ${tellValue(toJson(values[0]))}`] : [];
  });
  return constants.length === 0 ? undefined : constants.join(", ");
}

function simpleType(schema: Schema): string | undefined {
  const [type, more] = listTypes(schema);
  return type === undefined || more !== undefined || type === "object" ? undefined : tellType(type);
}
