// What an agent is, as text, and what an edited copy of its fields changes.
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import type { AgentInfo } from "../../../data/agent-info.ts";
import { knownFields, readPatch, renderDefinition, renderFields } from "./agent-definition.ts";

const info: AgentInfo = {
  ...{ id: "clerk", title: "Clerk", description: "Counts: words", health: "ok", ready: true, starting: false },
  ...{
    model: "passthrough",
    replicas: 0,
    servers: ["toolbox"],
    agents: [],
    url: "http://clerk/mcp",
    instance: "ouranos",
  },
};
const known = knownFields(info);

describe("the definition of an agent", () => {
  it("says what it is, and not how it stands", () => {
    expect(load(renderDefinition(info))).toEqual({
      ...{ id: "clerk", title: "Clerk", description: "Counts: words", model: "passthrough", replicas: 0 },
      ...{ servers: ["toolbox"], instance: "ouranos" },
    });
  });
});

describe("an edited copy of the fields", () => {
  it("changes nothing as it is first shown, nor where a field is taken out or all are", () => {
    for (const text of [renderFields(known), "model: passthrough", "", "  \n"]) {
      expect(readPatch(text, known)).toEqual({ ok: true, patch: {} });
    }
  });

  it("changes what differs, adds what was not there, and takes away by null", () => {
    expect(readPatch(renderFields({ ...known, replicas: 1 }), known)).toEqual({ ok: true, patch: { replicas: 1 } });
    expect(readPatch('replicas: "0"', known)).toEqual({ ok: true, patch: { replicas: "0" } });
    expect(readPatch("description: null\ninstruction: Be brief.", known)).toEqual({
      ok: true,
      patch: { description: null, instruction: "Be brief." },
    });
    const servers = [{ name: "toolbox" }, { name: "payments" }];
    expect(readPatch(JSON.stringify({ servers }), known)).toEqual({ ok: true, patch: { servers } });
  });

  it("says where it cannot be read, and that it is no map", () => {
    expect(readPatch("a: [", known)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^Line \d+, column \d+/),
    });
    for (const text of ["- a", "words", "null"]) expect(readPatch(text, known).ok).toBe(false);
  });
});
