import { describe, expect, it } from "vitest";
import { maxNameChars } from "../../../crds/names.ts";
import { checkName } from "./check-name.ts";
import type { Draft } from "./draft.ts";
import { maxOptions, pickNames } from "./pick-names.ts";
import { countProblems, placeProblems, stillSaid } from "./placed-problems.ts";

describe("what the gateway says is wrong", () => {
  it("stands at the field that it names", () => {
    const { byField, others } = placeProblems(
      [
        'spec.servers[0].name: server "bank" is not there',
        'spec.model: provider "x" is not known',
        'agent "reader" is there already; agents_update changes it',
      ].join("\n"),
    );
    expect([...byField.keys()]).toEqual(["servers", "model", "name"]);
    expect(others).toEqual([]);
  });

  it("stands there with all its lines, whole", () => {
    const { byField } = placeProblems("spec.servers[0].name: one\nspec.servers[1].name: two");
    expect(byField.get("servers")).toBe("spec.servers[0].name: one\nspec.servers[1].name: two");
  });

  it.each([
    ['"reader" is not for you to create: your role is narrowed to other names', "name"],
    ["metadata.name: cannot be history", "name"],
    ['server "bank" is not for you to use: your role is narrowed to others', "servers"],
    ['agent "clerk" is not for you to use: your role is narrowed to others', "agents"],
    ['spec.policyRef.name: policy "x" is not there', "policyRef"],
  ] as const)("finds its field: %s", (line, field) => {
    expect([...placeProblems(line).byField.keys()]).toEqual([field]);
  });

  it("stands by itself where it names no field of the form", () => {
    const problems = placeProblems('spec.limits.wallClock: expected a time\nagent "b": spec.agents: a circle\nbusy');
    expect(problems.others).toHaveLength(3);
    expect(countProblems(problems)).toBe(3);
  });
});

describe("what the gateway said", () => {
  it("is no longer said of a field that was changed since", () => {
    const problems = placeProblems("spec.model: unknown\nspec.servers[0].name: not there\nmetadata.name: taken");
    const asked = { name: "a", spec: { model: "x", servers: [{ name: "b" }] } };
    const said = (draft: Draft) => [...stillSaid(problems, asked, draft).keys()];
    expect(said(asked)).toEqual(["model", "servers", "name"]);
    expect(said({ name: "a", spec: { model: "y", servers: [{ name: "b" }] } })).toEqual(["servers", "name"]);
    expect(said({ name: "b", spec: { model: "x" } })).toEqual(["model"]);
  });
});

describe("a name", () => {
  it("is judged before the gateway is asked", () => {
    expect(checkName("", [])).toBeUndefined();
    expect(checkName("reader-2", ["reader"])).toBeUndefined();
    expect(checkName("reader", ["reader"])).toContain("already");
    for (const bad of ["Reader", "2nd", "a_b", "a-", "ä"]) expect(checkName(bad, []), bad).toContain("lower-case");
  });

  it(`may have ${maxNameChars} characters`, () => {
    expect(checkName("a".repeat(maxNameChars), [])).toBeUndefined();
    expect(checkName("a".repeat(maxNameChars + 1), [])).toContain(`at most ${maxNameChars}`);
  });
});

describe("names to choose from", () => {
  const options = Array.from({ length: maxOptions + 2 }, (_, index) => ({ name: `s${index}`, about: "stores" }));

  it("begin with those chosen, also with ones that are not seen here", () => {
    const { shown } = pickNames(options, ["gone", "s7"], "s1");
    expect(shown.slice(0, 3).map(({ name }) => name)).toEqual(["gone", "s7", "s1"]);
    expect(shown[0]?.about).toBeUndefined();
  });

  it(`are at most ${maxOptions} beside them, and the number of the others`, () => {
    expect(pickNames(options.slice(0, maxOptions), [], "").more).toBe(0);
    expect(pickNames(options, ["s0"], "").more).toBe(1);
    expect(pickNames(options, ["s0"], "").shown).toHaveLength(maxOptions + 1);
  });
});
