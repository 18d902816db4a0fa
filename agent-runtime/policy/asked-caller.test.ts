// A whole agent whose policy lets its caller approve, over real connections of both eras: what the caller is asked, and what its answer
// makes of the call.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { LiveConfig } from "../../crds/run-config.ts";
import type { Era } from "../../lib/mcp/table.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";

const keep = keepUntilEnd();
const eras: Era[] = ["2025", "2026"];
const pay = '***CALL_TOOL bank__pay {"to":"eve","card":"4111"}';

/** An agent without a gateway, so that nobody but its caller can be asked. */
async function startBank(rule: object = { askCaller: true, redact: ["/card"], reason: "it is money" }) {
  const bank = await keep(startToolServer({ pay: () => textResult("paid") }));
  const rules = [{ name: "pay", match: { servers: ["bank"] }, action: "ask", ...rule }];
  const live: LiveConfig = { schema: 1, severalPods: false, policy: { name: "careful", generation: 1, rules } };
  const servers = [renderTestServer("bank", bank.url)];
  const agent = await keep(startAgent({ servers, policy: true }, { readLive: async () => live }));
  return { agent, bank };
}

/** Who calls an agent, and answers its questions so; without an answer a caller that cannot be asked. */
async function connect(url: string, era: Era, answer?: object) {
  const asked: unknown[] = [];
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const versionNegotiation = { mode: era === "2026" ? { pin: "2026-07-28" } : ("legacy" as const) };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation });
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return Object(answer);
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await keep(Promise.resolve({ stop: () => client.close() }));
  const send = async (message: string) => {
    const { content } = await client.callTool({ name: "send_message", arguments: { message } });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("|");
  };
  return { send, asked };
}

const yes = { action: "accept", content: { decision: "approve" } };

describe.each(eras)("MGM-7 a caller of the %s era whom the policy asks", (era) => {
  test("is shown the call without what the rule keeps back, and approves this one alone", async () => {
    const { agent, bank } = await startBank();
    const caller = await connect(agent.mcpUrl, era, yes);
    expect(await caller.send(pay)).toBe("paid");
    const lines = ["Server: bank", "Tool: pay", 'Arguments, without what the policy keeps to itself: {"to":"eve"'];
    expect(caller.asked).toHaveLength(1);
    for (const line of ["tech-research", ...lines, "Why you are asked: it is money"]) {
      expect(caller.asked[0]).toContain(line);
    }
    expect(caller.asked[0]).not.toContain("4111");
    expect(bank.seen).toMatchObject([{ tool: "pay", args: { to: "eve", card: "4111" } }]);
    await caller.send(pay);
    expect([caller.asked.length, bank.seen.length]).toEqual([2, 2]);
  });

  test.each([
    ["declines", { action: "decline" }],
    ["dismisses it", { action: "cancel" }],
    ["says deny", { action: "accept", content: { decision: "deny", reason: "not to eve" } }],
    ["answers in another form", { action: "accept", content: { approve: true } }],
  ])("and who %s lets nothing out", async (_how, answer) => {
    const { agent, bank } = await startBank();
    const caller = await connect(agent.mcpUrl, era, answer);
    expect(await caller.send(pay)).toContain("The call of bank/pay was denied, and not made");
    expect(caller.asked).toHaveLength(1);
    expect(bank.seen).toEqual([]);
  });

  test("cannot be asked, or is not to be: the call is denied", async () => {
    const { agent, bank } = await startBank();
    const mute = await connect(agent.mcpUrl, era);
    expect(await mute.send(pay)).toContain("there is no gateway through which people could be asked");
    const others = await startBank({});
    const caller = await connect(others.agent.mcpUrl, era, yes);
    expect(await caller.send(pay)).toContain("there is no gateway through which people could be asked");
    expect([caller.asked, bank.seen, others.bank.seen]).toEqual([[], [], []]);
  });

  test("is asked through an agent above, which says by whom", async () => {
    const { agent, bank } = await startBank();
    const above = await keep(startAgent({ agents: [renderTestSubAgent("worker", agent.mcpUrl)] }));
    const caller = await connect(above.mcpUrl, era, yes);
    expect(await caller.send(`***CALL_TOOL worker__worker ${JSON.stringify({ message: pay })}`)).toBe("paid");
    expect(caller.asked).toEqual([expect.stringMatching(/^worker asks: .*Tool: pay/s)]);
    expect(bank.seen).toHaveLength(1);
  });
});
