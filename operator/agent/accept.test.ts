import { describe, expect, it } from "vitest";
import type { AgentConditionType } from "../../crds/conditions.ts";
import { ConditionSet } from "../conditions.ts";
import { around, makeAgent, makeInstance } from "../render/testing/resources.ts";
import { resolve } from "./accept.ts";

const now = new Date("2026-11-22T10:00:00Z");

function resolved(spec: object, invalid: readonly string[]) {
  const agent = makeAgent("research", spec);
  const conditions = new ConditionSet<AgentConditionType>([], 1, now);
  const neighbours = { ...around(makeInstance(), agent), invalid: new Set(invalid) };
  const goesOn = resolve({ conditions }, { agent, around: neighbours });
  const found = conditions.all.find(({ type }) => type === "ReferencesResolved");
  return [goesOn, found?.status, found?.reason];
}

describe("an agent that names one which cannot be read", () => {
  it.each([{ agents: [{ name: "archive" }] }, { dependsOn: ["archive"] }])(
    "has no problem, and is left as it is until it can be: %j",
    (spec) => {
      expect(resolved(spec, ["archive"])).toEqual([false, "Unknown", "NotChecked"]);
    },
  );

  it("has the problem of one that is not there at all", () => {
    expect(resolved({ agents: [{ name: "archive" }] }, [])).toEqual([false, "False", "AgentNotFound"]);
  });

  it("is told of its own problems first", () => {
    const spec = { agents: [{ name: "archive" }], servers: [{ name: "gone" }] };
    expect(resolved(spec, ["archive"])).toEqual([false, "False", "ServerNotFound"]);
  });

  it("goes on when it names another", () => {
    expect(resolved({}, ["archive"])).toEqual([true, "True", "Resolved"]);
  });
});
