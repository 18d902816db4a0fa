// What the tester answers when what is asked is wrong, or the server is.
import { createServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { serveOnLoopback } from "../../lib/mcp/endpoint.fixture.ts";
import { addressOf, serveTester } from "./testing/served-tester.ts";
import { startTried } from "./testing/tried-servers.ts";

async function open() {
  const server = await startTried("2025");
  const tester = await serveTester({ tried: addressOf(server.url) });
  const transient = async () => {
    const { body } = await tester.ask("/api/transient", { body: { url: server.url } });
    return `/api/transient/${String(body["handle"])}`;
  };
  return { server, transient, ...tester };
}
const at = "/api/servers/tried";

describe("DSC-9 a request that is wrong", () => {
  it.each<[string, string, unknown, number, string]>([
    ["no JSON", "call", "{", 400, "JSON"],
    ["no object", "call", "[1]", 400, "object"],
    ["no tool", "call", {}, 422, "tool"],
    ["arguments that are no object", "call", { tool: "echo", args: [] }, 422, "args"],
    ["no uri", "resource/read", {}, 422, "uri"],
    ["an empty uri", "resource/subscribe", { uri: "" }, 422, "uri"],
    ["no name", "prompt/get", {}, 422, "name"],
    [
      "arguments of a prompt that are no texts",
      "prompt/get",
      { name: "greet", arguments: { a: 1 } },
      422,
      "arguments.a",
    ],
    ["an unknown level", "logging-level", { level: "loud" }, 422, "level"],
    ["a uri of 2,049 characters", "resource/read", { uri: "x".repeat(2_049) }, 422, "uri"],
    ["a tool's name of 257 characters", "call", { tool: "x".repeat(257) }, 422, "tool"],
  ])("%s: %s", async (_what, path, body, status, sentence) => {
    const { ask, transient } = await open();
    const answer = await ask(`${await transient()}/${path}`, { method: "POST", body });
    expect(answer.status).toBe(status);
    expect(answer.body["message"]).toContain(sentence);
  });

  it("at its limits: 2,048 characters of a uri reach the server", async () => {
    const { ask } = await open();
    expect((await ask(`${at}/resource/read`, { body: { uri: `test://${"x".repeat(2_041)}` } })).status).toBe(200);
  });

  it("is none of JSON by its media type", async () => {
    const { ask } = await open();
    const { status } = await ask(`${at}/ping`, { body: {}, headers: { "content-type": "text/plain" } });
    expect(status).toBe(415);
  });

  it("names an unknown format of an export, and those there are", async () => {
    const { ask } = await open();
    const { status, body } = await ask(`${at}/export?format=xml`);
    expect(status).toBe(422);
    expect(body["message"]).toContain("vscode");
  });

  it.each([
    [32, 200],
    [33, 422],
  ])("%s roots: %s", async (count, status) => {
    const { ask } = await open();
    const roots = Array.from({ length: count }, (_, n) => ({ uri: `file:///${n}` }));
    expect((await ask("/api/roots", { method: "PUT", body: { roots } })).status).toBe(status);
  });

  it("names roots that are no files", async () => {
    const { ask } = await open();
    const roots = [{ uri: "https://example.com" }];
    expect((await ask("/api/roots", { method: "PUT", body: { roots } })).status).toBe(422);
  });
});

describe("DSC-9 a server", () => {
  it("that does not exist, or is not for the caller, is 404 in the same words", async () => {
    const server = await startTried("2025");
    const { ask } = await serveTester(
      { tried: addressOf(server.url) },
      { findServer: (name) => ({ name, address: addressOf(server.url), offers: () => true }) },
    );
    expect((await ask("/api/servers/tried/info")).status).toBe(200);
    const missing = await open();
    const unseen = await serveTester({ tried: addressOf(server.url) });
    const answers = [
      await missing.ask("/api/servers/nobody/info"),
      await unseen.ask(`${at}/info`, { headers: { "x-servers": "others-*" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(String(answers[1]?.body["message"]).replace("tried", "nobody")).toBe(answers[0]?.body["message"]);
  });

  it("that is not active is 409, one without an address 503, each with its sentence", async () => {
    const { ask } = await serveTester({
      stopped: { problem: "the server is not active: activate it first", status: 409 },
      starting: { problem: "it is being started", status: 503 },
    });
    expect(await ask("/api/servers/stopped/info")).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("activate") },
    });
    const { status, body } = await ask("/api/servers/starting/call", { body: { tool: "x" } });
    expect([status, body["message"]]).toEqual([503, "it is being started"]);
  });

  it("that cannot be reached is 502, and the address is named without its query", async () => {
    const { ask } = await serveTester({ gone: addressOf("http://127.0.0.1:9/mcp?key=hunter2") });
    const { status, body } = await ask("/api/servers/gone/info");
    expect(status).toBe(502);
    expect(body["message"]).toContain("cannot be reached");
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("of a refused address is 502, and nothing is sent", async () => {
    const { ask } = await serveTester({ metadata: addressOf("http://169.254.169.254/mcp") });
    expect((await ask("/api/servers/metadata/info")).status).toBe(502);
  });

  it("that answers with an error: its code and its words", async () => {
    const { ask } = await open();
    const { status, body } = await ask(`${at}/call`, { body: { tool: "nothing" } });
    expect(status).toBe(502);
    expect(body).toMatchObject({
      code: -32_602,
      message: expect.stringContaining("no tool nothing"),
    });
  });

  it("that quotes a header in an error does not show it", async () => {
    const app = await serveOnLoopback(async (request) =>
      Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32_000, message: `bad ${request.headers.get("x-key")}` } },
        { status: 200 },
      ),
    );
    onTestFinished(() => app.stop());
    const { ask } = await serveTester({ rude: addressOf(app.url, { "x-key": "hunter2-hunter2" }) });
    const { status, body } = await ask("/api/servers/rude/info");
    expect(status).toBe(502);
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("that never answers is 504, after its time to connect", async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { ask } = await serveTester(
      { silent: addressOf(`http://127.0.0.1:${port}/mcp`) },
      { bounds: { connectTimeoutMs: 300 } },
    );
    const { status, body } = await ask("/api/servers/silent/info");
    expect(status).toBe(504);
    expect(body["message"]).toContain("silent for 300 ms");
  });
});

test("DSC-9 eight requests of a caller run on one server; the ninth is 429 and another caller's is not", async () => {
  const { ask, close } = await open();
  const hanging = Array.from({ length: 8 }, () => ask(`${at}/call`, { body: { tool: "hang" } }).catch(() => undefined));
  await expect.poll(async () => (await ask(`${at}/ping`, { body: {} })).status, { timeout: 10_000 }).toBe(429);
  expect((await ask(`${at}/ping`, { body: {}, as: "bob" })).status).toBe(200);
  await close();
  await Promise.all(hanging);
});
