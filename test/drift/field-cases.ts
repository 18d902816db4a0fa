// All fields of the specs in a few resources, each with and without its share of them: for each field the least that
// the schema and plan/ let in, or more of what the full resources have around it. Made from the schema, so that a new
// field takes part by itself.
import { isDeepStrictEqual } from "node:util";
import { kinds } from "../../crds/kinds.ts";
import { checkManifests, type SourcedValidationError } from "../../plan/check.ts";
import { agentManifestOf, instanceManifestOf, serverManifestOf } from "../../plan/testing/resources.ts";
import { isJson, valueAt, type Path } from "../integration/schema-cases/manifest-path.ts";
import type { SchemaNode } from "../integration/schema-cases/schema-node.ts";
import { fullAgentSpecs, fullInstanceSpecs, fullServerSpecs } from "./full-resources.ts";
import { leaves, pathsOf, specSchema, type Leaf } from "./leaves.ts";

type Manifest = ReturnType<typeof agentManifestOf | typeof instanceManifestOf | typeof serverManifestOf>;

export interface FieldCase {
  /** Such as `PallasAgent spec.request.topK`. */
  readonly fields: readonly string[];
  readonly kind: Leaf["kind"];
  /** Of the resource that they are set in. */
  readonly name: string;
  readonly without: readonly Manifest[];
  readonly with: readonly Manifest[];
  /** What plan/ says against it; mostly nothing. */
  readonly problems: readonly SourcedValidationError<Manifest>[];
}

/** The instance of all agents whose fields are tried, and what these refer to. No pods are needed. */
const host = instanceManifestOf({
  defaultModel: "main.model-a",
  providers: [{ name: "main", kind: "openai" }],
  servers: [{ name: "argos", url: "http://argos.tools.svc:8000/mcp" }],
  registry: { replicas: 0 },
});
export const surroundings: readonly Manifest[] = [
  host,
  ...["archive", "editor"].map((name) => agentManifestOf(name, { replicas: 0 })),
];
/** What a tool server is made of, each another than in the full resources. */
const otherSources = {
  remote: { url: "https://others.example.com/mcp" },
  container: { image: "registry.example/tools/other:1", command: ["/other"] },
  package: { kind: "pypi", name: "other-server" },
  local: { command: "other" },
};

/** What a spec must have around the fields that are tried in it. */
function baseOf(kind: Leaf["kind"], full: object): object {
  if (kind === "PallasInstance") return { ...host.spec, defaultModel: "main.other" };
  if (kind === "PallasAgent") return { instanceRef: { name: "ouranos" }, replicas: 0 };
  const source = Object.entries(otherSources).filter(([name]) => Object.hasOwn(full, name));
  return { instanceRef: { name: "ouranos" }, active: false, ...Object.fromEntries(source) };
}

/** The value at a path with nothing around it but what the schema requires. */
function branch(node: SchemaNode | undefined, value: unknown, [head, ...rest]: Path, leaf: unknown): unknown {
  if (head === undefined) return leaf;
  if (Array.isArray(value)) return [branch(node?.items, value[Number(head)], rest, leaf)];
  if (!isJson(value)) return value;
  const required = Object.entries(value).filter(([name]) => node?.required.includes(name));
  const child = node?.properties?.[head] ?? node?.additionalProperties;
  return { ...Object.fromEntries(required), [head]: branch(child, value[String(head)], rest, leaf) };
}

/** Lists are merged by position: in full resources, what shares a position shares a name. */
function merged(base: unknown, over: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(over)) {
    return Array.from({ length: Math.max(base.length, over.length) }, (_, at) => merged(base[at], over[at]));
  }
  if (!isJson(base) || !isJson(over)) return over === undefined ? base : over;
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [key, merged(base[key], over[key])]),
  );
}

const asSpec = (value: unknown): object => (isJson(value) ? value : {});

function manifestsOf(kind: Leaf["kind"], name: string, spec: object): Manifest[] {
  if (kind === "PallasAgent") return [agentManifestOf(name, spec)];
  if (kind === "PallasServer") return [serverManifestOf(name, spec)];
  const user = { instanceRef: { name }, replicas: 0, port: 24_101, servers: [{ name: "argos" }] };
  return [instanceManifestOf(spec, { name }), agentManifestOf(name, user)];
}

function problemsOf(manifests: readonly Manifest[]): SourcedValidationError<Manifest>[] {
  const all = [...surroundings, ...manifests].map((value) => ({ source: value, value }));
  // A policy is of one instance; agents and gateways are rendered without it too, and deny every call.
  return checkManifests(all, { mode: "cluster" }).problems.filter(({ reason }) => reason !== "PolicyNotFound");
}

/** Taken out of the base, where it is for other reasons, to be set and unset like all others. */
const inBase = new Set(["spec.replicas", "spec.registry.replicas", "spec.active"]);

const maxFields = 8;

/** Specs in the making, and the fields that they have. */
interface Share {
  readonly kind: Leaf["kind"];
  readonly base: object;
  spec: object;
  readonly fields: string[];
  problems: SourcedValidationError<Manifest>[];
}

const judge = (kind: Leaf["kind"], spec: object) => problemsOf(manifestsOf(kind, "tried", spec));

/** Adds what is to be set, if there is room, nothing of it is lost among the others, and plan/ lets it in. */
function takesIn(share: Share, base: object, over: unknown): boolean {
  if (share.fields.length >= maxFields || share.problems.length > 0 || !isDeepStrictEqual(base, share.base)) {
    return false;
  }
  const spec = asSpec(merged(share.spec, over));
  const keepsAll = isDeepStrictEqual(merged(spec, share.spec), spec);
  if (!keepsAll || judge(share.kind, spec).length > 0) return false;
  share.spec = spec;
  return true;
}

/** The first share that takes the value in, or a new one. None for what cannot be taken out, as the base must have it. */
function place(shares: Share[], { kind, schemaPath }: Leaf, full: object, path: Path, value: unknown): void {
  const [top = ""] = path;
  const field = `${kind} ${schemaPath}`;
  const base = Object.fromEntries(
    Object.entries(baseOf(kind, full)).filter(([key]) => !inBase.has(schemaPath) || key !== top),
  );
  const small = branch(specSchema(kind), full, path, value);
  const open = shares.find((share) => share.kind === kind && takesIn(share, base, small));
  if (open) return void open.fields.push(field);
  const candidates = [small, { [top]: valueAt(full, [top]) }, full]
    .map((over) => asSpec(merged(base, over)))
    .filter((spec) => !isDeepStrictEqual(spec, base))
    .map((spec) => ({ spec, problems: judge(kind, spec) }));
  const chosen = candidates.find(({ problems }) => problems.length === 0) ?? candidates[0];
  if (chosen) shares.push({ kind, base, ...chosen, fields: [field] });
}

const fullSpecs: Record<Leaf["kind"], readonly object[]> = {
  PallasAgent: fullAgentSpecs,
  PallasInstance: fullInstanceSpecs,
  PallasServer: fullServerSpecs,
};

const withDefaults = ({ kind, without, with: filled }: FieldCase): [unknown, unknown] => {
  const parse = (manifest: Manifest) => (manifest.kind === kind ? kinds[kind].manifest.parse(manifest) : manifest);
  return [without.map(parse), filled.map(parse)];
};

function makeCases(): FieldCase[] {
  const shares: Share[] = [];
  for (const leaf of leaves) {
    const full = fullSpecs[leaf.kind].find((spec) => pathsOf({ spec }, leaf.schemaPath).length > 0);
    const [, ...path] = (full && pathsOf({ spec: full }, leaf.schemaPath)[0]) ?? [];
    if (!full) throw new Error(`expected ${leaf.kind} ${leaf.schemaPath} in the full resources`);
    const value = valueAt(full, path);
    // A switch is tried both ways: one of them is its default.
    for (const each of typeof value === "boolean" ? [value, !value] : [value]) place(shares, leaf, full, path, each);
  }
  const cases = shares.map(({ kind, base, spec, fields, problems }, index) => {
    const name = `fields-${index}`;
    const [without = [], filled = []] = [base, spec].map((each) => manifestsOf(kind, name, each));
    return { fields, kind, name, without, with: filled, problems };
  });
  // A default that is set by itself is what there was before.
  return cases.filter((each) => !isDeepStrictEqual(...withDefaults(each)));
}

export const fieldCases: readonly FieldCase[] = makeCases();
