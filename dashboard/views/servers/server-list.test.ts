// The table of servers: which are shown, counted and in which order.
import { describe, expect, it } from "vitest";
import { serverSchema, type ShownServer } from "../../data/servers.ts";
import { isInFacet, listServers, nextSort, readFacet, readSort, serverFacets } from "./server-list.ts";

const server = (name: string, given: Partial<ShownServer> = {}): ShownServer => ({
  ...serverSchema.parse({ name, kind: "npm", active: true, listed: true, state: "ready", tool_count: 1 }),
  ...given,
});
const all = [
  server("slack", { state: "off", used_by: ["clerk"], median_ms: null }),
  server("argos", { description: "Web search", tool_count: 6, median_ms: 120, calls_24h: 3 }),
  server("github", { changed_count: 1, tool_count: 41, median_ms: 310, used_by: ["clerk"] }),
  server("memory", { median_ms: 9, tags: ["graph"] }),
];
const names = (given: Partial<Parameters<typeof listServers>[1]>) =>
  listServers(all, { query: "", facet: "all", sort: "name", ...given }).rows.map(({ name }) => name);

describe("the filter of the servers", () => {
  it("takes those with all of its words, in name, purpose, tags or tools, in any case", () => {
    expect(names({ query: "SEARCH web" })).toEqual(["argos"]);
    expect(names({ query: "graph" })).toEqual(["memory"]);
    expect(names({ query: "web graph" })).toEqual([]);
    expect(names({ query: "create_issue" })).toEqual([]);
    expect(names({ query: "create_issue", toolsOf: new Map([["github", ["create_issue"]]]) })).toEqual(["github"]);
  });

  it("takes those of a state, those that changed, and those that nobody uses or called", () => {
    expect(names({ facet: "off" })).toEqual(["slack"]);
    expect(names({ facet: "changed" })).toEqual(["github"]);
    expect(names({ facet: "unused" })).toEqual(["memory"]);
  });

  it("counts facets of what the words find, whatever facet is chosen", () => {
    const { rows, found } = listServers(all, { query: "s", facet: "off", sort: "name" });
    expect(rows.map(({ name }) => name)).toEqual(["slack"]);
    expect(found.filter((each) => isInFacet(each, "ready")).map(({ name }) => name)).toEqual(["argos"]);
  });
});

describe("the order of the servers", () => {
  it("is by name, whatever their state", () => {
    expect(names({})).toEqual(["argos", "github", "memory", "slack"]);
    expect(names({ sort: "-name" })).toEqual(["slack", "memory", "github", "argos"]);
  });

  it("has what is not known last, both ways", () => {
    expect(names({ sort: "median" })).toEqual(["memory", "argos", "github", "slack"]);
    expect(names({ sort: "-median" })).toEqual(["github", "argos", "memory", "slack"]);
  });

  it("has those of equal numbers by name", () => {
    expect(names({ sort: "-tools" })).toEqual(["github", "argos", "memory", "slack"]);
    expect(names({ sort: "tools" })).toEqual(["memory", "slack", "argos", "github"]);
  });

  it("turns when the same head is pressed again", () => {
    expect([nextSort("name", "name"), nextSort("-name", "name"), nextSort("tools", "name")]).toEqual([
      "-name",
      "name",
      "name",
    ]);
    expect([nextSort("name", "tools"), nextSort("-tools", "tools")]).toEqual(["-tools", "tools"]);
  });
});

it("takes what stands in no list of the address as what is there without it", () => {
  expect([readFacet("gone"), readFacet(undefined), readFacet("off")]).toEqual(["all", "all", "off"]);
  expect([readSort("x"), readSort("-median")]).toEqual(["name", "-median"]);
  expect(serverFacets).toContain("unused");
});
