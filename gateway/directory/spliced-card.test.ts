// Cards come back as they came in, byte for byte, with id and isLive in them.
import { describe, expect, it } from "vitest";
import { findValueText } from "./json-members.ts";
import { createSplicedCard } from "./spliced-card.ts";

const facts = { id: "x-1", isLive: true };
const splice = (text: string) => createSplicedCard(text)(facts);

describe("DIR-4 what is spliced into a card", () => {
  it.each([
    ["comes after the last member", '{ "b": 1.0, "a": -0 }', '{ "b": 1.0, "a": -0,"id":"x-1","isLive":true }'],
    ["is all of an empty card", "{ }", '{"id":"x-1","isLive":true }'],
    [
      "takes the place of what the card brings",
      '{"id":7,"a":1e400,"isLive":"no"}',
      '{"id":"x-1","a":1e400,"isLive":true}',
    ],
    [
      "takes the place of one and comes after the other",
      '{"isLive" : [1,{"id":2}] ,"a":{}}',
      '{"isLive" : true ,"a":{},"id":"x-1"}',
    ],
    ["takes the place of each of several", '{"id":1,"id":{"id":2}}', '{"id":"x-1","id":"x-1","isLive":true}'],
    [
      "knows a key by what its escapes mean",
      String.raw`{"\u0069d":"}\"{"}`,
      String.raw`{"\u0069d":"x-1","isLive":true}`,
    ],
    ["leaves inner keys alone", '{"a":{"id":1,"isLive":2}}', '{"a":{"id":1,"isLive":2},"id":"x-1","isLive":true}'],
  ])("%s", (_rule, text, expected) => {
    expect(splice(text)).toBe(expected);
    expect(JSON.parse(splice(text))).toMatchObject(facts);
  });

  it("is found behind strings that look like structure", () => {
    const text = String.raw`{"a":"\\","b":"\"}],{","c":["]"],"d":"\\\""}`;
    expect(splice(text)).toBe(`${text.slice(0, -1)},"id":"x-1","isLive":true}`);
  });
});

describe("DIR-4 a value's text in a body", () => {
  it.each([
    ['{"serverCard":{"a":1.0}}', '{"a":1.0}'],
    ['{ "x" : [ {"serverCard":1} ] , "serverCard" :\n{ } , "y":2}', "{ }"],
    ['{"serverCard":1,"serverCard":{"b":2}}', '{"b":2}'],
    [String.raw`{"\u0073erverCard":null}`, "null"],
    ['{"servercard":{}}', undefined],
    ["{}", undefined],
  ])("of %s is %s", (body, expected) => expect(findValueText(body, "serverCard")).toBe(expected));
});
