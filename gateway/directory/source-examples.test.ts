// What people who come from another directory send and read, in the words and shapes that they know: each example of its page on MCP
// as a case.
import { describe, expect, it } from "vitest";
import { createTestDirectory } from "./testing/directory.ts";

const genericRegistration = {
  name: "Weather Server",
  capabilities: [{ name: "get_weather", description: "Gets current weather", tags: ["tool", "mcp"] }],
  endpoints: [
    {
      name: "streamable-http",
      transport: "Http",
      protocol: "MCP",
      address: "https://weather.example.com/mcp",
      livenessModel: "Persistent",
      heartbeatIntervalSeconds: 30,
    },
  ],
};

const nativeRegistration = `{
  "serverCard": {
    "mcpVersion": "2025-11-25",
    "serverInfo": { "name": "Weather Server", "version": "1.0.0" },
    "endpoints": { "streamableHttp": "https://weather.example.com/mcp" },
    "capabilities": { "tools": { "listChanged": true } },
    "tools": [{
      "name": "get_weather",
      "description": "Gets current weather for a location",
      "inputSchema": {
        "type": "object",
        "properties": { "location": { "type": "string" } },
        "required": ["location"]
      }
    }],
    "instructions": "Use get_weather to fetch live weather data."
  }
}`;

const fullCard = {
  mcpVersion: "2025-11-25",
  serverInfo: { name: "My Server", version: "1.0.0" },
  endpoints: { streamableHttp: "https://server.example.com/mcp" },
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: false },
  },
  tools: [{ name: "add", title: "Add", inputSchema: { type: "object" }, outputSchema: { type: "object" } }],
  resources: [{ uri: "file:///a.txt", name: "a", mimeType: "text/plain" }],
  prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }],
  authentication: { type: "oauth2" },
};

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

describe("DIR-1 DIR-4 flow 1: generic registration", () => {
  it("answers 201 with the agent, its id and its endpoints", async () => {
    const { ask } = createTestDirectory();
    const response = await ask("POST", "/agents", genericRegistration);
    expect(response.status).toBe(201);
    const agent = await response.json();
    expect(response.headers.get("location")).toBe(`/agents/${agent.id}`);
    expect(agent).toEqual({
      id: expect.stringMatching(idPattern),
      name: "Weather Server",
      description: null,
      ownerId: "person caller",
      labels: {},
      capabilities: [
        { id: `${agent.id}/0`, name: "get_weather", description: "Gets current weather", tags: ["tool", "mcp"] },
      ],
      endpoints: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          ...genericRegistration.endpoints[0],
          ttlSeconds: null,
          isLive: true,
          liveness: "live",
          protocolMetadata: null,
        },
      ],
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    });
  });

  it("synthesises the server card from what was registered: capabilities by their tags, no descriptors", async () => {
    const { json } = createTestDirectory();
    const { id } = await json("POST", "/agents", genericRegistration);
    const card = {
      mcpVersion: "2025-11-25",
      serverInfo: { name: "Weather Server", version: "unknown" },
      endpoints: { streamableHttp: "https://weather.example.com/mcp" },
      capabilities: { tools: {} },
      id,
      isLive: true,
    };
    expect(await json("GET", `/mcp/servers/${id}`)).toEqual(card);
    expect((await json("GET", "/mcp/servers")).items).toEqual([card]);
  });
});

describe("DIR-4 flow 2: MCP-native registration", () => {
  it("preserves descriptors and schemas, and keeps 30 s heartbeats", async () => {
    const { ask, json } = createTestDirectory();
    const submitted = JSON.parse(nativeRegistration).serverCard;
    const response = await ask("POST", "/mcp/servers", nativeRegistration);
    expect(response.status).toBe(201);
    const card = await response.json();
    expect(response.headers.get("location")).toBe(`/mcp/servers/${card.id}`);
    expect(card).toEqual({ ...submitted, id: expect.stringMatching(idPattern), isLive: true });
    expect(await json("GET", `/mcp/servers/${card.id}`)).toEqual(card);
    expect((await json("GET", `/agents/${card.id}`)).endpoints).toMatchObject([
      {
        name: "streamable-http",
        transport: "Http",
        protocol: "MCP",
        address: "https://weather.example.com/mcp",
        livenessModel: "Persistent",
        heartbeatIntervalSeconds: 30,
      },
    ]);
  });

  it("is identical to the submitted card, as its author wrote it", async () => {
    const { ask } = createTestDirectory();
    const card = nativeRegistration
      .slice(nativeRegistration.indexOf("{", 1), nativeRegistration.lastIndexOf("}"))
      .trim();
    const text = await (await ask("POST", "/mcp/servers", nativeRegistration)).text();
    const { id } = JSON.parse(text);
    expect(text).toBe(card.replace(/\s*\}$/, `,"id":"${id}","isLive":true$&`));
    expect(await (await ask("GET", `/mcp/servers/${id}`)).text()).toBe(text);
  });

  it("keeps authentication, outputSchema, title, mimeType, prompt arguments, listChanged and subscribe", async () => {
    const { json } = createTestDirectory();
    const { id } = await json("POST", "/mcp/servers", { serverCard: fullCard });
    expect(await json("GET", `/mcp/servers/${id}`)).toEqual({ ...fullCard, id, isLive: true });
  });
});

describe("DIR-4 mapping of capabilities", () => {
  const capabilitiesOf = async (card: object) => {
    const { json } = createTestDirectory();
    const { id } = await json("POST", "/mcp/servers", { serverCard: { ...fullCard, ...card } });
    const { capabilities } = await json("GET", `/agents/${id}`);
    return capabilities.map(({ name, description, tags }: Record<string, unknown>) => [name, description, tags]);
  };

  it("makes one of each tool, resource and prompt, tagged so", async () => {
    expect(await capabilitiesOf({})).toEqual([
      ["add", null, ["tool", "mcp"]],
      ["a", null, ["resource", "mcp"]],
      ["greet", null, ["prompt", "mcp"]],
    ]);
  });

  it("makes a single one where a capability is declared and nothing described", async () => {
    expect(await capabilitiesOf({ tools: [], resources: [], prompts: [] })).toEqual([
      ["tools", "Exposes callable tools", ["tool", "mcp"]],
      ["resources", "Exposes readable resources", ["resource", "mcp"]],
      ["prompts", "Exposes prompt templates", ["prompt", "mcp"]],
    ]);
    expect(await capabilitiesOf({ capabilities: {}, tools: [], resources: [], prompts: [] })).toEqual([]);
  });

  it("lets GET /discover/agents?tags=tool,mcp find MCP servers beside agents of other protocols", async () => {
    const { json } = createTestDirectory();
    const a2a = { transport: "Http", protocol: "A2A", address: "https://a.example", livenessModel: "Ephemeral" };
    await json("POST", "/mcp/servers", nativeRegistration);
    await json("POST", "/agents", {
      name: "A2A agent",
      capabilities: [{ name: "call", tags: ["tool", "mcp"] }],
      endpoints: [{ name: "primary", ...a2a }],
    });
    await json("POST", "/agents", { name: "Without tools", endpoints: [{ name: "primary", ...a2a }] });
    const { items, totalCount } = await json("GET", "/discover/agents?tags=tool,mcp");
    expect(items.map(({ name }: { name: string }) => name)).toEqual(["A2A agent", "Weather Server"]);
    expect(totalCount).toBe(2);
  });
});

describe("DIR-4 what is not served", () => {
  it("is no well-known document that would name the directory an MCP server", async () => {
    const { ask } = createTestDirectory();
    expect((await ask("GET", "/.well-known/mcp.json")).status).toBe(404);
  });

  it("are cards of what speaks no MCP over HTTP: GET /mcp/servers has its own protocol and transport", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", {
      name: "A2A agent",
      endpoints: [
        { name: "p", transport: "Http", protocol: "A2A", address: "https://a.example", livenessModel: "Ephemeral" },
      ],
    });
    expect((await ask("GET", `/mcp/servers/${id}`)).status).toBe(404);
    expect(await json("GET", "/mcp/servers")).toMatchObject({ items: [], totalCount: 0 });
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
  });
});

describe("DIR-2 liveness of MCP servers", () => {
  it("is derived at query time, and lets a server that scales to zero be Ephemeral with a short TTL", async () => {
    const { ask, json, clock } = createTestDirectory();
    const [endpoint] = genericRegistration.endpoints;
    const { heartbeatIntervalSeconds: _, ...other } = endpoint ?? {};
    const endpoints = [{ ...other, livenessModel: "Ephemeral", ttlSeconds: 20 }];
    const {
      id,
      endpoints: [{ id: endpointId }],
    } = await json("POST", "/agents", { ...genericRegistration, endpoints });
    const isLive = async () => (await json("GET", `/mcp/servers/${id}`)).isLive;
    await clock.advance(20_000);
    expect(await isLive()).toBe(true);
    await clock.advance(1);
    expect(await isLive()).toBe(false);
    expect((await ask("POST", `/agents/${id}/endpoints/${endpointId}/renew`)).status).toBe(204);
    expect(await isLive()).toBe(true);
  });
});

describe("DIR-5 transports", () => {
  const [endpoint] = genericRegistration.endpoints;
  it.each([
    [
      "stdio",
      { transport: "Stdio", address: "npx some-server" },
      /endpoints\[0\]\.transport: a stdio server runs on the machine of its client/,
    ],
    ["HTTP+SSE", { transport: "Sse" }, /endpoints\[0\]\.transport: HTTP\+SSE was replaced by Streamable HTTP/],
    [
      "an MCP server over another transport",
      { transport: "WebSocket", address: "wss://a.example" },
      /endpoints\[0\]\.transport: an MCP server is registered with transport Http/,
    ],
    ["an address that is no URL", { address: "weather" }, /endpoints\[0\]\.address: must be an http or https URL/],
  ])("%s is refused with the reason", async (_what, changes, message) => {
    const { json } = createTestDirectory();
    const body = { ...genericRegistration, endpoints: [{ ...endpoint, ...changes }] };
    expect(await json("POST", "/agents", body, { status: 422 })).toMatchObject({
      error: "invalid",
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["stdio", { stdio: { command: "npx" } }, /stdio server runs on the machine of its client/],
    ["HTTP+SSE", { sse: "https://a.example/sse" }, /HTTP\+SSE was replaced/],
    ["nothing", {}, /give its URL/],
  ])(
    "a card with %s in place of endpoints.streamableHttp is refused with the reason",
    async (_what, endpoints, message) => {
      const { json } = createTestDirectory();
      const answer = await json("POST", "/mcp/servers", { serverCard: { ...fullCard, endpoints } }, { status: 422 });
      expect(answer.message).toMatch(/^serverCard\.endpoints\.streamableHttp is missing: /);
      expect(answer.message).toMatch(message);
    },
  );
});
