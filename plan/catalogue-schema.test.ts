// CAT-7: what the API server lets in gives a valid entry. Each agent and instance is parsed as a user's manifest is, so
// that a bound that crds/ lacks shows here as an invalid entry.
import { Ajv } from "ajv";
import ajvFormats from "ajv-formats";
import fc from "fast-check";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { maxNameChars } from "../crds/names.ts";
import { renderCatalogueEntry } from "./catalogue.ts";
import { parseAgent, parseInstance } from "./parse.ts";
import { agentManifestOf, instanceManifestOf, sampleAgent, sampleInstance } from "./testing/resources.ts";
import { publishedAgentUrl } from "./urls.ts";

const ajv = new Ajv({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const schema: unknown = JSON.parse(await readFile(new URL("../test/data/server.schema.json", import.meta.url), "utf8"));
const validate = ajv.compile(Object(schema));
const errorsOf = (server: unknown) =>
  validate(server) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength }),
    fc.string({ unit: "grapheme", maxLength }),
    fc.constantFrom("", " ", "\n", "\u200b", "…", "\ud83d", "😀".repeat(maxLength)),
    fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀", "é"), minLength: maxLength - 2, maxLength }),
  );

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/).filter((name) => name.length <= maxNameChars);
const icon = fc.record(
  {
    src: fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.stringMatching(/^https?:\/\/[!-~]{1,20}$/),
    ),
    mimeType: fc.constantFrom("image/png", "image/svg+xml"),
  },
  { requiredKeys: ["src"] },
);
const agentSpec = fc.record(
  {
    title: anyText(100),
    description: anyText(500),
    icons: fc.array(icon, { maxLength: 2 }),
    model: fc.constantFrom("passthrough", "openai.x", "slow.a😀b"),
    modelCapabilities: fc.record(
      { vision: fc.boolean(), contextWindow: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] },
    ),
    port: fc.integer({ min: 1, max: 65_535 }),
  },
  { requiredKeys: [] },
);
const instanceSpec = fc.record(
  {
    registryNamespace: fc.oneof(fc.domain(), fc.stringMatching(/^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,200}[a-zA-Z0-9])?$/)),
    version: fc.constantFrom("1.0.0", "0.0.0-rc.1+b", `1.0.0-${"a".repeat(58)}`),
    externalUrl: fc.constantFrom(
      null,
      { host: "puck.incus" },
      { template: "https://{agent}.example.com:{port}/{instance}/{namespace}/mcp" },
      { template: "http://a b/mcp" },
      { template: "http://a\u2028b/mcp" },
    ),
  },
  { requiredKeys: ["registryNamespace"] },
);

describe("CAT-7 every entry is valid by the published schema", () => {
  it("of more than 1,000 generated agents that the API server would let in", () => {
    let judged = 0;
    fc.assert(
      fc.property(name, agentSpec, instanceSpec, (agentName, ofAgent, ofInstance) => {
        const agent = parseAgent(agentManifestOf(agentName, ofAgent));
        const instance = parseInstance(instanceManifestOf(ofInstance));
        if (!agent.ok || !instance.ok) return;
        judged += 1;
        const entry = renderCatalogueEntry(agent.value, instance.value, publishedAgentUrl(agent.value, instance.value));
        expect(errorsOf(entry.server)).toEqual([]);
        expect(entry.server.name.split("/")).toHaveLength(2);
      }),
      { numRuns: 4_000, seed: 20_261_121 },
    );
    expect(judged).toBeGreaterThan(1_000);
  });

  it("at every limit at once", () => {
    const longest = "a".repeat(maxNameChars);
    const icons = Array.from({ length: 8 }, () => ({ src: `https://e/${"a".repeat(245)}` }));
    const agent = sampleAgent(longest, { title: "😀".repeat(100), description: "😀".repeat(4096), icons });
    const instance = sampleInstance({ registryNamespace: "a".repeat(149) });
    const { server } = renderCatalogueEntry(agent, instance, publishedAgentUrl(agent, instance));
    expect(errorsOf(server)).toEqual([]);
    expect(server.name).toHaveLength(200);
  });

  it("the validator is a real one: it refuses what is wrong", () => {
    const agent = sampleAgent("a");
    const { server } = renderCatalogueEntry(agent, sampleInstance(), "http://a/mcp");
    expect(errorsOf({ ...server, description: "a".repeat(101) })).toEqual([
      "/description must NOT have more than 100 characters",
    ]);
    expect(errorsOf({ ...server, icons: [{ src: "https://e/a", sizes: "any" }] })).not.toEqual([]);
    expect(errorsOf({ ...server, remotes: [{ type: "stdio", url: "x" }] })).not.toEqual([]);
    expect(errorsOf({ ...server, name: "no-slash" })).not.toEqual([]);
  });
});
