// Makes a value that fits a JSON Schema: what it demands and nothing more, as models do in their first call. Knows what
// tools of published servers use of it, and says so where it does not know how to go on.

type Schema = Readonly<Record<string, unknown>>;

/** Deeper, no schema of a tool demands anything. */
const maxDepth = 30;

const texts: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
};

/** Tried in turn where a schema has a pattern. */
const candidates = [
  ...Object.values(texts),
  "a",
  "1",
  "ab",
  "abc",
  "abcdefgh",
  "abcdefghijklmnopqrstuvwxyz012345",
  "0123456789abcdef01234567",
  "0123456789abcdef0123456789abcdef",
  "A-1",
  "a_b",
  "a/b",
  "a.b",
  "@abc",
  "/a",
  "1h",
  "now-1h",
  "#FFFFFF",
  "#fff",
  "1.0.0",
  "1:2",
  "3840p",
  "0x1",
];

/** @throws Error naming the place in the schema that it could not fill. */
export function sampleValue(schema: unknown): unknown {
  return sample(schema, { root: schema, path: "value", depth: 0 });
}

interface Place {
  root: unknown;
  path: string;
  depth: number;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

function sample(given: unknown, place: Place): unknown {
  if (given === undefined || given === true) return "anything";
  if (!isSchema(given) || place.depth > maxDepth) throw new Error(`expected a schema to be filled at ${place.path}`);
  const schema = merge(given, place);
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"].find((value) => value !== null) ?? null;
  switch (pickType(schema)) {
    case "object":
      return sampleObject(schema, place);
    case "array":
      return sampleArray(schema, place);
    case "number":
    case "integer":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return sampleText(schema, place);
  }
}

/** With what it refers to, all of its allOf and the first of its choices. */
function merge(schema: Schema, place: Place): Schema {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts: unknown[] = [];
  if (typeof $ref === "string") parts.push(follow($ref, place));
  if (Array.isArray(allOf)) parts.push(...allOf);
  for (const choices of [anyOf, oneOf]) {
    if (Array.isArray(choices)) parts.push(choices.find((choice) => !isSchema(choice) || choice["type"] !== "null"));
  }
  return parts.filter(isSchema).reduce((merged: Schema, part) => {
    const more = merge(part, { ...place, depth: deeper(place) });
    const properties = { ...asSchema(more["properties"]), ...asSchema(merged["properties"]) };
    const required = [...asList(merged["required"]), ...asList(more["required"])];
    const members = Object.keys(properties).length === 0 ? {} : { properties };
    return { ...more, ...merged, ...members, ...(required.length === 0 ? {} : { required }) };
  }, own);
}

function deeper({ depth, path }: Place): number {
  if (depth >= maxDepth) throw new Error(`expected a schema that ends at ${path}`);
  return depth + 1;
}

const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function follow(reference: string, { root, path }: Place): unknown {
  const steps = reference.replace(/^#\/?/, "").split("/").filter(Boolean);
  const names = steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = names.reduce((at: unknown, name) => asSchema(at)[name], root);
  if (found === undefined) throw new Error(`expected ${reference} to be found at ${path}`);
  return found;
}

function pickType(schema: Schema): unknown {
  const types = [schema["type"]].flat();
  const type = types.find((each) => each !== "null") ?? types[0];
  if (type !== undefined) return typeof type === "string" ? type.toLowerCase() : type;
  if ("properties" in schema || "required" in schema) return "object";
  return "items" in schema ? "array" : "string";
}

function sampleObject(schema: Schema, place: Place): unknown {
  const properties = asSchema(schema["properties"]);
  const names = asList(schema["required"]).map(String);
  return Object.fromEntries(
    names.map((name) => {
      const inside = { ...place, path: `${place.path}.${name}`, depth: deeper(place) };
      return [name, sample(properties[name], inside)];
    }),
  );
}

function sampleArray(schema: Schema, place: Place): unknown {
  const least = Number(findDemand(schema, "minItems") ?? 0);
  const first = asList(schema["prefixItems"]);
  const items = Array.isArray(schema["items"]) ? schema["items"][0] : schema["items"];
  const inside = { ...place, path: `${place.path}[]`, depth: deeper(place) };
  return Array.from({ length: Math.max(least, first.length) }, (_, index) => sample(first[index] ?? items, inside));
}

/** What the schema demands, or says that it demands: providers take no more than some keywords. */
function findDemand(schema: Schema, keyword: string): unknown {
  const { description } = schema;
  if (keyword in schema || typeof description !== "string") return schema[keyword];
  return new RegExp(`\\(${keyword}: ([^()]*)\\)`).exec(description)?.[1];
}

function sampleNumber(schema: Schema): number {
  const step = Number(findDemand(schema, "multipleOf") ?? 1);
  const least = Number(findDemand(schema, "minimum") ?? Number(findDemand(schema, "exclusiveMinimum") ?? 0) + step);
  const most = Number(findDemand(schema, "maximum") ?? least);
  return Math.min(Math.ceil(least / step) * step, Math.max(most, least));
}

function sampleText(schema: Schema, place: Place): string {
  const least = Number(findDemand(schema, "minLength") ?? 0);
  const most = Number(findDemand(schema, "maxLength") ?? Number.POSITIVE_INFINITY);
  const format = texts[String(findDemand(schema, "format"))];
  if (typeof schema["pattern"] === "string") {
    const pattern = new RegExp(schema["pattern"], "u");
    const fit = candidates.find((text) => pattern.test(text) && text.length >= least && text.length <= most);
    if (fit === undefined) throw new Error(`expected a candidate for ${pattern} at ${place.path}; add one`);
    return fit;
  }
  return format ?? "text".padEnd(least, "x").slice(0, most);
}
