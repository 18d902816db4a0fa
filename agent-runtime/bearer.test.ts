// Whose token reaches whom, over real HTTP with many calls at once.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stopAfterEach } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

const started = stopAfterEach();

async function startRecording(delaysMs: readonly number[] = []) {
  const server = await startToolServer({
    who: async (_args, { bearer }) => {
      const delayMs = delaysMs[server.seen.length % Math.max(1, delaysMs.length)] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return textResult(bearer ?? "nobody");
    },
  });
  started.push(server);
  return server;
}

const whoIs = { message: "***CALL_TOOL argos__who {}" };

describe("BRR-1 the caller's token", () => {
  test("reaches a server with forwardInboundAuth, for that call only", async () => {
    const argos = await startRecording();
    const servers = [renderTestServer("argos", argos.url, { forwardInboundAuth: true })];
    const agent = await startAgent({ servers });
    started.push(agent);
    expect((await ask(agent.mcpUrl, whoIs, "token-of-a")).text).toBe("token-of-a");
    expect((await ask(agent.mcpUrl, whoIs)).text).toBe("nobody");
    expect((await ask(agent.mcpUrl, whoIs, "token-of-b")).text).toBe("token-of-b");
  });

  test("does not reach a server without it", async () => {
    const argos = await startRecording();
    const agent = await startAgent({ servers: [renderTestServer("argos", argos.url)] });
    started.push(agent);
    expect((await ask(agent.mcpUrl, whoIs, "token-of-a")).text).toBe("nobody");
    expect(argos.authorizations.every((header) => header === null)).toBe(true);
  });

  test("gives way to a configured Authorization header in any spelling", async () => {
    const argos = await startRecording();
    const headers = [{ name: "authorization", value: "Bearer configured" }];
    const agent = await startAgent({
      servers: [renderTestServer("argos", argos.url, { headers, forwardInboundAuth: true })],
    });
    started.push(agent);
    expect((await ask(agent.mcpUrl, whoIs, "token-of-a")).text).toBe("configured");
    expect(argos.authorizations.every((header) => header === "Bearer configured")).toBe(true);
  });

  test("reaches a sub-agent and what that uses only with forwardInboundAuth on its entry", async () => {
    const argos = await startRecording();
    const worker = await startAgent({ servers: [renderTestServer("argos", argos.url, { forwardInboundAuth: true })] });
    started.push(worker);
    const answers = [];
    for (const forwardInboundAuth of [true, false]) {
      const models = createScriptedModels([
        { toolCalls: [callTool("worker__worker", whoIs)] },
        ({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }),
      ]);
      const lead = await startAgent(
        { agents: [renderTestSubAgent("worker", worker.mcpUrl, { forwardInboundAuth })] },
        { models },
      );
      started.push(lead);
      answers.push((await ask(lead.mcpUrl, { message: "go" }, "token-of-a")).text);
    }
    expect(answers[0]).toContain('"text":"token-of-a"');
    expect(answers[1]).toContain('"text":"nobody"');
  });
});

describe("BRR-2 under any interleaving", () => {
  test("a downstream sees exactly the token of the call it serves", { timeout: 120_000 }, async () => {
    const delaysMs = [0, 3, 1, 0, 5, 2, 0];
    const argos = await startRecording(delaysMs);
    const shared = await startRecording();
    const servers = [
      renderTestServer("argos", argos.url, { forwardInboundAuth: true }),
      renderTestServer("shared", shared.url),
    ];
    const agent = await startAgent({ servers, scope: "request" });
    started.push(agent);
    const message = "***CALL_TOOL argos__who {}\n***CALL_TOOL shared__who {}\n***CALL_TOOL argos__who {}";
    const call = fc.record({
      token: fc.option(fc.stringMatching(/^[a-z0-9]{8}$/), { nil: undefined }),
      waitMs: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 4, maxLength: 4 }), async (calls) => {
        const probing = agent.health.check();
        const answers = await Promise.all(
          calls.map(async ({ token, waitMs }) => {
            await new Promise((resolve) => setTimeout(resolve, waitMs));
            return (await ask(agent.mcpUrl, { message }, token)).text;
          }),
        );
        await probing;
        expect(answers).toEqual(calls.map(({ token = "nobody" }) => `${token} nobody ${token}`));
      }),
      { numRuns: 50 },
    );
    expect(shared.authorizations.every((header) => header === null)).toBe(true);
  });
});

describe("BRR-4 LOG-3 logs", () => {
  test("mark a forwarded token by server and request, and hold neither tokens nor messages nor arguments", async () => {
    const argos = await startRecording();
    const servers = [renderTestServer("argos", argos.url, { forwardInboundAuth: true })];
    const agent = await startAgent({ servers });
    started.push(agent);
    await ask(
      agent.mcpUrl,
      { message: 'private words\n***CALL_TOOL argos__who {"pin":"1234-private"}' },
      "token-private",
    );
    const applied = agent.lines.filter(({ message }) => message === "forward.applied");
    expect(applied).toMatchObject([{ logger: "pallas.forward.trace", server: "argos", requestId: expect.any(String) }]);
    expect(JSON.stringify(agent.lines)).not.toContain("private");
  });
});
