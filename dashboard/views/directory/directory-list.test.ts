// The list of the directory: which entries are shown, and how alive each is.
import { describe, expect, it } from "vitest";
import { directoryEntrySchema, type Liveness, type ShownEntry } from "../../data/directory.ts";
import { listEntries, livenessOf, readFacet, readKind, renderLabels } from "./directory-list.ts";

const endpoint = (liveness: Liveness) => ({
  ...{ id: "e", name: "http", transport: "Http", protocol: "MCP", address: "https://weather.example/mcp" },
  ...{ livenessModel: "Heartbeat", liveness },
});
const entry = (name: string, given: object = {}): ShownEntry =>
  directoryEntrySchema.parse({ id: `id-${name}`, name, kind: "agent", endpoints: [endpoint("live")], ...given });
const all = [
  entry("zoe", {
    kind: "registration",
    ownerId: "lea",
    labels: { team: "sea", beta: "" },
    endpoints: [endpoint("unknown")],
  }),
  entry("argos", { capabilities: [{ id: "c", name: "search", description: "Web search", tags: ["Web"] }] }),
  entry("broken", { kind: "server", endpoints: [endpoint("dead")] }),
];
const names = (given: Partial<Parameters<typeof listEntries>[1]>) =>
  listEntries(all, { query: "", facet: "all", kind: undefined, ...given }).rows.map(({ name }) => name);

describe("the list of the directory", () => {
  it("is in the order of names, of all where nothing is asked for", () => {
    expect(names({})).toEqual(["argos", "broken", "zoe"]);
  });

  it("takes entries with all words, in name, owner, labels, capabilities or addresses, in any case", () => {
    expect(names({ query: "SEARCH web" })).toEqual(["argos"]);
    expect(names({ query: "team=sea lea" })).toEqual(["zoe"]);
    expect(names({ query: "weather.example" })).toEqual(["argos", "broken", "zoe"]);
    expect(names({ query: "search lea" })).toEqual([]);
  });

  it("takes those of a kind and a liveness, and counts liveness among those of the kind", () => {
    expect(names({ facet: "dead" })).toEqual(["broken"]);
    expect(names({ kind: "registration" })).toEqual(["zoe"]);
    expect(listEntries(all, { query: "", facet: "live", kind: "server" })).toMatchObject({
      found: [{ name: "broken" }],
      rows: [],
    });
    expect([readFacet("dead"), readFacet("x"), readKind("agent"), readKind("x")]).toEqual([
      "dead",
      "all",
      "agent",
      undefined,
    ]);
  });
});

describe("an entry", () => {
  it("is as alive as the most alive of its endpoints, and dead without any", () => {
    const of = (...states: Liveness[]) =>
      livenessOf({
        endpoints: states.map(endpoint).map((each) => ({ ...each, ttlSeconds: null, heartbeatIntervalSeconds: null })),
      });
    expect(of("dead", "unknown", "live")).toBe("live");
    expect(of("dead", "unknown")).toBe("unknown");
    expect(of("dead")).toBe("dead");
    expect(of()).toBe("dead");
  });

  it("shows a label with its value, where it has one", () => {
    expect(renderLabels({ labels: { team: "sea", beta: "" } })).toEqual(["team=sea", "beta"]);
  });
});
