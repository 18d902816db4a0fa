// The OpenAPI document: valid, whole, and true of what is answered.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { echoTool, openServerScene, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { openApiPath, renderOpenApi } from "./document.ts";

const openApi = JSON.parse(JSON.stringify(renderOpenApi("1.2.3")));
const methods = ["get", "post", "put", "delete"];

describe("DSC-8 the OpenAPI document", () => {
  it("is valid by the schema of the OpenAPI Initiative, and served", async () => {
    expect(await new Validator().validate(structuredClone(openApi))).toEqual({ valid: true });
    const { ask } = openServerScene();
    expect((await ask("GET", openApiPath)).body).toEqual(openApi);
  });

  it("describes every route that is served, and serves every one that it describes", () => {
    const served = openServerScene()
      .app.routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const described = Object.keys(openApi.paths).flatMap((path) =>
      methods.filter((method) => openApi.paths[path][method] !== undefined).map((method) => `${method} ${path}`),
    );
    expect(new Set(served)).toEqual(new Set(described));
  });

  it("is true of what is answered, with no field that it does not name", async () => {
    const closed = JSON.parse(
      JSON.stringify(openApi).replaceAll(
        '"type":"object","properties"',
        '"additionalProperties":false,"type":"object","properties"',
      ),
    );
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(closed, "openapi");
    const mcp = await startMcpServer([echoTool("read")]);
    const { ask, state, servers } = openServerScene();
    state.put(remoteServer("files", mcp.url));
    await expect.poll(() => servers.all()[0]?.health.status).toBe("healthy");
    await ask("POST", "/api/servers/files/call", { body: { tool: "read" } });
    const asked: [string, string, string, object?][] = [
      ["GET", "/health", "/health"],
      ["GET", "/api/prereqs", "/api/prereqs"],
      ["GET", "/api/servers", "/api/servers"],
      ["GET", "/api/servers/files", "/api/servers/{id}"],
      ["GET", "/api/servers/files/pins", "/api/servers/{id}/pins"],
      ["GET", "/api/servers/files/metrics", "/api/servers/{id}/metrics"],
      ["GET", "/api/metrics", "/api/metrics"],
      ["GET", "/api/status", "/api/status"],
      ["GET", "/api/logs", "/api/logs"],
      ["GET", "/api/browse", "/api/browse"],
      ["POST", "/api/servers/files/health", "/api/servers/{id}/health"],
      ["POST", "/api/servers/files/activate", "/api/servers/{id}/activate"],
      ["POST", "/api/servers", "/api/servers", { name: "x", command: "npx", args: ["pkg"] }],
    ];
    for (const [method, path, template, body] of asked) {
      const answer = await ask(method, path, body && { body });
      const parts = [
        "paths",
        template,
        method.toLowerCase(),
        "responses",
        String(answer.status),
        "content",
        "application/json",
        "schema",
      ];
      const pointer = parts
        .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
        .join("/");
      const validate = ajv.getSchema(`openapi#/${pointer}`);
      expect([template, validate?.(answer.body), validate?.errors]).toEqual([template, true, null]);
    }
  });
});
