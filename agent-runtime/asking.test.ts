// Questions of downstream servers on their way to callers, over real connections of both eras on either side.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import type { Question } from "../lib/mcp/asking.ts";
import type { McpExtension } from "../lib/mcp/extension.ts";
import type { CallContext, Era, ToolResult } from "../lib/mcp/table.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

const keep = keepUntilEnd();
const eras: Era[] = ["2025", "2026"];
const form = (message = "Which account?") => ({
  message,
  requestedSchema: { type: "object" as const, properties: { account: { type: "string" as const } } },
});
const elicit = (params: object): Question => ({ method: "elicitation/create", params: { ...params } });
const says = (value: unknown) => textResult(JSON.stringify(value));
const callAsk = { message: "***CALL_TOOL argos__ask {}" };

type Answer = (params: Record<string, unknown>) => Promise<object> | object;

/** A caller that can be asked what it has an answer for. */
async function connect(url: string, era: Era, answers: { elicit?: Answer; urls?: boolean; sample?: Answer } = {}) {
  const elicitation = { form: {}, ...(answers.urls === true && { url: {} }) };
  const capabilities = { ...(answers.elicit && { elicitation }), ...(answers.sample && { sampling: {} }) };
  const versionNegotiation = { mode: era === "2026" ? { pin: "2026-07-28" } : ("legacy" as const) };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation });
  const { elicit: fill, sample } = answers;
  if (fill) client.setRequestHandler("elicitation/create", async ({ params }) => Object(await fill({ ...params })));
  if (sample) {
    client.setRequestHandler("sampling/createMessage", async ({ params }) => Object(await sample({ ...params })));
  }
  const completed: string[] = [];
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    completed.push(params.elicitationId);
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const call = async (args: Record<string, unknown> = callAsk, signal?: AbortSignal) => {
    const { content } = await client.callTool({ name: "send_message", arguments: args }, signal && { signal });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("|");
  };
  await keep(Promise.resolve({ stop: () => client.close() }));
  return { call, completed };
}

/** A server of the 2025 era whose tool asks by a request. */
const startAsking2025 = (question: Question, seen: CallContext[] = []) =>
  keep(
    startToolServer(
      {
        ask: async (_args, context) => {
          seen.push(context);
          if (context.asking === undefined) return textResult("nobody to ask");
          return says(await context.asking.ask(question, context.signal).catch((error: unknown) => String(error)));
        },
      },
      { only2025: true },
    ),
  );

/** A server of the 2026 era whose tool asks by its result. */
function startAsking2026(params: ReturnType<typeof form>) {
  const extension: McpExtension = {
    extend2025: () => undefined,
    extend2026(server) {
      server.setRequestHandler("tools/call", async (_request, { mcpReq }: ServerContext) => {
        const answer = mcpReq.inputResponses?.["account"];
        if (answer !== undefined) return { ...says(answer) };
        return inputRequired({ inputRequests: { account: inputRequired.elicit(params) }, requestState: "at 1" });
      });
    },
  };
  return keep(startToolServer({ ask: () => textResult("never") }, { extension }));
}

async function startAgentOf(server: { url: string }, changes: Parameters<typeof renderTestServer>[2] = {}) {
  return await keep(startAgent({ servers: [renderTestServer("argos", server.url, changes)] }));
}

describe.each(eras)("MGM-7 of a caller of the %s era: a form of a downstream server", (era) => {
  test.each([
    ["2025", () => startAsking2025(elicit(form()))],
    ["2026", () => startAsking2026(form())],
  ])(
    "of the %s era reaches the caller, named after the server, and the answer the server",
    async (_ofServer, start) => {
      const agent = await startAgentOf(await start());
      const asked: object[] = [];
      const answer = { action: "accept", content: { account: "petty cash" } };
      const caller = await connect(agent.mcpUrl, era, { elicit: (params) => (asked.push(params), answer) });
      expect(await caller.call()).toBe(JSON.stringify(answer));
      expect(asked).toMatchObject([form("argos asks: Which account?")]);
    },
  );

  test.each(["decline", "cancel"])("may be answered with %s", async (action) => {
    const agent = await startAgentOf(await startAsking2025(elicit(form())));
    const caller = await connect(agent.mcpUrl, era, { elicit: () => ({ action }) });
    expect(await caller.call()).toBe(JSON.stringify({ action }));
  });

  test("goes through an agent below to the caller above, named after both", async () => {
    const below = await startAgentOf(await startAsking2025(elicit(form())));
    const above = await keep(startAgent({ agents: [renderTestSubAgent("worker", below.mcpUrl)] }));
    const asked: unknown[] = [];
    const caller = await connect(above.mcpUrl, era, {
      elicit: ({ message }) => (asked.push(message), { action: "decline" }),
    });
    const message = `***CALL_TOOL worker__worker ${JSON.stringify(callAsk)}`;
    expect(await caller.call({ message })).toContain("decline");
    expect(asked).toEqual(["worker asks: argos asks: Which account?"]);
  });

  test("is never offered by a server whose caller cannot be asked, though another one's can", async () => {
    const seen: CallContext[] = [];
    const agent = await startAgentOf(await startAsking2025(elicit(form()), seen));
    const asker = await connect(agent.mcpUrl, era, { elicit: () => ({ action: "decline" }) });
    const mute = await connect(agent.mcpUrl, era);
    expect(await asker.call()).toContain("decline");
    expect(await mute.call()).toBe("nobody to ask");
    expect((await ask(agent.mcpUrl, callAsk)).text).toBe("nobody to ask");
    expect(seen.map(({ asking }) => asking?.can)).toEqual([
      { form: true, url: false, sampling: false },
      undefined,
      undefined,
    ]);
  });

  test("of the 2026 era is refused in words where the caller cannot be asked", async () => {
    const agent = await startAgentOf(await startAsking2026(form()));
    const mute = await connect(agent.mcpUrl, era);
    expect(await mute.call()).toMatch(/asked for more input during the call|client capabilities do not declare/);
  });

  test("with a URL goes only to callers that open URLs, and the URL goes untouched", async () => {
    const url = "https://login.example/a?b=%20c#d";
    const params = { mode: "url", message: "Log in", url, elicitationId: "e1" };
    const agent = await startAgentOf(await startAsking2025(elicit(params)));
    const asked: object[] = [];
    const fill = (given: object) => (asked.push(given), { action: "accept" });
    const opener = await connect(agent.mcpUrl, era, { elicit: fill, urls: true });
    const filler = await connect(agent.mcpUrl, era, { elicit: fill });
    expect(await opener.call()).toBe('{"action":"accept"}');
    expect(asked).toMatchObject([{ mode: "url", url, message: "argos asks: Log in" }]);
    expect(await filler.call()).toMatch(/refus|never gives|not support/i);
    expect(asked).toHaveLength(1);
  });

  test("does not end by the server's timeout for silence while the caller thinks", async () => {
    const agent = await startAgentOf(await startAsking2025(elicit(form())), { timeoutMs: 200 });
    const caller = await connect(agent.mcpUrl, era, {
      elicit: async () => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        return { action: "decline" };
      },
    });
    expect(await caller.call()).toContain("decline");
  });
});

describe.each(eras)("MGM-6 while a caller of the %s era is asked", (era) => {
  test("the run's time stands still, also above an agent that relays the question", async () => {
    const limits = { ...renderTestConfig().limits, wallClockMs: 1_500 };
    const server = await startAsking2025(elicit(form()));
    const below = await keep(startAgent({ servers: [renderTestServer("argos", server.url)], limits }));
    const above = await keep(startAgent({ agents: [renderTestSubAgent("worker", below.mcpUrl)], limits }));
    const caller = await connect(above.mcpUrl, era, {
      elicit: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        return { action: "decline" };
      },
    });
    expect(await caller.call({ message: `***CALL_TOOL worker__worker ${JSON.stringify(callAsk)}` })).toContain(
      "decline",
    );
  });
});

describe.each(eras)("MGM-7 ask_user with a caller of the %s era", (era) => {
  const asks = (args: object) => ({ message: `***CALL_TOOL ask_user ${JSON.stringify(args)}` });
  const startAsker = (allowed = true) => keep(startAgent(allowed ? { askUser: true } : {}));

  test("asks in the agent's name, and the model reads the answer", async () => {
    const agent = await startAsker();
    const asked: Record<string, unknown>[] = [];
    const caller = await connect(agent.mcpUrl, era, {
      elicit: (params) => (asked.push(params), { action: "accept", content: { answer: "blue" } }),
    });
    expect(await caller.call(asks({ question: "Which\u202e colour?", options: ["red", "blue", "red"] }))).toBe("blue");
    expect(asked).toMatchObject([
      {
        message: "tech_research asks: Which colour?",
        requestedSchema: { properties: { answer: { enum: ["red", "blue"] } }, required: ["answer"] },
      },
    ]);
  });

  test.each([
    ["decline", "The user does not want to answer."],
    ["cancel", "The user gave no answer."],
  ])("tells the model of %s in words", async (action, text) => {
    const agent = await startAsker();
    const caller = await connect(agent.mcpUrl, era, { elicit: () => ({ action }) });
    expect(await caller.call(asks({ question: "Which?" }))).toBe(text);
  });

  test("is not there for a caller that cannot be asked, nor where the agent does not allow it", async () => {
    const agent = await startAsker();
    const mute = await connect(agent.mcpUrl, era);
    expect(await mute.call(asks({ question: "Which?" }))).toContain('There is no tool named "ask_user"');
    const strict = await startAsker(false);
    const caller = await connect(strict.mcpUrl, era, { elicit: () => ({ action: "decline" }) });
    expect(await caller.call(asks({ question: "Which?" }))).toContain('There is no tool named "ask_user"');
  });
});

describe("MGM-7 a question to a caller of the 2025 era", () => {
  test("with a URL is followed by the word that it is done, to its caller alone and only of what was asked", async () => {
    const params = { mode: "url", message: "Log in", url: "https://login.example/", elicitationId: "e1" };
    const release = Promise.withResolvers<void>();
    const server = await keep(
      startToolServer(
        {
          ask: async (_args, { asking, signal }) => {
            await asking?.ask(elicit(params), signal);
            await asking?.tellCompleted?.("e2");
            await asking?.tellCompleted?.("e1");
            return textResult("done");
          },
          wait: async () => {
            await release.promise;
            return textResult("waited");
          },
        },
        { only2025: true },
      ),
    );
    const agent = await startAgentOf(server);
    const opens = { elicit: () => ({ action: "accept" }), urls: true };
    const [opener, other] = await Promise.all([
      connect(agent.mcpUrl, "2025", opens),
      connect(agent.mcpUrl, "2025", opens),
    ]);
    const waiting = other.call({ message: "***CALL_TOOL argos__wait {}" });
    expect(await opener.call()).toBe("done");
    await expect.poll(() => opener.completed).toEqual(["e1"]);
    release.resolve();
    await waiting;
    expect([opener.completed, other.completed]).toEqual([["e1"], []]);
  });

  test("is withdrawn when the caller cancels its call", async () => {
    const seen: CallContext[] = [];
    const agent = await startAgentOf(await startAsking2025(elicit(form()), seen));
    const cancelled = new AbortController();
    const caller = await connect(agent.mcpUrl, "2025", {
      elicit: () => {
        cancelled.abort();
        return new Promise<never>(() => undefined);
      },
    });
    await expect(caller.call(callAsk, cancelled.signal)).rejects.toBeDefined();
    await vi.waitFor(() => expect(seen[0]?.signal.aborted).toBe(true));
  });
});

describe.each(eras)("MGM-7 of a caller of the %s era: BRR-2 questions never cross callers", (era) => {
  test("of many calls at once on one server each reaches the caller of its own call", async () => {
    const argos = await keep(
      startToolServer(
        {
          ask: async ({ who }, { asking, signal }) =>
            says(await asking?.ask(elicit(form(`For ${String(who)}`)), signal)),
        },
        { only2025: true },
      ),
    );
    const agent = await startAgentOf(argos);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const asked: unknown[] = [];
        const elicitFor: Answer = async ({ message }) => {
          asked.push(message);
          await new Promise((resolve) => setTimeout(resolve, (at * 7) % 20));
          return { action: "accept", content: { account: `${at}` } };
        };
        const caller = await connect(agent.mcpUrl, era, { elicit: elicitFor });
        const text = await caller.call({ message: `***CALL_TOOL argos__ask {"who":${at}}` });
        return { asked, text, at };
      }),
    );
    for (const { asked, text, at } of outcomes) {
      expect(asked).toEqual([`argos asks: For ${at}`]);
      expect(text).toContain(`"account":"${at}"`);
    }
  });

  test("that belong to no running call are refused, whoever is there", async () => {
    let late: Promise<unknown> | undefined;
    const argos = await keep(
      startToolServer(
        {
          leave: (_args, { asking }) => {
            late = new Promise((resolve) => {
              setTimeout(() => {
                const asked = asking?.ask(elicit(form("Late")), AbortSignal.timeout(2_000));
                resolve(asked?.then(JSON.stringify, String));
              }, 100);
            });
            return textResult("gone");
          },
          wait: async (): Promise<ToolResult> => {
            await late;
            return textResult("waited");
          },
        },
        { only2025: true },
      ),
    );
    const agent = await startAgentOf(argos);
    const asked: object[] = [];
    const fill = (params: object) => (asked.push(params), { action: "accept" });
    const first = await connect(agent.mcpUrl, era, { elicit: fill });
    const second = await connect(agent.mcpUrl, era, { elicit: fill });
    expect(await first.call({ message: "***CALL_TOOL argos__leave {}" })).toBe("gone");
    expect(await second.call({ message: "***CALL_TOOL argos__wait {}" })).toBe("waited");
    expect(asked).toEqual([]);
  });
});

describe.each(eras)("MGM-7 of a caller of the %s era: sampling of a downstream server", (era) => {
  test("goes to the model of a caller that lends it, named, and without what belongs to our connections", async () => {
    const messages = [{ role: "user", content: { type: "text", text: "Capital of France?" } }];
    const params = { messages, maxTokens: 9, systemPrompt: "Be brief.", includeContext: "allServers", _meta: { a: 1 } };
    const agent = await startAgentOf(await startAsking2025({ method: "sampling/createMessage", params }));
    const asked: object[] = [];
    const answer = { role: "assistant", model: "theirs", content: { type: "text", text: "Paris" } };
    const caller = await connect(agent.mcpUrl, era, { sample: (given) => (asked.push(given), answer) });
    expect(JSON.parse(await caller.call())).toMatchObject(answer);
    const systemPrompt = 'The MCP server "argos" asks for this.\n\nBe brief.';
    expect(asked).toEqual([{ messages, maxTokens: 9, systemPrompt }]);
  });
});
