// The caller as one who may approve its own call through the gateway (MGM-7), by the clients of both eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPolicyScene } from "./testing/policy-scene.ts";

type Answer = { action: "accept" | "decline" | "cancel"; content?: { decision: string } };
interface Asked {
  message: string;
}
type Answering = (asked: Asked) => Promise<Answer>;

const info = { name: "asked", version: "1" };
const init = { requestInit: { headers: { "x-caller": "caller" } } };

async function connect2025(url: string, answer: Answering) {
  const client = new Client1(info, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => await answer({ message: params.message }));
  await client.connect(new Transport1(new URL(url), init));
  onTestFinished(() => client.close());
  return async () => await client.callTool({ name: "bank__pay", arguments: { amount: 1 } });
}

async function connect2026(url: string, answer: Answering) {
  const client = new Client(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  client.setRequestHandler("elicitation/create", async ({ params }) => await answer({ message: params.message }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), init));
  onTestFinished(() => client.close());
  return async () => await client.callTool({ name: "bank__pay", arguments: { amount: 1 } });
}

const asking = (askCaller = true) => ({
  rules: [{ name: "pay", action: "ask", reason: "it is money", ...(askCaller && { askCaller }) }],
});

describe.each([
  ["2025", connect2025],
  ["2026", connect2026],
])("MGM-7 a caller of the %s era", (_, connect) => {
  it("approves its own call where the rule lets it, having seen it", async () => {
    const scene = await openPolicyScene({ policy: asking() });
    const asked: string[] = [];
    const call = await connect(`${scene.url}/mcp`, async ({ message }) => {
      asked.push(message);
      return { action: "accept", content: { decision: "approve" } };
    });
    expect(await call()).toMatchObject({ content: [{ text: '{"amount":1}' }] });
    expect(asked).toEqual([
      'May this call be made for you?\nServer: bank\nTool: pay\nArguments: {"amount":1}\nWhy you are asked: it is money',
    ]);
    expect(scene.received).toEqual([{ amount: 1 }]);
    expect(scene.approvals.list()[0]?.spec.decision).toMatchObject({ verdict: "approve", by: "somebody caller" });
  });

  it.each<Answer>([{ action: "accept", content: { decision: "deny" } }, { action: "decline" }])(
    "keeps its own call from going out: %j",
    async (answer) => {
      const scene = await openPolicyScene({ policy: asking() });
      const call = await connect(`${scene.url}/mcp`, async () => answer);
      await expect(call()).rejects.toMatchObject({ code: -32_951 });
      expect(scene.received).toEqual([]);
    },
  );

  it("decides nothing by looking away: others still may", async () => {
    const scene = await openPolicyScene({ policy: asking() });
    const call = await connect(`${scene.url}/mcp`, async () => ({ action: "cancel" }));
    const answer = call();
    await scene.decide({ verdict: "answer", answer: "paid by hand" });
    expect(await answer).toMatchObject({ content: [{ text: "paid by hand" }] });
  });

  it("is not asked where the rule does not say so", async () => {
    const scene = await openPolicyScene({ policy: asking(false) });
    let isAsked = false;
    const call = await connect(`${scene.url}/mcp`, async () => {
      isAsked = true;
      return { action: "accept", content: { decision: "approve" } };
    });
    const refused = expect(call()).rejects.toMatchObject({ code: -32_950 });
    await scene.decide({ verdict: "denyAbort" });
    await refused;
    expect(isAsked).toBe(false);
  });
});
