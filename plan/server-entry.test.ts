// DSC-6 CAT-10: what is accepted gives an entry that is valid by the published schema, and no entry tells what is not for everybody.
import { Ajv } from "ajv";
import ajvFormats from "ajv-formats";
import fc from "fast-check";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { maxNameChars } from "../crds/names.ts";
import { parseServer } from "./parse.ts";
import { resolveServer } from "./server.ts";
import { renderToolServerEntry } from "./server-entry.ts";
import { sampleInstance, sampleServer, serverManifestOf } from "./testing/resources.ts";

const ajv = new Ajv({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const schema: unknown = JSON.parse(await readFile(new URL("../test/data/server.schema.json", import.meta.url), "utf8"));
const validate = ajv.compile(Object(schema));
const errorsOf = (server: unknown) =>
  validate(server) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

const bridgeUrl = "http://memory-server.default.svc:8080/mcp";
const updatedAt = "2026-11-21T10:00:00Z";
const entryOf = (spec: object, instance: object = {}, url: string | undefined = bridgeUrl) => {
  const resolved = resolveServer(sampleServer("memory", spec), sampleInstance(instance), bridgeUrl);
  return renderToolServerEntry(resolved, resolved.bridge === undefined ? resolved.address.url : url, updatedAt);
};
const npm = { kind: "npm", name: "@acme/server-memory", version: "1.2.3" };
const stdio = { type: "stdio" };
const reached = [{ type: "streamable-http", url: bridgeUrl }];

describe("CAT-10 DSC-6 the entry of a tool server", () => {
  it.each<[string, object, object]>([
    [
      "of npm",
      { package: npm },
      {
        packages: [{ registryType: "npm", identifier: "@acme/server-memory", version: "1.2.3", transport: stdio }],
        remotes: reached,
      },
    ],
    [
      "of pypi, in no version",
      { package: { kind: "pypi", name: "mcp-server-time" } },
      { packages: [{ registryType: "pypi", identifier: "mcp-server-time", transport: stdio }], remotes: reached },
    ],
    [
      "of an image",
      { container: { image: "registry.example/memory:1", command: ["/memory"] } },
      {
        packages: [{ registryType: "oci", identifier: "registry.example/memory:1", transport: stdio }],
        remotes: reached,
      },
    ],
    [
      "elsewhere",
      { remote: { url: "https://tools.example/mcp" } },
      { remotes: [{ type: "streamable-http", url: "https://tools.example/mcp" }] },
    ],
  ])("%s", (_, spec, expected) => {
    const { server } = entryOf(spec);
    expect(server).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "ca.helu.ouranos/memory",
      title: "Memory",
      description: "Memory",
      version: "1.0.0",
      ...expected,
    });
    expect(errorsOf(server)).toEqual([]);
  });

  it("has the name that agents use, its own title and tags, and what is known of its tools", () => {
    const spec = {
      package: npm,
      serverName: "graph.v2",
      title: "Graph",
      description: "Keeps facts.",
      tags: ["a"],
      active: false,
    };
    expect(entryOf(spec)).toMatchObject({
      server: { name: "ca.helu.ouranos/graph.v2", title: "Graph", description: "Keeps facts." },
      _meta: { "ca.helu.pallas/tool_server": { serverName: "graph.v2", active: false, tags: ["a"] } },
    });
    const counted = { ...sampleServer("memory", { package: npm }), status: { toolCount: 9 } };
    const entry = renderToolServerEntry(resolveServer(counted, sampleInstance(), bridgeUrl), bridgeUrl, updatedAt);
    expect(entry._meta["ca.helu.pallas/tool_server"]).toEqual({ serverName: "memory", active: true, toolCount: 9 });
  });

  it("says nothing of arguments, variables, headers and what is behind a bridge", () => {
    const secret = { secretKeyRef: { name: "canary-keys", key: "canary-key" } };
    const env = [
      { name: "CANARY_A", value: "canary-value" },
      { name: "CANARY_B", valueFrom: secret },
    ];
    const headers = [{ name: "X-Canary", valueFrom: secret }];
    const entries = [
      entryOf({ package: { ...npm, args: ["canary-argument"] }, env }),
      entryOf({ remote: { url: "https://canary.example/mcp", headers } }),
      entryOf({ remote: { url: "https://a.example/mcp", headers: [{ name: "X-Canary", value: "canary" }] } }),
      entryOf({ local: { command: "canary", args: ["canary"] } }),
    ];
    expect(JSON.stringify(entries)).not.toMatch(/canary/i);
  });

  it("shows no URL that seems to hold a key, and none where none is known", () => {
    expect(entryOf({ remote: { url: "https://me:pw@a.example/mcp" } }).server.remotes).toEqual([]);
    expect(entryOf({ remote: { url: "https://a.example/mcp?api_key=short" } }).server.remotes).toEqual([]);
    const resolved = resolveServer(sampleServer("memory", { package: npm }), sampleInstance(), "");
    expect(renderToolServerEntry(resolved, undefined, updatedAt).server.remotes).toEqual([]);
  });

  it("keeps its name within what the schema takes: where that of agents is too long, its resource's", () => {
    const longest = "a".repeat(149);
    const [fits, tooLong] = ["b".repeat(50), "b".repeat(51)];
    const nameWith = (serverName: string) =>
      entryOf({ package: npm, serverName }, { registryNamespace: longest }).server.name;
    expect(nameWith(fits)).toBe(`${longest}/${fits}`);
    expect(nameWith(tooLong)).toBe(`${longest}/memory`);
  });

  const text = (maxLength: number) =>
    fc.oneof(fc.string({ unit: "binary", maxLength }), fc.constantFrom("", " ", "😀".repeat(maxLength)));
  const spec = fc.record(
    {
      serverName: fc.stringMatching(/^[a-zA-Z0-9][-a-zA-Z0-9_.]{0,62}$/),
      title: text(100),
      description: text(400),
      source: fc.oneof(
        fc.record({
          package: fc.record(
            {
              kind: fc.constantFrom("npm", "pypi"),
              name: fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._~-]{0,20}$/),
              version: fc.oneof(
                fc.constantFrom("latest", "1.x"),
                fc.stringMatching(/^[0-9A-Za-z][0-9A-Za-z.+!_-]{0,9}$/),
              ),
            },
            { requiredKeys: ["kind", "name"] },
          ),
        }),
        fc.record({ remote: fc.record({ url: fc.webUrl({ withQueryParameters: true, withFragments: true }) }) }),
      ),
    },
    { requiredKeys: ["source"] },
  );

  it("is valid by the published schema, of more than 1,000 generated servers that the API server would let in", () => {
    let judged = 0;
    fc.assert(
      fc.property(spec, fc.stringMatching(/^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/), ({ source, ...rest }, name) => {
        const server = parseServer(serverManifestOf(name.slice(0, maxNameChars), { ...source, ...rest }));
        if (!server.ok) return;
        judged += 1;
        const resolved = resolveServer(server.value, sampleInstance(), bridgeUrl);
        const url = resolved.address.url;
        expect(errorsOf(renderToolServerEntry(resolved, url, updatedAt).server)).toEqual([]);
      }),
      { numRuns: 3_000, seed: 20_261_123 },
    );
    expect(judged).toBeGreaterThan(1_000);
  });
});
