import { expect, test } from "vitest";
import { kindNames, kinds } from "./kinds.ts";

const definitions = Object.values(kinds).map(({ definition }) => definition);

test("each kind stands under its own name, and shares no other name with another one", () => {
  expect(Object.keys(kinds)).toEqual(definitions.map(({ kind }) => kind));
  const names = definitions.flatMap(({ kind, plural, singular, shortNames }) => [
    kind,
    plural,
    singular,
    ...shortNames,
  ]);
  expect(new Set(names).size).toBe(names.length);
});

test("the list of names has each kind once, and the one that all others belong to first", () => {
  expect(kindNames.toSorted()).toEqual(Object.keys(kinds).toSorted());
  expect(kindNames[0]).toBe("PallasInstance");
});
