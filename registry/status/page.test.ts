import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { renderCatalogueEntry } from "../../plan/catalogue.ts";
import { sampleServer } from "../../plan/testing/resources.ts";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";
import { renderStatusPage, shownAgents, shownInstances, type StatusFacts } from "./page.ts";

const hostile = `<script>alert(1)</script>"'&<img src=x onerror=1>`;
const instance = makeInstance({ title: hostile });
const agents = [
  makeAgent("research", { title: hostile, model: "openai.gpt-x" }),
  { ...makeAgent("coder"), status: { health: "degraded" as const, readyReplicas: 2 } },
];
const render = (changes: Partial<StatusFacts> = {}) =>
  renderStatusPage({
    state: { phase: "live", since: 0 },
    instances: [instance],
    agents,
    entryOf: (agent) => renderCatalogueEntry(agent, instance, "http://a/mcp"),
    servers: [],
    now: Date.UTC(2026, 10, 22),
    ...changes,
  });

const voidElements = new Set(["meta", "link", "br"]);

/** Opening tags in order, and whatever is not closed in the order it was opened. */
function parseTags(page: string): { tags: { name: string; attributes: string }[]; problems: string[] } {
  const tags: { name: string; attributes: string }[] = [];
  const [open, problems]: [string[], string[]] = [[], []];
  const text = page.replace(/<style>[^]*?<\/style>/, "<style></style>").replace("<!doctype html>", "");
  for (const [, slash, name = "", attributes = ""] of text.matchAll(/<(\/?)([a-z0-9]+)((?:\s[^<>]*)?)>/g)) {
    if (slash === "/") {
      if (open.pop() !== name) problems.push(`</${name}> closes another`);
      continue;
    }
    tags.push({ name, attributes });
    if (!voidElements.has(name)) open.push(name);
  }
  // What is left must be text without tags.
  if (/[<>]/.test(text.replaceAll(/<\/?[a-z0-9]+(?:\s[^<>]*)?>/g, ""))) problems.push("a stray < or >");
  return { tags, problems: [...problems, ...open.map((name) => `<${name}> is not closed`)] };
}

describe("the status page", () => {
  it("DSC-6 counts the tool servers of each instance, where it has some", () => {
    const spec = { package: { kind: "npm", name: "server-memory" } };
    const servers = ["a", "b"].map((name) => sampleServer(name, spec, { namespace: "agents" }));
    const page = render({ servers });
    expect(page).toContain("Tool servers: 2, in the MCP registry API.");
    expect(parseTags(page).problems).toEqual([]);
    expect(render()).not.toContain("Tool servers");
  });

  it("is well nested, in English, with one h1, a main and a way past the navigation", () => {
    const page = render();
    const { tags, problems } = parseTags(page);
    expect(problems).toEqual([]);
    const count = (name: string) => tags.filter((tag) => tag.name === name).length;
    expect([count("h1"), count("main"), count("html"), count("title"), count("h2")]).toEqual([1, 1, 1, 1, 1]);
    expect(page).toContain('<html lang="en">');
    expect(page).toMatch(/<body>\s*<a class="skip" href="#agents">/);
    expect(page).toContain('<main id="agents"');
  });

  it("has tables with a caption and scopes on every head, and regions and lists with names", () => {
    const { tags } = parseTags(render());
    const heads = tags.filter(({ name }) => name === "th");
    expect(heads).toHaveLength(7 + agents.length);
    for (const { attributes } of heads) expect(attributes).toMatch(/ scope="(col|row)"/);
    expect(tags.filter(({ name }) => name === "caption")).toHaveLength(1);
    const ids = new Set([...render().matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, id] of render().matchAll(/aria-labelledby="([^"]+)"/g)) expect(ids).toContain(id);
    expect(tags.find(({ name }) => name === "nav")?.attributes).toContain("aria-label=");
    // What scrolls can be reached without a mouse.
    expect(tags.find(({ attributes }) => attributes.includes('class="scroll"'))?.attributes).toContain('tabindex="0"');
  });

  it("says of each agent its model, health, since when, pods, last change and address", () => {
    const page = render();
    for (const text of [
      "openai.gpt-x",
      "degraded",
      "not known",
      "<td>2</td>",
      "2026-11-21 10:00 UTC",
      "http://a/mcp",
    ]) {
      expect(page).toContain(text);
    }
    expect(render({ entryOf: () => undefined })).toContain("not listed");
    expect(render({ instances: [], agents: [] })).toContain("There is no instance yet.");
    expect(render({ agents: [] })).toContain("It has no agents yet.");
    expect(render({ state: { phase: "degraded", since: 0 } })).toContain("No connection to the API server since");
  });

  it("SEC-6 escapes whatever a resource says", () => {
    const page = render();
    expect(page).not.toContain("<script");
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("shows 500 agents and 100 instances; of more it says how many", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => makeAgent(`a-${at}`));
    const rows = (page: string) => page.match(/<th scope="row">/g)?.length ?? 0;
    const [full, over] = [render({ agents: many(shownAgents) }), render({ agents: many(shownAgents + 1) })];
    expect([rows(full), full.includes("more agents")]).toEqual([shownAgents, false]);
    expect([rows(over), over.includes("1 more agents are not shown")]).toEqual([shownAgents, true]);
    const teams = (count: number) => Array.from({ length: count }, (_, at) => makeInstance({}, `i-${at}`));
    expect(render({ instances: teams(shownInstances) })).not.toContain("more instances");
    expect(render({ instances: teams(shownInstances + 1) })).toContain("1 more instances");
  });
});

/** Relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
const contrast = (a: string, b: string) => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

describe("the status page's colours", () => {
  const palettes = [...render().matchAll(/:root\{([^}]+)\}/g)].map(([, text = ""]) =>
    Object.fromEntries(
      [...text.matchAll(/--(\w+):(#[0-9a-f]{6})/g)].map(([, name = "", colour = ""]) => [name, colour]),
    ),
  );

  it("are two palettes, and every colour that is used is in both", () => {
    expect(palettes).toHaveLength(2);
    const used = [...render().matchAll(/var\(--(\w+)\)/g)].map(([, name = ""]) => name);
    for (const palette of palettes) expect(Object.keys(palette)).toEqual(expect.arrayContaining(used));
  });

  it.each([0, 1])("palette %i: every text has a contrast of 4.5 on both backgrounds, borders of 3", (at) => {
    const { background = "", surface = "", border = "", ...texts } = palettes[at] ?? {};
    expect(Object.keys(texts)).toHaveLength(6);
    for (const [name, colour] of Object.entries(texts)) {
      for (const behind of [background, surface]) expect(contrast(colour, behind), name).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(border, background)).toBeGreaterThanOrEqual(3);
  });

  it("the measure is right: black on white is 21", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeLessThan(4.5);
  });
});

describe("GET /", () => {
  let registry: PallasRegistry | undefined;
  afterEach(() => registry?.stop());

  it("may load nothing but its own style, and follows the resources", async () => {
    const source = new MemorySource({ instances: [instance], agents });
    registry = makeRegistry(source);
    const { app } = registry;
    registry.start();
    await vi.waitFor(async () => expect(await (await ask(app, "/")).text()).toContain("degraded"));
    const answer = await ask(app, "/");
    const page = await answer.text();
    const policy = answer.headers.get("content-security-policy") ?? "";
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    expect(policy).toContain(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|script-src/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    source.set({ agents: [makeAgent("archivist")] });
    await expect.poll(async () => (await ask(app, "/")).text()).toContain("archivist");
    for (const [, href = ""] of page.matchAll(/<a href="([^"#]+)"/g)) {
      expect((await ask(app, `/${href}`)).status, href).toBe(200);
    }
  });
});
