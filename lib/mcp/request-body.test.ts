import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEndpoint, type TestEndpoint } from "./endpoint.fixture.ts";
import { bothTypes, callMessage, modernCall, openSession, post, readMessages } from "./raw-client.fixture.ts";

const maxBytes = 5 * 1024 * 1024;
let served: TestEndpoint;

beforeEach(async () => {
  served = await startEndpoint({ bodyLimitBytes: maxBytes });
});
afterEach(() => served.stop());

/** `message` with its text grown so that the body has exactly `bytes` bytes. */
function renderBody(message: ReturnType<typeof callMessage>, bytes: number): string {
  const spare = bytes - JSON.stringify(message).length;
  return JSON.stringify({ ...message, params: { ...message.params, arguments: { text: "x".repeat(spare) } } });
}

/** Posts `body` in chunks, so that it has no Content-Length. */
async function postChunked(body: string, headers: Record<string, string>): Promise<Response> {
  const bytes = new TextEncoder().encode(body);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent + 65_536));
      sent += 65_536;
    },
  });
  const init = { method: "POST", headers: { ...bothTypes, ...headers }, body: stream, duplex: "half" };
  return await fetch(served.url, init);
}

const senders = [
  { how: "with Content-Length", send: post },
  { how: "chunked", send: (_url: string, body: string, headers: Record<string, string>) => postChunked(body, headers) },
];

describe.each(senders)("AGT-10 SEC-6 the body limit, $how", ({ send }) => {
  test.each(["2025", "2026"])(
    "at the limit, which is above that of the SDKs, a call of the %s era works",
    async (era) => {
      const modern = modernCall("echo", { text: "" });
      const headers = era === "2026" ? modern.headers : await openSession(served.url);
      const message = era === "2026" ? modern.message : callMessage("echo", { text: "" });
      const response = await send(served.url, renderBody(message, maxBytes), { ...headers });
      expect(response.status).toBe(200);
      expect(await readMessages(response)).toMatchObject([{ result: { content: [{ type: "text" }] } }]);
    },
  );

  test("one byte past it gets 413 with a JSON-RPC error", async () => {
    const body = renderBody(callMessage("echo", { text: "" }), maxBytes + 1);
    const response = await send(served.url, body, await openSession(served.url));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, message: expect.stringContaining(`${maxBytes} bytes`) },
    });
  });
});

/** The body of a call of an unknown method with `value` among its parameters, padded beyond what is read without counting. */
const holding = (value: string, padding = 0) =>
  `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${value},"pad":"${"[{,:".repeat(padding / 4)}"}}`;
const nest = (depth: number, left: string, right: string) => `${left.repeat(depth)}1${right.repeat(depth)}`;

describe.each([
  { size: "small", padding: 0 },
  { size: "large", padding: 1_000_000 },
])("SEC-6 structure is counted before it is parsed, in a $size body", ({ padding }) => {
  // Two levels are the message's own.
  const cases = [
    { what: "lists 200 deep", body: holding(nest(198, "[", "]"), padding), accepted: true },
    { what: "lists 201 deep", body: holding(nest(199, "[", "]"), padding), accepted: false },
    { what: "objects 200 deep", body: holding(nest(198, '{"a":', "}"), padding), accepted: true },
    { what: "objects 201 deep", body: holding(nest(199, '{"a":', "}"), padding), accepted: false },
  ];

  test.each(cases)("$what: accepted $accepted", async ({ body, accepted }) => {
    for (const { send } of senders) {
      const response = await send(served.url, body, await openSession(served.url));
      const code = accepted ? -32_601 : -32_600;
      expect(response.status).toBe(accepted ? 200 : 400);
      expect(await readMessages(response)).toMatchObject([{ error: { code } }]);
    }
  });
});

test.each([
  { structure: 200_000, accepted: true },
  { structure: 200_001, accepted: false },
])("SEC-6 a body with $structure structural characters: accepted $accepted", async ({ structure, accepted }) => {
  // Those of the message without the list's commas.
  const own = holding("[1]").replaceAll(/[^[\]{}:,]/g, "").length;
  const body = holding(`[1${",1".repeat(structure - own)}]`);
  for (const { send } of senders) {
    const response = await send(served.url, body, await openSession(served.url));
    expect(response.status).toBe(accepted ? 200 : 400);
    const problem = { code: -32_600, message: expect.stringContaining("more than 200000 structural characters") };
    expect(await readMessages(response)).toMatchObject([{ error: accepted ? { code: -32_601 } : problem }]);
  }
});

describe("SEC-6 bad input gets a 4xx with a JSON-RPC error", () => {
  const call = JSON.stringify(callMessage("whoami"));
  const nested = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}}`;
  const cases: [name: string, body: string, headers: Record<string, string>, status: number, code: number][] = [
    ["no JSON", "{", {}, 400, -32700],
    ["an empty body", "", {}, 400, -32700],
    ["a batch", `[${call}]`, {}, 400, -32600],
    ["null", "null", {}, 400, -32600],
    ["a number", "7", {}, 400, -32600],
    ["another content type", "{}", { "content-type": "text/plain" }, 415, -32000],
    ["an object that is no message", '{"a":1}', {}, 400, -32600],
    ["an Accept without event streams", call, { accept: "application/json" }, 406, -32000],
    ["an unknown protocol version", call, { "mcp-protocol-version": "1999-01-01" }, 400, -32000],
    ["unfinished deep nesting", "[".repeat(200_000), {}, 400, -32600],
    ["deep nesting in the params of an unknown method", nested, {}, 400, -32600],
  ];

  test.each(cases)("%s", async (_name, body, headers, status, code) => {
    const response = await post(served.url, body, { ...(await openSession(served.url)), ...headers });
    expect(response.status).toBe(status);
    expect(await readMessages(response)).toMatchObject([{ jsonrpc: "2.0", error: { code } }]);
  });

  test("invalid UTF-8", async () => {
    const body = new Uint8Array([0x22, 0xff, 0x22]);
    const response = await fetch(served.url, { method: "POST", headers: bothTypes, body });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32700 } }]);
  });

  test.each(["PUT", "PATCH"])("the method %s gets 405 with Allow", async (method) => {
    // oxlint-disable-next-line unicorn/no-invalid-fetch-options -- the method is never GET here
    const response = await fetch(served.url, { method, headers: bothTypes, body: "{}" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
  });

  test("a 2026-era call whose header names another tool is refused", async () => {
    const { message, headers } = modernCall("whoami");
    const response = await post(served.url, message, { ...headers, "mcp-name": "echo" });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32020 } }]);
  });

  test("a body that ends early does not disturb the next request", async () => {
    const controller = new AbortController();
    const stream = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new Uint8Array([0x7b])) });
    const init = { method: "POST", headers: bothTypes, body: stream, duplex: "half", signal: controller.signal };
    const cut = fetch(served.url, init).catch(() => undefined);
    controller.abort();
    await cut;
    expect(await openSession(served.url)).toHaveProperty("mcp-session-id");
  });
});
