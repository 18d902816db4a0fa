import { describe, expect, it } from "vitest";
import { findPlaces, maxHits, type Place, type PlaceKind } from "./find-places.ts";

const place = (kind: PlaceKind, name: string, about = ""): Place => ({
  kind,
  key: `${kind} ${name}`,
  name,
  about,
  href: `#/${kind}/${name}`,
});

const places = [
  place("view", "Agents"),
  place("view", "Servers"),
  place("agent", "payments-clerk", "Tells the time"),
  place("agent", "clerk", "Tells the time"),
  place("server", "payments", "SEPA transfers"),
  place("tool", "payments / create_transfer"),
  place("call", "payments / create_transfer", "of bookkeeper"),
];
const names = (query: string, from = places) => findPlaces(from, query).map(({ kind, name }) => `${kind} ${name}`);

describe("going to a place", () => {
  it("begins with what waits and the views", () => {
    expect(names("  ")).toEqual(["view Agents", "view Servers", "call payments / create_transfer"]);
  });

  it("takes the name itself before one that begins so, and that before one that has the word inside", () => {
    expect(names("clerk")).toEqual(["agent clerk", "agent payments-clerk"]);
    expect(names("PAYMENTS").slice(0, 2)).toEqual(["server payments", "call payments / create_transfer"]);
  });

  it("finds by the beginnings of words in any order, by parts, and by what it is for", () => {
    expect(names("trans create")).toEqual(["call payments / create_transfer", "tool payments / create_transfer"]);
    expect(names("erk")).toEqual(["agent clerk", "agent payments-clerk"]);
    expect(names("sepa")).toEqual(["server payments"]);
    expect(names("clerk sepa")).toEqual([]);
  });

  it(`shows at most ${maxHits}`, () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => place("agent", `bot-${index}`));
    expect(names("bot", many(maxHits))).toHaveLength(maxHits);
    expect(names("bot", many(maxHits + 1))).toHaveLength(maxHits);
  });
});
