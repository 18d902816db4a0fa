import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeEndpoint, makeInstance } from "../testing/resources.ts";
import { renderOpenApi } from "./document.ts";

const openApi = renderOpenApi();
type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };
const paths: Record<string, Record<string, Operation>> = JSON.parse(JSON.stringify(openApi.paths));
const methods = ["get", "put", "post", "delete", "patch"];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(JSON.stringify(openApi)), "openapi");

/** JSON pointer of a part of the document. */
const pointer = (...parts: string[]) =>
  `openapi#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

/** What is wrong with an answer to a request of `method` and `template`, by the document. */
async function judge(method: string, template: string, answer: Response): Promise<string[]> {
  const described = paths[template]?.[method]?.responses[String(answer.status)];
  if (described === undefined) return [`${method} ${template} does not describe ${answer.status}`];
  const body = await answer.text();
  if (described.content === undefined) return body === "" ? [] : [`${answer.status} has a body`];
  const type = answer.headers.get("content-type") ?? "";
  if (described.content[type] === undefined) return [`${template} does not describe ${type}`];
  const schema = pointer("paths", template, method, "responses", String(answer.status), "content", type, "schema");
  const validate = ajv.getSchema(schema);
  if (validate === undefined) return [`there is no schema ${schema}`];
  const isValid = validate(type === "application/json" ? JSON.parse(body) : body);
  return isValid
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${template} ${instancePath} ${message}`);
}

let registry: PallasRegistry;
let unsynced: PallasRegistry;
const source = new MemorySource({
  instances: [makeInstance()],
  agents: [
    makeAgent("research", {
      title: "Große 😀 Recherche",
      description: "long ".repeat(60),
      icons: [{ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }],
      modelCapabilities: { vision: true },
    }),
    { ...makeAgent("coder"), status: { health: "degraded", readyReplicas: 1, url: "http://coder/mcp" } },
    makeAgent("gone"),
    makeAgent("orphan", { instanceRef: { name: "nobody" } }),
  ],
  endpoints: [makeEndpoint("coder", "http://127.0.0.1:9")],
  unreadable: ["PallasAgent agents/odd: spec.model"],
});

beforeAll(async () => {
  registry = makeRegistry(source);
  unsynced = makeRegistry(new MemorySource({ state: { phase: "starting", since: 0 } }));
  registry.start();
  unsynced.start();
  await vi.waitUntil(async () => (await ask(registry.app, "/readyz")).status === 200);
  source.set({ agents: source.agents().filter(({ metadata }) => metadata.name !== "gone") });
  const catalogue = async () => (await ask(registry.app, "/.well-known/mcp/server.json")).text();
  await vi.waitUntil(async () => !(await catalogue()).includes("gone"));
});
afterAll(() => Promise.all([registry.stop(), unsynced.stop()]));

/** Values that lead to an answer, and those that lead to 404. */
const fill = (template: string, name = "ca.helu.ouranos%2Fresearch", version = "latest") =>
  template
    .replace("{name}", name)
    .replace("{namespace}/{slug}", name.replace("%2F", "/"))
    .replace("{version}", version);

describe("CAT-10 /openapi.json", () => {
  it("describes every route that is served, and serves every one that it describes", () => {
    const served = registry.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const described = Object.entries(paths).flatMap(([path, item]) =>
      methods.filter((method) => item[method] !== undefined).map((method) => `${method} ${path}`),
    );
    expect(new Set(served)).toEqual(new Set(described));
    expect(described.length).toBeGreaterThan(25);
  });

  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method] !== undefined).map((method): [string, string] => [method, path]),
  );
  it.each(operations)("%s %s answers as it says, in every way it can be made to", async (method, template) => {
    const requests: [PallasRegistry, string, Record<string, string>][] = [
      [registry, fill(template), {}],
      [registry, fill(template), { host: "evil.example" }],
      [registry, fill(template, "ca.helu.ouranos%2Fnobody"), {}],
      [registry, fill(template, undefined, "9.9.9"), {}],
      [registry, `${fill(template, "ca.helu.ouranos%2Fgone")}?include_deleted=true&limit=1`, {}],
      [registry, `${fill(template)}?limit=0`, {}],
      [unsynced, fill(template), {}],
    ];
    const seen = new Set<number>();
    for (const [{ app }, path, headers] of requests) {
      const answer = await ask(app, path, { method: method.toUpperCase(), headers });
      seen.add(answer.status);
      const etag = answer.headers.get("etag");
      expect(await judge(method, template, answer)).toEqual([]);
      if (etag === null || method !== "get") continue;
      const again = await ask(app, path, { headers: { ...headers, "if-none-match": etag } });
      seen.add(again.status);
      expect(await judge(method, template, again)).toEqual([]);
    }
    const described = Object.keys(paths[template]?.[method]?.responses ?? {}).map(Number);
    expect(seen).toEqual(new Set(described));
  });

  it("is valid by the schema that the OpenAPI Initiative has for 3.1", async () => {
    const served = await (await ask(registry.app, "/openapi.json")).json();
    expect(await new Validator().validate(structuredClone(served))).toEqual({ valid: true });
    delete served.paths["/v0.1/servers"].get.parameters[0].schema;
    expect(await new Validator().validate(served)).toMatchObject({ valid: false });
  });

  it("is the document that is served, and names the schemas that it has", async () => {
    const answer = await ask(registry.app, "/openapi.json");
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApi)));
    const names = [...JSON.stringify(openApi).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(openApi.components.schemas)));
  });

  it("tells of every parameter what its reader takes", () => {
    const { parameters = [] } = openApi.paths["/v0.1/servers"]?.["get"] ?? {};
    expect(parameters.map(({ name, schema }) => [name, schema])).toEqual([
      ["cursor", { type: "string" }],
      ["limit", { type: "integer", minimum: 1, maximum: 100, default: 30 }],
      ["search", { type: "string", maxLength: 200 }],
      ["updated_since", { type: "string", format: "date-time" }],
      ["version", { type: "string", maxLength: 255 }],
      ["include_deleted", { type: "boolean" }],
    ]);
  });

  it.each(operations)("%s %s has the parameters of its path", (method, template) => {
    const { parameters = [] } = openApi.paths[template]?.[method] ?? {};
    const named = parameters.filter((each) => each.in === "path").map(({ name }) => `{${name}}`);
    expect(named).toEqual(template.match(/\{\w+\}/g) ?? []);
  });

  it("the schemas are real ones: they refuse what is wrong", async () => {
    const { servers, metadata } = await (await ask(registry.app, "/v0.1/servers")).json();
    const wrong = [
      { servers },
      { servers: [{ server: servers[0].server }], metadata },
      { servers: [{ ...servers[0], server: { ...servers[0].server, description: "" } }], metadata },
      {
        servers: [{ ...servers[0], server: { ...servers[0].server, icons: [{ src: "https://a/b", sizes: "any" }] } }],
        metadata,
      },
      { servers, metadata: { ...metadata, nextCursor: null } },
      { servers, metadata: { ...metadata, more: true } },
    ];
    const judgeList = (body: object) =>
      judge(
        "get",
        "/v0.1/servers",
        new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } }),
      );
    for (const body of wrong) expect(await judgeList(body)).not.toEqual([]);
    // What the registry project adds to a server is no problem.
    const added = { ...servers[0], server: { ...servers[0].server, websiteUrl: "https://example.com" } };
    expect(await judgeList({ servers: [added], metadata })).toEqual([]);
  });
});
