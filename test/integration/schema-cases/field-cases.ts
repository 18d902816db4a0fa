// What can be wrong with one field by itself: absent, null, of another type, at its limit and one past it, not of its
// pattern or enumeration, beside a misspelt key, twice in a list, and alone in an otherwise minimal manifest.
import { cutDown, type LocatedPlace } from "./manifests.ts";
import { formatPath, isJson, valueAt, withValue, type Path } from "./manifest-path.ts";
import { rulePair } from "./rule-cases.ts";
import { nthText, patternSamples, textOfLength } from "./samples.ts";
import type { SchemaNode } from "./schema-node.ts";

export interface Case {
  title: string;
  manifest: unknown;
  /** Where the change is. */
  path: string;
  /** Whether this place must be among the problems; undefined where the schema alone cannot tell. */
  expected?: "accepted" | "refused";
}

type Change = Pick<Case, "title" | "expected"> & { value: unknown };

const accepted = (title: string, value: unknown): Change => ({ title, value, expected: "accepted" });
const refused = (title: string, value: unknown): Change => ({ title, value, expected: "refused" });

const oneOfEachType: [string, unknown][] = [
  ["string", "text"],
  ["integer", 7],
  ["number", 0.25],
  ["boolean", true],
  ["array", []],
  ["object", {}],
];

function wrongTypes(node: SchemaNode): Change[] {
  if (node.type === undefined && node["x-kubernetes-preserve-unknown-fields"]) return [];
  const types = node["x-kubernetes-int-or-string"] ? ["integer"] : [node.type ?? ""];
  if (node.type === "number") types.push("integer");
  return (
    oneOfEachType
      .filter(([type]) => !types.includes(type) && !(type === "string" && node["x-kubernetes-int-or-string"]))
      // A bug of the API server: for a text with a format it takes an empty list. Only times of the status have one.
      .filter(([type]) => !(type === "array" && node.format === "date-time"))
      .map(([type, value]) => refused(`of type ${type}`, value))
  );
}

function textCases(node: SchemaNode): Change[] {
  const { enum: words, pattern, minLength, maxLength } = node;
  if (words) {
    const others = ["", `${words[0]}x`, words[0]?.toUpperCase() ?? ""].filter((word) => !words.includes(word));
    return [...words.map((word) => accepted(`"${word}"`, word)), ...others.map((word) => refused(`"${word}"`, word))];
  }
  const { matching = [], refused: notMatching = [] } = pattern === undefined ? {} : patternSamples(pattern);
  const ofLength = (length: number | undefined, expected: "accepted" | "refused"): Change[] => {
    const value = length === undefined ? undefined : textOfLength(node, length);
    return value === undefined ? [] : [{ title: `with ${length} characters`, value, expected }];
  };
  return [
    ...matching.map((value) => ({ title: `"${value}", which matches`, value })),
    ...notMatching.map((value) => refused(`"${value}", which does not match`, value)),
    ...ofLength(maxLength, "accepted"),
    ...ofLength(maxLength === undefined ? undefined : maxLength + 1, "refused"),
    ...(minLength === 1 ? [refused("empty", "")] : []),
  ];
}

function numberCases({ minimum, maximum, type }: SchemaNode): Change[] {
  const step = type === "number" ? 0.001 : 1;
  return [
    ...(minimum === undefined
      ? []
      : [accepted("at its minimum", minimum), refused("below its minimum", minimum - step)]),
    ...(maximum === undefined
      ? []
      : [accepted("at its maximum", maximum), refused("above its maximum", maximum + step)]),
    ...(type === "number" ? [] : [refused("with a fraction", (minimum ?? 0) + 0.5)]),
  ];
}

function listCases(node: SchemaNode, value: unknown): Change[] {
  const { items, maxItems } = node;
  const [first] = Array.isArray(value) ? value : [];
  if (!items || first === undefined || maxItems === undefined) return [];
  const key = node["x-kubernetes-list-map-keys"]?.[0];
  const keyNode = key === undefined ? undefined : items.properties?.[key];
  const nth = (n: number): unknown => {
    if (key !== undefined && keyNode && isJson(first)) return { ...first, [key]: nthText(keyNode, n) };
    return items.type === "string" ? nthText(items, n) : first;
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => nth(n));
  const isUnique = node["x-kubernetes-list-type"] !== "atomic";
  return [
    accepted("empty", []),
    accepted(`with ${maxItems} entries`, many(maxItems)),
    refused(`with ${maxItems + 1} entries`, many(maxItems + 1)),
    { title: "with an entry twice", value: [first, nth(5), first], expected: isUnique ? "refused" : "accepted" },
    { title: "with an entry three times", value: [first, first, first], expected: isUnique ? "refused" : "accepted" },
    ...(items.nullable ? [] : [refused("with a null entry", [first, null])]),
  ];
}

function mapCases({ maxProperties }: SchemaNode, value: unknown): Change[] {
  if (maxProperties === undefined || !isJson(value)) return [];
  const [first] = Object.values(value);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, first]));
  return [
    accepted("empty", {}),
    accepted(`with ${maxProperties} entries`, many(maxProperties)),
    refused(`with ${maxProperties + 1} entries`, many(maxProperties + 1)),
    { title: "with a null entry", value: { ...value, k1: null } },
    ...["", "a b", "A", "ä", "a/b/c", "-a", "a".repeat(64), "example.com/a", "example.com/"].map((key) => ({
      title: `with the key "${key}"`,
      value: { [key]: first },
    })),
  ];
}

/** `servers` → `serverz`, next to the right one. */
function misspeltKeys(node: SchemaNode, value: unknown): Change[] {
  const { properties } = node;
  if (!properties || !isJson(value)) return [];
  const misspelt = (name: string) => `${name.slice(0, -1)}${name.endsWith("z") ? "y" : "z"}`;
  const unknown = node["x-kubernetes-preserve-unknown-fields"] ? accepted : refused;
  return [
    ...Object.keys(properties).map((name) =>
      unknown(`with "${misspelt(name)}" beside "${name}"`, { ...value, [misspelt(name)]: value[name] ?? "x" }),
    ),
    unknown("with an unknown key that is null", { ...value, unknownKey: null }),
  ];
}

function changes(node: SchemaNode, value: unknown): Change[] {
  const isText = node.type === "string" || node["x-kubernetes-int-or-string"] === true;
  const isNumber = node.type === "integer" || node.type === "number" || node["x-kubernetes-int-or-string"] === true;
  return [
    ...wrongTypes(node),
    ...(isText ? textCases(node) : []),
    ...(isNumber ? numberCases(node) : []),
    ...listCases(node, value),
    ...mapCases(node, value),
    ...misspeltKeys(node, value),
  ];
}

/** The object's schema as far as cutting down goes: what a manifest must have. */
const wholeObject = (schema: SchemaNode): SchemaNode => ({
  ...schema,
  required: ["apiVersion", "kind", "metadata", "spec"],
});

/** The manifest of a place, with what is beside it and little else. */
export const manifestAround = (schema: SchemaNode, { base, path }: LocatedPlace): unknown =>
  cutDown(wholeObject(schema), base, path, "around");

/** With what the schema requires; a status beside the spec, at which its endpoint does not look. */
function aloneIn(schema: SchemaNode, { base, path }: LocatedPlace): unknown {
  const alone = cutDown(wholeObject(schema), base, path, "bare");
  return path[0] === "status" ? withValue(alone, ["spec"], valueAt(base, ["spec"])) : alone;
}

/** What can be wrong with one place by itself. `schema` is the whole object's. */
function fieldCases(schema: SchemaNode, place: LocatedPlace): Case[] {
  const { node, path, base, required } = place;
  const at = formatPath(path);
  const around = manifestAround(schema, place);
  const absent = required ? ({ expected: "refused" } as const) : {};
  const isRuled = node["x-kubernetes-validations"].length > 0;
  return [
    { title: `${at} absent`, path: at, manifest: withValue(around, path, undefined), ...absent },
    { title: `${at} null`, path: at, manifest: withValue(around, path, null), ...absent },
    { title: `${at} alone`, path: at, manifest: aloneIn(schema, place) },
    ...changes(node, valueAt(base, path)).map(({ title, value, expected }) => ({
      title: `${at} ${title}`,
      path: at,
      manifest: withValue(around, path, value),
      // What the schema alone accepts, a rule may refuse.
      ...(expected === undefined || (isRuled && expected === "accepted") ? {} : { expected }),
    })),
  ];
}

/** The rules of a node, held and violated, on values at a path of a manifest. */
export function ruleCases({ "x-kubernetes-validations": rules }: SchemaNode, manifest: unknown, path: Path): Case[] {
  const at = formatPath(path);
  return rules.flatMap((rule) => {
    const pair = rulePair(rule);
    const toCase =
      (expected: "accepted" | "refused") =>
      (value: unknown): Case => ({
        title: `${at} = ${JSON.stringify(value)}, ${expected} by "${rule.message}"`,
        path: at,
        manifest: withValue(manifest, path, value),
        expected,
      });
    return pair ? [...pair.holds.map(toCase("accepted")), ...pair.violated.map(toCase("refused"))] : [];
  });
}

/** Every case of a place: by itself, and by its rules. */
export const placeCases = (schema: SchemaNode, place: LocatedPlace): Case[] => [
  ...fieldCases(schema, place),
  ...ruleCases(place.node, manifestAround(schema, place), place.path),
];
