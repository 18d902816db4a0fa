// CFG-5: the API server (structural schema and CEL) and `pallas check` (zod) give the same verdict on every manifest,
// and name the same fields. The cases come from the schema itself, so a new field is covered without a new test.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../crds/kinds.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { disagreements } from "./schema-cases/compare.ts";
import { placeCases, ruleCases } from "./schema-cases/field-cases.ts";
import { withValue } from "./schema-cases/manifest-path.ts";
import { fullManifests, locatePlaces, type LocatedPlace } from "./schema-cases/manifests.ts";
import { distinctTexts, randomTextCases } from "./schema-cases/random-texts.ts";
import { pairedMessages, rulePair } from "./schema-cases/rule-cases.ts";
import { isTransitionRule, readSchema } from "./schema-cases/schema-node.ts";
import { checkVerdict, createJudge, type Judge } from "./schema-cases/verdicts.ts";

const definitions = Object.values(kinds).map(({ definition }) => definition);
const namespaceName = "placeholder"; // manifests are made before there is a namespace

describe.skipIf(clusterMissing()).each(definitions)("CFG-5 $kind: API server and pallas check agree", (definition) => {
  const schema = readSchema(definition);
  const full = fullManifests(definition, schema, namespaceName);
  const places = locatePlaces(schema, full);
  const inSpec = places.filter(({ path }) => path[0] === "spec");
  const inStatus = places.filter(({ path }) => path[0] === "status");
  const fieldOf = ({ path }: LocatedPlace) => path.slice(0, 2).join(".");
  const fields = [...new Set(inSpec.map(fieldOf))];

  let namespace: TestNamespace;
  let judge: Judge;
  const here = (manifest: unknown) => withValue(manifest, ["metadata", "namespace"], namespace.name);
  const ask = (manifest: unknown) => judge.create(here(manifest));

  beforeAll(async () => {
    namespace = await createNamespace("schema");
    judge = await createJudge(cluster(), definition, namespace.name);
  });
  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
    await namespace.remove();
  });

  it("both accept the manifests that have every field", async () => {
    for (const manifest of full) {
      expect((await ask(manifest)).verdict).toMatchObject({ accepted: true });
      expect(checkVerdict(definition, manifest)).toMatchObject({ accepted: true });
    }
  });

  it.each(fields)("on %s and all below it", async (field) => {
    const own = inSpec.filter((place) => fieldOf(place) === field);
    const cases = own.flatMap((place) => placeCases(schema, place));
    expect(cases.length).toBeGreaterThanOrEqual(own.length * 7);
    expect(await disagreements(definition, cases, ask)).toEqual([]);
  });

  it("on every rule over metadata.name, held and violated", async () => {
    const nameRules = schema["x-kubernetes-validations"].filter((rule) => !isTransitionRule(rule));
    const cases = ruleCases(schema, full[0], ["metadata", "name"]);
    expect(cases.length).toBeGreaterThanOrEqual(nameRules.length * 6);
    expect(await disagreements(definition, cases, ask)).toEqual([]);
  });

  it("on random texts of every kind of text field", async () => {
    const cases = distinctTexts(inSpec).flatMap((place) => randomTextCases(schema, place));
    expect(cases.length).toBeGreaterThanOrEqual(150);
    expect(await disagreements(definition, cases, ask)).toEqual([]);
  });

  it("on the status, which has an endpoint of its own", async () => {
    const [first = {}] = full;
    const { verdict, body } = await judge.create(here(first), { dryRun: false });
    expect(verdict).toMatchObject({ accepted: true });
    const { metadata } = JSON.parse(body);
    const resourceVersion: unknown = metadata.resourceVersion;
    const askStatus = (manifest: unknown) =>
      judge.update("sample", withValue(here(manifest), ["metadata", "resourceVersion"], resourceVersion), "status");
    const cases = inStatus.flatMap((place) => placeCases(schema, place));
    expect(cases.length).toBeGreaterThanOrEqual(inStatus.length * 7);
    expect(await disagreements(definition, cases, askStatus)).toEqual([]);
  });
});

describe("CFG-5 every rule has values that hold it and values that violate it", () => {
  const rules = definitions.flatMap((definition) => {
    const schema = readSchema(definition);
    const places = locatePlaces(schema, fullManifests(definition, schema, namespaceName));
    return [schema, ...places.map(({ node }) => node)].flatMap((node) => node["x-kubernetes-validations"]);
  });

  it("a rule without a pair is an error", () => {
    expect(rules.length).toBeGreaterThan(30);
    for (const rule of rules.filter((rule) => !isTransitionRule(rule))) {
      const pair = rulePair(rule);
      expect([rule.message, pair?.holds.length, pair?.violated.length]).not.toContain(0);
    }
    expect(() => rulePair({ rule: "self == 1", message: "must be one" })).toThrow('the rule "must be one"');
  });

  it("a pair without a rule is gone", () => {
    const messages = new Set(rules.map(({ message }) => message));
    expect(pairedMessages().filter((message) => !messages.has(message))).toEqual([]);
  });
});
