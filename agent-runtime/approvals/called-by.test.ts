import { describe, expect, onTestFinished, test } from "vitest";
import { connectMcp } from "../../lib/mcp/connect.ts";
import { renderVouched } from "../../lib/auth/gateway-caller.ts";
import { sendMessage } from "../testing/client.ts";
import { createTestGateway } from "../testing/gateway.ts";
import { renderTestSubAgent } from "../testing/run-config.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";
import { maxChainLinks, readCalledBy, renderChainMeta } from "./called-by.ts";

const key = "ca.helu.pallas/chain";

describe("MGM-6 through whom a call came", () => {
  test("nobody is taken for somebody by what a call says of itself", () => {
    const meta = { [key]: [{ caller: "root" }] };
    const { caller, role } = readCalledBy({ subject: "gateway x" }, meta, "clerk");
    expect([caller, role]).toEqual(["anonymous", "none"]);
    expect(readCalledBy("anyone", {}, "clerk")).toEqual({
      caller: "anonymous",
      role: "none",
      chain: [{ agent: "clerk" }],
    });
  });

  test("is cleaned of what moves cursors and turns writing round, and bounded", () => {
    const meta = {
      [key]: [{ agent: "a\u202eb\u001b[2J", step: "x".repeat(300), role: "admin" }, 1, null, {}, { caller: 5 }],
    };
    expect(readCalledBy("anyone", meta, "clerk").chain).toEqual([
      { agent: "ab[2J", step: `${"x".repeat(255)}…` },
      { agent: "clerk" },
    ]);
  });

  test.each([
    [maxChainLinks - 1, ["0", "1", "2"]],
    [maxChainLinks, ["0", "2", "3"]],
    [100_000, ["0", "99986", "99987"]],
  ])("of %i the first and the latest are kept", (count, first) => {
    const meta = { [key]: Array.from({ length: count }, (_, at) => ({ agent: `${at}` })) };
    const { chain } = readCalledBy("anyone", meta, "clerk");
    expect(chain).toHaveLength(maxChainLinks);
    expect(chain.slice(0, 3).map(({ agent }) => agent)).toEqual(first);
    expect(chain.slice(-2)).toEqual([{ agent: `${count - 1}` }, { agent: "clerk" }]);
  });

  test("the step is the caller's own", () => {
    const chain = [{ agent: "a", step: "s" }, { agent: "b" }];
    expect(renderChainMeta({ chain }, "b step 2 (tool)")).toEqual({
      [key]: [
        { agent: "a", step: "s" },
        { agent: "b", step: "b step 2 (tool)" },
      ],
    });
  });

  test("an agent below hears of the caller that a gateway's token proves, and of no other", async () => {
    const below = await startToolServer({ send_message: () => textResult("ok") });
    onTestFinished(below.stop);
    const gateway = await createTestGateway();
    const agent = await startAgent(
      { gateway: true, agents: [renderTestSubAgent("worker", below.url)] },
      { readLive: gateway.readLive },
    );
    onTestFinished(agent.stop);
    const vouched = { name: "ann", role: "caller" as const };
    for (const proof of [await gateway.sign(), await gateway.sign({ sub: "system:serviceaccount:agents:other" })]) {
      const connection = await connectMcp({
        url: agent.mcpUrl,
        headers: { "pallas-caller": "a".repeat(64), ...renderVouched(vouched, proof) },
        clientName: "test",
        clientVersion: "1",
        signal: new AbortController().signal,
        connectTimeoutMs: 30_000,
      });
      onTestFinished(() => connection.close());
      await sendMessage(connection, { message: '***CALL_TOOL worker__worker {"message":"hi"}' });
    }
    const step = "tech_research step 2 (tool)";
    expect(below.seen.map(({ context }) => context.meta[key])).toEqual([
      [{ agent: "tech-research", caller: "ann", step }],
      [{ agent: "tech-research", step }],
    ]);
  });
});
