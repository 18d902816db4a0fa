// The conversations of a gateway's callers on an agent's admin port: told to its gateway alone, and each caller's by itself.
import { describe, expect, test, vi } from "vitest";
import { conversationsPath, maxConversationsRequestBytes, parseConversationReport } from "../crds/conversations.ts";
import type { RunConfig } from "../crds/run-config.ts";
import { callerHeader, renderCaller } from "../lib/auth/gateway-caller.ts";
import { renderClaims, startIssuer } from "../lib/auth/testing/issuer.ts";
import { connectMcp } from "../lib/mcp/connect.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask, sendMessage } from "./testing/client.ts";
import { createTestGateway } from "./testing/gateway.ts";
import { createScriptedModels, waitForAbort } from "./testing/scripted-models.ts";
import { startAgent } from "./testing/servers.ts";
import type { Models } from "./model/models.ts";

const keep = keepUntilEnd();

async function start(changes: Partial<RunConfig> = {}, models?: Models) {
  const { readLive, sign } = await createTestGateway();
  const agent = await keep(startAgent({ gateway: true, ...changes }, { readLive, ...(models && { models }) }));
  const own = `Bearer ${await sign()}`;
  const post = async (body: unknown, authorization: string | undefined = own) => {
    const response = await fetch(`${agent.adminUrl}${conversationsPath}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization !== "" && { authorization }) },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const list = async (subject: string) =>
    parseConversationReport((await post({ subject })).text, "tech-research").conversations;
  /** As a gateway passes on what its caller says. */
  const say = async (subject: string, args: Record<string, unknown>) => {
    const connection = await connectMcp({
      url: agent.mcpUrl,
      headers: { [callerHeader]: renderCaller(subject) },
      clientName: "test",
      clientVersion: "1.0.0",
      signal: new AbortController().signal,
      connectTimeoutMs: 30_000,
    });
    try {
      return await sendMessage(connection, args);
    } finally {
      await connection.close();
    }
  };
  return { agent, post, list, say };
}

describe("MGM-2 an agent's conversations with a caller of its gateway", () => {
  test("are those that came through the gateway, and nobody else's", async () => {
    const { agent, list, say } = await start();
    const { sessionId } = await say("ann", { message: "What is\nnew?", session_id: "new" });
    await say("ann", { message: "And else?", session_id: sessionId });
    await say("bob", { message: "a secret", session_id: "new" });
    await ask(agent.mcpUrl, { message: "past the gateway", session_id: "new" });
    expect(await list("ann")).toMatchObject([{ sessionId, title: "What is new?", turns: 2, answering: false }]);
    expect(await list("eve")).toEqual([]);
  });

  test("say that a call is at work", async () => {
    const { list, say } = await start({}, createScriptedModels([waitForAbort]));
    const running = say("ann", { message: "think", session_id: "new" });
    await vi.waitFor(async () => expect(await list("ann")).toMatchObject([{ title: "think", answering: true }]));
    void running.catch(() => undefined);
  });

  test("are those of the token's owner where the agent asks for a token", async () => {
    const issuer = await keep(startIssuer());
    const auth = { issuer: issuer.url, audiences: ["pallas"], resource: "https://agents.example.com/mcp" };
    const { agent, list } = await start({ auth });
    const token = await issuer.sign(renderClaims(issuer, { sub: "ann" }));
    const { sessionId } = await ask(agent.mcpUrl, { message: "hello", session_id: "new" }, token);
    expect(await list(`${issuer.url} ann`)).toMatchObject([{ sessionId, title: "hello" }]);
    expect(await list("ann")).toEqual([]);
  });

  test.each([
    ["shared", [{ title: "hello", turns: 1 }]],
    ["request", []],
  ] as const)("of the scope %s", async (scope, expected) => {
    const { post, list, say } = await start({ scope });
    await say("ann", { message: "hello" });
    expect(await list("bob")).toMatchObject(expected);
    expect(JSON.parse((await post({ subject: "bob" })).text)).toMatchObject({ agent: "tech-research", scope });
  });

  test.each([
    ["no token", "", 401],
    ["another's token", "Bearer x.y.z", 401],
  ])("are not told to who has %s", async (_what, authorization, status) => {
    const { post } = await start();
    expect(await post({ subject: "ann" }, authorization)).toMatchObject({ status });
  });

  test.each([
    ["names nobody", {}, 422],
    ["names an empty subject", { subject: "" }, 422],
    ["says more", { subject: "ann", caller: "bob" }, 422],
    ["is no JSON", "{", 400],
    ["is as large as may be", { subject: "x".repeat(maxConversationsRequestBytes - 14) }, 200],
    ["is a byte larger", { subject: "x".repeat(maxConversationsRequestBytes - 13) }, 413],
  ])("are not told by a request that %s", async (_what, body, status) => {
    const { post } = await start();
    expect((await post(body)).status).toBe(status);
  });
});
