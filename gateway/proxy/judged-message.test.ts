// Messages to agents through the proxy by the gateway's policy (MGM-5): what is denied reaches no agent, whatever form it comes in.
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { createGatewayPolicy } from "../policy/gateway-policy.ts";
import { openServerScene, policyName } from "../testing/server-scene.ts";
import { startProxy, startUpstream } from "./proxy.fixture.ts";

const match = { servers: ["clerk"], tools: ["send_message"], args: [{ path: "/message", glob: "*pay*" }] };
const rules = { rules: [{ name: "pay", match, action: "denyAbort", reason: "people pay" }], default: "allow" };

async function open(policySpec: object = rules) {
  const received: string[] = [];
  const upstream = await startUpstream((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      received.push(body.toString());
      outgoing.end("{}");
    });
  });
  const { state } = openServerScene();
  state.putPolicy(policySpec);
  const never = async () => {
    throw new Error("nobody is asked here");
  };
  const policy = createGatewayPolicy({
    config: { policyRef: policyName },
    state,
    approvals: { ask: never, open: never, wait: never, use: never, decideAsCaller: never },
    metrics: { countPolicyDecision: () => undefined },
    log: createLogger({ logger: "test", level: "SILENT" }),
    clock: systemClock,
  });
  const proxy = await startProxy(upstream, { policy });
  onTestFinished(async () => {
    await proxy.stop();
    await upstream.stop();
  });
  const send = async (body: string | object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${proxy.url}/proxy/clerk/mcp`, {
      method: "POST",
      headers: { "x-caller": "ann", "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) };
  };
  return { send, received, proxy };
}

const message = (text: string, id: unknown = 7) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name: "send_message", arguments: { message: text }, _meta: { progressToken: 1 } },
});

describe("MGM-5 a message to an agent through the proxy", () => {
  it("goes on as it was read where it is allowed", async () => {
    const { send, received } = await open();
    expect((await send(message("hello"))).status).toBe(200);
    expect(received.map((text) => JSON.parse(text))).toEqual([message("hello")]);
  });

  it("is answered by the error of policies where it is denied", async () => {
    const { send, received, proxy } = await open();
    expect(await send(message("please pay"))).toEqual({
      status: 200,
      body: {
        ...{ jsonrpc: "2.0", id: 7 },
        error: {
          code: -32_950,
          message: "policy_denied",
          data: { type: "policy_denied", decision: "deny_abort", reason: "people pay" },
        },
      },
    });
    expect(received).toEqual([]);
    expect(proxy.ended.map(({ outcome }) => outcome)).toEqual(["refused"]);
  });

  it.each([
    [
      "a key twice",
      '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"send_message","arguments":{"message":"pay"}}}',
    ],
    [
      "escaped letters",
      '{"id":1,"method":"tools\\u002fcall","params":{"name":"send\\u005fmessage","arguments":{"message":"p\\u0061y"}}}',
    ],
    ["a list", JSON.stringify([message("pay")])],
    ["no JSON", '{"method":"tools/call",'],
    ["a byte order mark twice", `\u{feff}\u{feff}${JSON.stringify(message("pay"))}`],
    ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`.slice(0, 900)],
  ])("reaches nobody by %s", async (_, text) => {
    const { send, received } = await open();
    const { status, body } = await send(text, { "mcp-method": "ping" });
    expect(body).toMatchObject({ error: { code: expect.any(Number) } });
    expect(status === 400 || Reflect.get(Object(body.error), "code") === -32_950).toBe(true);
    expect(received).toEqual([]);
  });

  it("of other methods and tools is the agent's own business", async () => {
    const { send, received } = await open({ rules: [], default: "denyAbort" });
    const others = [
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get_health", arguments: {} } },
    ];
    for (const each of others) await send(each);
    expect(received.map((text) => JSON.parse(text))).toEqual(others);
  });

  it("is as long as a body may be, and not a byte longer", async () => {
    const { send, received } = await open();
    const empty = JSON.stringify(message("")).length;
    expect((await send(message("x".repeat(1_000 - empty)))).status).toBe(200);
    expect((await send(message("x".repeat(1_001 - empty)))).status).toBe(413);
    expect(received).toHaveLength(1);
  });

  it("is left as it is without a policy", async () => {
    const upstream = await startUpstream((incoming, outgoing) => {
      incoming.resume();
      outgoing.end("{}");
    });
    const proxy = await startProxy(upstream);
    onTestFinished(async () => {
      await proxy.stop();
      await upstream.stop();
    });
    const response = await fetch(`${proxy.url}/proxy/clerk/mcp`, {
      method: "POST",
      headers: { "x-caller": "ann" },
      body: "not JSON at all",
    });
    expect(response.status).toBe(200);
  });
});
