// A validation issue → a sentence for whoever writes manifests: what is expected, what was found, and the cure. It shows no
// value that may be a secret, and never the validator's own words.
import * as z from "zod";
import { suggestion } from "../crds/did-you-mean.ts";
import { characters } from "../crds/fields.ts";
import { kinds, manifestKindNames } from "../crds/kinds.ts";
import { listNames } from "./validation-error.ts";
import { isOptional, placesOf, schemaAt } from "./schema-at.ts";
import { isSecretPath, looksSecret } from "./secret-text.ts";

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** The sentence on what stands at `issue.path` in `raw`; for keys that are not known see `describeUnknownKey`. */
export function describeIssue(issue: z.core.$ZodIssue, schema: Schema, raw: unknown): string {
  const found = valueAt(raw, issue.path);
  if (found === undefined && issue.code !== "custom") return "is required, found nothing; add it";
  const wanted = schemaAt(schema, issue.path) ?? z.unknown();
  const shown = describeFound(found, issue.path);
  switch (issue.code) {
    case "invalid_type":
      return `expected ${describeWanted(issue.expected, wanted)}, found ${shown}${cure(wanted, found, issue.path)}`;
    case "invalid_value": {
      const values = issue.values.map(String);
      const near = typeof found === "string" ? suggestion(found, values) : "";
      return `expected ${values.length > 1 ? "one of " : ""}${listNames(values)}, found ${shown}${near}`;
    }
    case "too_big":
      return tooMuch("at most", issue.maximum, found, shown);
    case "too_small":
      return tooMuch("at least", issue.minimum, found, shown);
    case "custom":
      // A rule over an object speaks of its fields, one over a repetition names it; a long text is best told by its length.
      if (typeof found === "object" || issue.message.startsWith("duplicate ")) return issue.message;
      if (typeof found === "string" && /^must have at \w+ \d+ characters?$/.test(issue.message)) {
        return `${issue.message}, found ${characters(found)}`;
      }
      return `${issue.message}, found ${shown}`;
    default:
      return `${issue.message.replace(/^Invalid \w+: /, "")}, found ${shown}`;
  }
}

const tooMuch = (bound: string, limit: number | bigint, found: unknown, shown: string): string =>
  Array.isArray(found)
    ? `must have ${bound} ${limit} entries, found ${found.length}`
    : `must be ${bound} ${limit}, found ${shown}`;

const words: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function describeWanted(expected: string, wanted: Schema): string {
  if (expected === "object" && fieldsOf(wanted).length > 0) return `an object with ${listFields(fieldsOf(wanted))}`;
  if (expected !== "string") return words[expected] ?? expected;
  // A field with a pattern says what it means when it is given what no pattern takes.
  const said = z.safeParse(wanted, "\u0000").error?.issues.map(({ message }) => message) ?? [];
  return said.find((message) => message.startsWith("must be "))?.slice("must be ".length) ?? "a text";
}

/** Some of them, so that a message stays readable. */
const listFields = (fields: readonly string[]): string =>
  `${fields.slice(0, 6).join(", ")}${fields.length > 6 ? ", …" : ""}`;

const fieldsOf = (schema: Schema): string[] => {
  const at = schemaAt(schema, []);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
};

/** What to write in place of a value of another form: what the schema takes of it, or what it looks like. */
function cure(wanted: Schema, found: unknown, path: Path): string {
  const field = path.findLast((part) => typeof part === "string");
  const at = schemaAt(wanted, []);
  if (at instanceof z.ZodObject && Object.hasOwn(at.shape, "secretKeyRef")) {
    return `; put it in a Secret and name it: ${String(field)}: { secretKeyRef: { name: SECRET, key: KEY } }`;
  }
  if (typeof found === "boolean" && at instanceof z.ZodString) {
    return `; YAML reads on, off, yes, no, y and n as true and false: put the word in quotes, as in "off"`;
  }
  const isShown = !isSecret(found, path);
  const taken = isShown ? rewritings(found, at).find((value) => z.safeParse(wanted, value).success) : undefined;
  if (taken !== undefined) return `; write ${renderYaml(taken)}`;
  if (at instanceof z.ZodBoolean) return "; write true or false, without quotes";
  if (at instanceof z.ZodArray && typeof found === "object" && found !== null) {
    return fieldsOf(at.element).includes("name")
      ? `; write each entry as "- name: NAME"`
      : `; write each entry as "- …"`;
  }
  const sample = at instanceof z.ZodObject ? renderSample(at) : "";
  return sample === "" ? "" : `; write ${typeof path.at(-1) === "string" ? `${String(field)}: ` : ""}${sample}`;
}

/** What people may have meant by a value of another form. */
function rewritings(found: unknown, wanted: Schema | undefined): unknown[] {
  if (typeof found === "number") return [String(found), `${found}s`];
  if (typeof found !== "string" || found.trim() === "") return [];
  const truth = /^(true|false)$/.test(found) ? [found === "true"] : [];
  return [
    Number(found),
    ...truth,
    [found],
    [{ name: found }],
    ...(wanted instanceof z.ZodObject ? [{ name: found }] : []),
  ];
}

function renderYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderYaml).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${String(each)}`)
      .join(", ")} }`;
  }
  return typeof value === "string" ? `"${value}"` : `${String(value)} without quotes`;
}

/** `{ configMapKeyRef: { name: …, key: … } }`: the fields that an object needs. */
function renderSample(at: z.ZodObject): string {
  const needed = Object.entries(at.shape).filter(([, child]) => !isOptional(child));
  if (needed.length === 0) return "";
  const fields = needed.map(([key, child]) => {
    const inner = schemaAt(child, []);
    return `${key}: ${(inner instanceof z.ZodObject && renderSample(inner)) || "…"}`;
  });
  return `{ ${fields.join(", ")} }`;
}

const isSecret = (value: unknown, path: Path): boolean =>
  isSecretPath(path) || (typeof value === "string" && looksSecret(value));

function describeFound(value: unknown, path: Path): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (isSecret(value, path)) return typeof value === "string" ? "a text" : `a ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function valueAt(raw: unknown, path: Path): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** Names of fields as other tools have them. */
const synonyms: Readonly<Record<string, string>> = {
  prompt: "instruction",
  system: "instruction",
  systemPrompt: "instruction",
  model: "defaultModel",
  mcpServers: "servers",
  endpoint: "url",
  maxIterations: "maxSteps",
};
/** These stand in too many places for one of them to be meant. */
const anywhere: ReadonlySet<string> = new Set(["name", "key", "value", "values", "type", "kind", "operator", "path"]);
const others = Object.values(kinds)
  .filter(({ type }) => manifestKindNames.includes(type.kind))
  .map(({ type, manifest }) => ({ kind: type.kind, schema: manifest }));

/** The sentence on a key that no schema has there: the nearest one that is, or where it belongs. */
export function describeUnknownKey(key: string, schema: Schema, path: Path): string {
  const known = fieldsOf(schemaAt(schema, path) ?? z.unknown());
  // What stands where a Secret should be named may be the secret itself, as in { sk-… }.
  if (isSecretPath(path) && !/^[a-zA-Z]{1,30}$/.test(key)) {
    return `has an unknown field; expected ${known.join(", ")}, put the value in a Secret and name it`;
  }
  const near = suggestion(key, known);
  if (near !== "") return `unknown field "${key}"${near}; correct or remove it`;
  const camel = key.replaceAll(/[-_]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const meant = [key, camel, synonyms[camel]].filter((name) => name !== undefined);
  const same = meant.find((name) => known.includes(name));
  if (same !== undefined) return `unknown field "${key}" (did you mean "${same}"?); correct or remove it`;
  const place = findPlace(meant, schema, path);
  return `unknown field "${key}"; ${place === undefined ? "correct or remove it" : `it belongs under ${place}`}`;
}

/** Where a field of one of these names belongs: in this resource, or else in another kind. */
function findPlace(names: readonly string[], schema: Schema, path: Path): string | undefined {
  const list = path.findLast((part) => typeof part === "string");
  const elsewhere = others.filter((other) => other.schema !== schema);
  for (const name of names.filter((each) => !anywhere.has(each))) {
    const own = placesIn(schema, name);
    const foreign = elsewhere.flatMap(({ kind, schema: other }) =>
      placesIn(other, name).map((place) => ({ place, of: ` of the ${kind}` })),
    );
    // A server's url is looked for among servers first.
    const candidates = [
      ...foreign.filter(({ place }) => typeof path.at(-1) === "number" && place.at(-2) === list),
      ...own.map((place) => ({ place, of: "" })),
      ...foreign,
    ];
    const [first] = candidates;
    if (first !== undefined) return `${first.place.join(".").replaceAll(".[]", "[]")}${first.of}`;
  }
  return undefined;
}

/** Shallow places first. */
const placesIn = (schema: Schema, name: string): string[][] =>
  placesOf(schemaAt(schema, ["spec"]) ?? z.unknown(), name, ["spec"]).toSorted((a, b) => a.length - b.length);
