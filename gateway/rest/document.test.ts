// The OpenAPI document: valid, whole, and true of what is answered.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import { createBrowser } from "../discovery/browse/browser.ts";
import { serveDirectory } from "../directory/serve.ts";
import { agent, card, endpoint } from "../directory/testing/bodies.ts";
import { createMemoryStore, createTestDirectory } from "../directory/testing/directory.ts";
import { addressOf, serveTester } from "../tester/testing/served-tester.ts";
import { testConfig } from "../testing/resources.ts";
import { emptyState } from "../testing/served-gateway.ts";
import { echoTool, openServerScene, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { localWrites } from "../writes/local-writes.ts";
import { openApiPath } from "./described-route.ts";
import { renderOpenApi } from "./document.ts";
import { serveToolServers } from "./serve.ts";

const openApi = JSON.parse(JSON.stringify(renderOpenApi("1.2.3")));
const methods = ["get", "post", "put", "delete"];

/** What of an answer is not as the document says; nothing may stand there that it does not name. */
function createComparison() {
  const closed = JSON.parse(
    JSON.stringify(openApi).replaceAll(
      '"type":"object","properties"',
      '"additionalProperties":false,"type":"object","properties"',
    ),
  );
  closed.components.schemas.ServerCard.additionalProperties = true;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(closed, "openapi");
  const escape = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
  return (method: string, template: string, { status, body }: { status: number; body: unknown }) => {
    const answered = ["paths", template, method.toLowerCase(), "responses", String(status)];
    const pointer = [...answered, "content", "application/json", "schema"].map(escape).join("/");
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    if (validate === undefined) return [`${method} ${template} answers ${status}, which is not described`];
    return validate(body) === true ? [] : [method, template, status, ...(validate.errors ?? [])];
  };
}

describe("DSC-8 DSC-9 DIR-1 the OpenAPI document", { timeout: 30_000 }, () => {
  it("is valid by the schema of the OpenAPI Initiative, and served", async () => {
    expect(await new Validator().validate(structuredClone(openApi))).toEqual({ valid: true });
    const { ask } = openServerScene();
    expect((await ask("GET", openApiPath)).body).toEqual(openApi);
  });

  it("describes every route that is served, and serves every one that it describes", () => {
    const config = testConfig();
    const state = emptyState(() => undefined);
    const common = { config, log: silentLog(), clock };
    const metrics = { countToolCall: () => undefined };
    const place = { state, writesFor: localWrites };
    const browser = createBrowser({ readSources: async () => [], clock });
    const servers = serveToolServers({
      ...common,
      approvals: { list: () => [], onChange: () => () => undefined },
      policy: openPolicy(),
      place,
      rules: { mode: "local" },
      browser,
      metrics,
    });
    const directory = serveDirectory({ ...common, state, store: createMemoryStore() });
    onTestFinished(async () => void (await Promise.all([servers.close(), directory.close()])));
    // The WebSocket, and MCP.
    const others = new Set(["/", "/ws", "/directory/mcp"]);
    const served = [...servers.routes, directory.routes]
      .flatMap(({ routes }) => routes)
      .filter(({ method, path }) => method !== "ALL" && !others.has(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const described = Object.keys(openApi.paths).flatMap((path) =>
      methods.filter((method) => openApi.paths[path][method] !== undefined).map((method) => `${method} ${path}`),
    );
    expect([...new Set(served)].toSorted()).toEqual(described.toSorted());
  });

  it("says what each route answers", () => {
    for (const path of Object.keys(openApi.paths)) {
      for (const { responses } of methods.flatMap((method) => openApi.paths[path][method] ?? [])) {
        const [status = "", answer = {}] = Object.entries<object>(responses)[0] ?? [];
        expect([path, status === "204" || "content" in answer]).toEqual([path, true]);
      }
    }
  });

  it("is true of what REST answers", async () => {
    const compare = createComparison();
    const mcp = await startMcpServer([echoTool("read")]);
    const { ask, state, servers } = openServerScene();
    state.put(remoteServer("files", mcp.url));
    await expect.poll(() => servers.all()[0]?.health.status, { timeout: 10_000 }).toBe("healthy");
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
      ["GET", "/api/servers/nobody", "/api/servers/{id}"],
    ];
    for (const [method, path, template, body] of asked) {
      expect(compare(method, template, await ask(method, path, body && { body }))).toEqual([]);
    }
  });

  it("is true of what the tester answers", async () => {
    const compare = createComparison();
    const { url } = await startMcpServer([echoTool("read")]);
    const { ask } = await serveTester({ files: addressOf(url) });
    const opened = await ask("/api/transient", { body: { url } });
    expect(compare("POST", "/api/transient", opened)).toEqual([]);
    const places = [
      ["/api/servers/files/", "/api/servers/{id}/"],
      [`/api/transient/${String(opened.body["handle"])}/`, "/api/transient/{handle}/"],
    ] as const;
    const asked: [string, string, object?][] = [
      ...["info", "tools", "resources", "resource-templates", "prompts", "export", "roots"].map(
        (path): [string, string] => ["GET", path],
      ),
      ...["logs/notifications", "logs/progress", "elicitations"].map((path): [string, string] => ["GET", path]),
      ["POST", "ping", {}],
      ["POST", "resource/read", { uri: "file:///a" }],
      ["PUT", "roots", { roots: [{ uri: "file:///a", name: "a" }] }],
      ["POST", "logging-level", { level: "none" }],
    ];
    for (const [place, template] of places) {
      for (const [method, path, body] of asked) {
        expect(
          compare(method, `${template}${path}`, await ask(`${place}${path}`, { method, ...(body && { body }) })),
        ).toEqual([]);
      }
    }
    const transient = `/api/transient/${String(opened.body["handle"])}`;
    const called = await ask(`${transient}/call`, { body: { tool: "read" } });
    expect(compare("POST", "/api/transient/{handle}/call", called)).toEqual([]);
    expect(compare("DELETE", "/api/transient/{handle}", await ask(transient, { method: "DELETE" }))).toEqual([]);
    expect(compare("GET", "/api/transient/{handle}/info", await ask(`${transient}/info`))).toEqual([]);
  });

  it("is true of what the directory answers", async () => {
    const compare = createComparison();
    const { ask } = createTestDirectory();
    const answer = async (method: string, path: string, template: string, body?: object) => {
      const response = await ask(method, path, body);
      const answered = { status: response.status, body: await response.json() };
      expect(compare(method, template, answered)).toEqual([]);
      return answered.body;
    };
    const { id, endpoints } = await answer("POST", "/agents", "/agents", agent());
    await answer("POST", "/agents", "/agents", agent({ capabilities: [{ name: "c", tags: ["t"] }] }));
    const server = await answer("POST", "/mcp/servers", "/mcp/servers", { serverCard: card() });
    await answer("GET", `/mcp/servers/${server.id}`, "/mcp/servers/{id}");
    await answer("GET", "/mcp/servers?page=1", "/mcp/servers");
    await answer("GET", "/discover/agents", "/discover/agents");
    await answer("GET", `/agents/${id}`, "/agents/{id}");
    await answer("PUT", `/agents/${id}`, "/agents/{id}", { name: "Weather" });
    await answer("POST", `/agents/${id}/endpoints`, "/agents/{id}/endpoints", endpoint({ name: "b" }));
    const at = `/agents/${id}/endpoints/${endpoints[0].id}`;
    await answer("GET", at, "/agents/{id}/endpoints/{endpointId}");
    await answer("PUT", at, "/agents/{id}/endpoints/{endpointId}", endpoint());
    await answer("POST", `${at}/renew`, "/agents/{id}/endpoints/{endpointId}/renew");
    await answer("GET", "/discover/agents?page=0", "/discover/agents");
    await answer("POST", "/agents", "/agents", { name: 7 });
    await answer("GET", "/agents/nothing", "/agents/{id}");
  });
});
