import { describe, expect, it } from "vitest";
import { agentSchema } from "../../data/agents.ts";
import { isInFacet, listAgents, modelsOf, nextSort, readFacet, readSort, stateOf } from "./agent-rows.ts";

const agent = (id: string, more: object = {}) => agentSchema.parse({ id, title: id, ready: true, ...more });

describe("the state of an agent", () => {
  it.each([
    [{}, "ready"],
    [{ health: "ok" }, "ready"],
    [{ health: "degraded" }, "degraded"],
    [{ health: "error" }, "error"],
    [{ ready: false }, "error"],
    [{ ready: false, health: "degraded" }, "error"],
    [{ ready: false, starting: true, health: "degraded" }, "starting"],
    [{ ready: false, starting: true, health: "error" }, "error"],
    [{ ready: false, starting: true, replicas: 0 }, "off"],
    [{ replicas: 0, health: "error" }, "off"],
  ])("of %j is %s", (more, state) => {
    expect(stateOf(agent("a", more))).toBe(state);
  });
});

describe("the list of agents", () => {
  const agents = [
    agent("beta-10", { model: "x", description: "Pays invoices", health: "degraded", waiting: 1 }),
    agent("alpha", { model: "y", last_call_at: "2026-11-24T10:00:00Z" }),
    agent("beta-9", {
      model: "x",
      health: "error",
      reason: "Secret keys is missing",
      last_call_at: "2026-11-24T09:00:00Z",
    }),
  ];
  const ids = (filter: object) =>
    listAgents(agents, { query: "", facet: "all", model: "", sort: "name", ...filter }).rows.map(({ id }) => id);

  it("is by name, with numbers by their value and never by state, unless a column was pressed", () => {
    expect(ids({})).toEqual(["alpha", "beta-9", "beta-10"]);
    expect(ids({ sort: "-name" })).toEqual(["beta-10", "beta-9", "alpha"]);
    expect(ids({ sort: "-model" })).toEqual(["alpha", "beta-9", "beta-10"]);
    expect(ids({ sort: "-calls", calls: new Map([["beta-10", 7]]) })).toEqual(["beta-10", "alpha", "beta-9"]);
  });

  it("has what was never called last, whichever way it is sorted by the last call", () => {
    expect(ids({ sort: "-last" })).toEqual(["alpha", "beta-9", "beta-10"]);
    expect(ids({ sort: "last" })).toEqual(["beta-9", "alpha", "beta-10"]);
  });

  it("has those with all words of the query, in the facet, on the model", () => {
    expect(ids({ query: "INVOICES  pays" })).toEqual(["beta-10"]);
    expect(ids({ query: "invoices alpha" })).toEqual([]);
    expect(ids({ query: "secret" })).toEqual(["beta-9"]);
    expect(ids({ facet: "error" })).toEqual(["beta-9"]);
    expect(ids({ facet: "waits" })).toEqual(["beta-10"]);
    expect(ids({ model: "y" })).toEqual(["alpha"]);
  });

  it("leaves for the facets to count what the words and the model leave, in whatever state", () => {
    const { rows, found } = listAgents(agents, { query: "beta", facet: "error", model: "x", sort: "name" });
    expect([rows.length, found.length]).toEqual([1, 2]);
    expect(found.filter((each) => isInFacet(each, "degraded"))).toHaveLength(1);
  });

  it("knows the models that agents run on, each once", () => {
    expect(modelsOf([...agents, agent("none")])).toEqual(["x", "y"]);
  });
});

describe("what the address says of the list", () => {
  it("counts as nothing where it is unknown", () => {
    expect([readFacet("odd"), readFacet(undefined), readSort("state"), readSort(undefined)]).toEqual([
      "all",
      "all",
      "name",
      "name",
    ]);
  });

  it("turns the order when a column is pressed again: words up first, numbers and times down first", () => {
    expect([
      nextSort("name", "name"),
      nextSort("-name", "name"),
      nextSort("name", "model"),
      nextSort("name", "last"),
      nextSort("-last", "last"),
      nextSort("name", "calls"),
    ]).toEqual(["-name", "name", "model", "-last", "last", "-calls"]);
  });
});
