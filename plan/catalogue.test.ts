import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderCatalogueEntry, shorten, withoutSlugConflicts } from "./catalogue.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const url = "http://research.agents.svc:8080/mcp";
const entryOf = (
  spec: object = {},
  { instance = {}, metadata = {}, status = {}, instanceStatus = {} }: Record<string, object> = {},
) =>
  renderCatalogueEntry(
    { ...sampleAgent("tech-research", spec, metadata), status },
    { ...sampleInstance({ version: "2.0.0", ...instance }), status: instanceStatus },
    url,
  );

describe("CAT-3 a description is cut to 100 characters, at a word", () => {
  const words = (count: number) => "word ".repeat(count).trim();

  it("100 characters stay whole, 101 are cut", () => {
    const [hundred, more] = ["a".repeat(100), "a".repeat(101)];
    expect(shorten(hundred)).toBe(hundred);
    expect(shorten(more)).toBe(`${"a".repeat(99)}…`);
    expect([...shorten(more)]).toHaveLength(100);
  });

  it("characters are code points, never halves of one", () => {
    expect(shorten("😀".repeat(100))).toBe("😀".repeat(100));
    expect(shorten("😀".repeat(101))).toBe(`${"😀".repeat(99)}…`);
  });

  it("a word is not cut in two, and lines become spaces", () => {
    expect(shorten(words(21))).toBe(`${words(19)}…`);
    expect(shorten(" a\n\n b\t c ")).toBe("a b c");
  });

  it("a word that would leave less than half is cut in two; one that leaves more is not", () => {
    const [early, late] = ["a".repeat(49), "a".repeat(50)];
    expect(shorten(`${early} ${"b".repeat(99)}`)).toBe(`${early} ${"b".repeat(49)}…`);
    expect(shorten(`${late} ${"b".repeat(99)}`)).toBe(`${late}…`);
  });

  it("any text gives at most 100 characters, and an ellipsis only where something is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const short = shorten(text);
        expect([...short].length).toBeLessThanOrEqual(100);
        const flat = text.replaceAll(/\s+/g, " ").trim();
        expect(short === flat || (short.endsWith("…") && flat.startsWith(short.slice(0, -1)))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("CAT-2 CAT-3 CAT-4 the server part", () => {
  it("an agent that says nothing is named by its name", () => {
    expect(entryOf().server).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "ca.helu.ouranos/tech-research",
      title: "Tech Research",
      description: "Tech Research",
      version: "2.0.0",
      remotes: [{ type: "streamable-http", url }],
    });
  });

  it("what it says is shown; icons have sizes; blank texts count as none", () => {
    const icons = [{ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }, { src: "https://example.com/b" }];
    expect(entryOf({ title: "Deep", description: "Reads.", icons }).server).toMatchObject({
      title: "Deep",
      description: "Reads.",
      icons: [
        { src: "https://example.com/a.svg", mimeType: "image/svg+xml", sizes: ["any"] },
        { src: "https://example.com/b", sizes: ["any"] },
      ],
    });
    const blank = entryOf({ title: " \n", description: "", icons: [] }).server;
    expect([blank.title, blank.description, "icons" in blank]).toEqual(["Tech Research", "Tech Research", false]);
    expect(entryOf({ title: "Deep", description: " " }).server.description).toBe("Deep");
  });
});

describe("CAT-5 capabilities", () => {
  it("are there when declared, with the model's name without its provider", () => {
    const instance = {
      providers: [{ name: "openai" }],
      defaultModel: "openai.qwen3-8b.5",
      modelCapabilities: { vision: true },
    };
    expect(entryOf({}, { instance }).server.capabilities).toEqual({
      model: "qwen3-8b.5",
      vision: true,
      context_window: 131_072,
      max_output_tokens: 16_384,
    });
  });

  it("are absent when nothing is declared, and when there is no model", () => {
    expect(entryOf().server).not.toHaveProperty("capabilities");
    expect(entryOf({}, { instance: { defaultModel: null } }).server).not.toHaveProperty("capabilities");
  });
});

describe("CAT-6 metadata of the registry", () => {
  const created = { creationTimestamp: "2026-11-20T08:00:00Z" };
  const condition = (type: string, status: string, lastTransitionTime: string, message = "") => ({
    type,
    status,
    lastTransitionTime,
    reason: "Ready",
    message,
  });

  it("updatedAt is when the spec last changed, else its creation, in UTC", () => {
    const official = (metadata: object, status: object = {}) =>
      entryOf({}, { metadata, status })._meta["io.modelcontextprotocol.registry/official"];
    expect(official(created)).toEqual({ status: "active", updatedAt: "2026-11-20T08:00:00Z", isLatest: true });
    expect(official(created, { specChangedAt: "2026-11-21T12:00:00+02:00" }).updatedAt).toBe("2026-11-21T10:00:00Z");
    expect(official({}).updatedAt).toBe("1970-01-01T00:00:00Z");
  });

  it("updatedAt is the later of the agent's and the instance's change, whatever their zones", () => {
    const updatedAt = (ofAgent: string | undefined, ofInstance: string) =>
      entryOf(
        {},
        {
          metadata: created,
          status: ofAgent === undefined ? {} : { specChangedAt: ofAgent },
          instanceStatus: { specChangedAt: ofInstance },
        },
      )._meta["io.modelcontextprotocol.registry/official"].updatedAt;
    expect(updatedAt("2026-11-21T12:00:00Z", "2026-11-21T13:00:00Z")).toBe("2026-11-21T13:00:00Z");
    expect(updatedAt("2026-11-21T14:00:00Z", "2026-11-21T13:00:00Z")).toBe("2026-11-21T14:00:00Z");
    expect(updatedAt("2026-11-21T14:00:00+02:00", "2026-11-21T13:00:00Z")).toBe("2026-11-21T13:00:00Z");
    expect(updatedAt(undefined, "2026-11-19T13:00:00Z")).toBe("2026-11-20T08:00:00Z");
  });

  it("an agent that nobody looked at yet is listed without health", () => {
    expect(entryOf()._meta["ca.helu.pallas/runtime"]).toEqual({ readyReplicas: 0 });
  });

  it.each([
    ["2026-11-21T11:00:00Z", "2026-11-21T12:00:00Z"],
    ["2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z"],
  ])("health has since when it is so: the later of %s and %s, and what is wrong", (model, downstreams) => {
    const conditions = [
      condition("Ready", "True", "2026-11-21T13:00:00Z", "all well"),
      condition("ModelHealthy", "False", model, "LLM: openai: model 'x' not found"),
      condition("DownstreamsReachable", "True", downstreams),
    ];
    const status = { health: "degraded", readyReplicas: 2, conditions };
    expect(entryOf({}, { status })._meta["ca.helu.pallas/runtime"]).toEqual({
      health: "degraded",
      healthSince: "2026-11-21T12:00:00Z",
      readyReplicas: 2,
      message: "LLM: openai: model 'x' not found",
    });
  });

  it("conditions alone say nothing of since when", () => {
    const conditions = [condition("ModelHealthy", "True", "2026-11-21T11:00:00Z")];
    expect(entryOf({}, { status: { conditions } })._meta["ca.helu.pallas/runtime"]).toEqual({ readyReplicas: 0 });
  });

  it("not being ready says why before anything else", () => {
    const conditions = [
      condition("ModelHealthy", "False", "2026-11-21T11:00:00Z", "second"),
      condition("Ready", "False", "2026-11-21T11:00:00Z", "first"),
    ];
    expect(entryOf({}, { status: { conditions } })._meta["ca.helu.pallas/runtime"].message).toBe("first");
  });
});

describe("CAT-2 no two entries with one slug", () => {
  const agent = (name: string, namespace: string, creationTimestamp: string) =>
    sampleAgent(name, {}, { namespace, creationTimestamp });

  it("of several namespaces the earlier-created agent is kept, the later named as left out", () => {
    const agents = [
      agent("research", "b", "2026-11-21T00:00:00Z"),
      agent("archive", "b", "2026-11-22T00:00:00Z"),
      agent("research", "a", "2026-11-22T00:00:00Z"),
      agent("research", "c", "2026-11-23T00:00:00Z"),
    ];
    const { listed, conflicts } = withoutSlugConflicts(agents);
    expect(listed.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(["b/archive", "b/research"]);
    expect(conflicts).toEqual([
      { slug: "research", kept: "b/research", leftOut: "a/research" },
      { slug: "research", kept: "b/research", leftOut: "c/research" },
    ]);
  });

  it("of the same age the first by namespace is kept, whatever the order they come in", () => {
    const agents = ["b", "a"].map((namespace) => agent("x", namespace, "2026-11-21T00:00:00Z"));
    for (const order of [agents, agents.toReversed()]) {
      expect(withoutSlugConflicts(order).conflicts).toEqual([{ slug: "x", kept: "a/x", leftOut: "b/x" }]);
    }
    expect(withoutSlugConflicts([])).toEqual({ listed: [], conflicts: [] });
  });
});
