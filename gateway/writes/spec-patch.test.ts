// A change of an agent as a JSON Patch: it names the spec it was judged with, and nothing that it does not change.
import { describe, expect, it } from "vitest";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { renderSpecPatch } from "./spec-patch.ts";

const agent = (generation?: number) => {
  const { metadata, ...rest } = sampleAgent("clerk", {
    title: "Clerk",
    request: { maxSteps: 3 },
    servers: [{ name: "a" }],
  });
  return { ...rest, metadata: { ...metadata, uid: "u", ...(generation !== undefined && { generation }) } };
};
const uid = { op: "test", path: "/metadata/uid", value: "u" };

describe("MGM-3 a change of an agent", () => {
  it("holds for the spec that it was judged with, and for that agent alone", () => {
    expect(renderSpecPatch(agent(7), {})).toEqual([uid, { op: "test", path: "/metadata/generation", value: 7 }]);
    expect(renderSpecPatch(agent(), {})).toEqual([uid]);
  });

  it("merges objects, replaces lists, takes away what is null, and takes away nothing that is not there", () => {
    const changes = { request: { temperature: 1 }, servers: [], title: null, description: null };
    expect(renderSpecPatch(agent(), changes).slice(1)).toEqual([
      { op: "add", path: "/spec/request", value: { maxSteps: 3, temperature: 1 } },
      { op: "add", path: "/spec/servers", value: [] },
      { op: "remove", path: "/spec/title" },
    ]);
  });

  it("names fields as JSON Pointers do", () => {
    expect(renderSpecPatch(agent(), { "a/b~c": 1 }).at(-1)).toEqual({ op: "add", path: "/spec/a~1b~0c", value: 1 });
  });
});
