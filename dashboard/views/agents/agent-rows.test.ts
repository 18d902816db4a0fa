import { describe, expect, it } from "vitest";
import { agentSchema } from "../../data/agents.ts";
import { findWorst, listAgents, nextSort, stateOf } from "./agent-rows.ts";

const agent = (id: string, more: object = {}) => agentSchema.parse({ id, title: id, ready: true, ...more });

describe("the state of an agent", () => {
  it("is its health where that is worse than being ready", () => {
    expect(stateOf(agent("a"))).toBe("ready");
    expect(stateOf(agent("a", { health: "ok" }))).toBe("ready");
    expect(stateOf(agent("a", { health: "degraded" }))).toBe("degraded");
    expect(stateOf(agent("a", { health: "error" }))).toBe("error");
    expect(stateOf(agent("a", { ready: false }))).toBe("starting");
    expect(stateOf(agent("a", { ready: false, health: "error" }))).toBe("error");
    expect(stateOf(agent("a", { replicas: 0, health: "error" }))).toBe("off");
  });
});

describe("the list of agents", () => {
  const agents = [
    agent("beta", { model: "x", description: "Pays invoices", health: "degraded" }),
    agent("alpha", { model: "y", last_call_at: "2026-11-24T10:00:00Z" }),
    agent("gamma", { model: "x", health: "error" }),
  ];
  const ids = (filter: object) =>
    listAgents(agents, { query: "", facet: "all", sort: "name", ...filter }).rows.map(({ id }) => id);

  it("is by name, never by state, unless a column was pressed", () => {
    expect(ids({})).toEqual(["alpha", "beta", "gamma"]);
    expect(ids({ sort: "-name" })).toEqual(["gamma", "beta", "alpha"]);
    expect(ids({ sort: "model" })).toEqual(["beta", "gamma", "alpha"]);
    expect(ids({ sort: "-last" })).toEqual(["alpha", "beta", "gamma"]);
  });

  it("has those with all words of the query, and of the facet", () => {
    expect(ids({ query: "INVOICES  pays" })).toEqual(["beta"]);
    expect(ids({ query: "x" })).toEqual(["beta", "gamma"]);
    expect(ids({ facet: "error" })).toEqual(["gamma"]);
    const { rows, found } = listAgents(agents, { query: "x", facet: "ready", sort: "name" });
    expect([rows.length, found.length]).toEqual([0, 2]);
  });

  it("names the worst: what cannot work before what works badly", () => {
    expect(findWorst(agents)?.id).toBe("gamma");
    expect(findWorst(agents.slice(0, 2))?.id).toBe("beta");
    expect(findWorst([agent("a")])).toBeUndefined();
  });

  it("turns the order when its column is pressed again", () => {
    expect([
      nextSort("name", "name"),
      nextSort("-name", "name"),
      nextSort("name", "last"),
      nextSort("-last", "last"),
    ]).toEqual(["-name", "name", "-last", "last"]);
  });
});
