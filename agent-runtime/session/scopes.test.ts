// The three scopes as callers of both eras see them.
import { describe, expect, test, vi } from "vitest";
import { stopAfterEach } from "../testing/cleanup.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { TurnRequest } from "../model/types.ts";
import { ask, connect2025, connect2026, sendMessage } from "../testing/client.ts";
import { testImage, writtenTestImage } from "../testing/images.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";

const started = stopAfterEach();

const userTexts = (request: TurnRequest) =>
  request.messages.flatMap((message) =>
    message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "image")) : [],
  );
/** Answers with all that the user has said so far. */
const recalling = () => createScriptedModels([(request) => ({ text: userTexts(request).join(",") })]);

async function startScope(scope: RunConfig["scope"], changes: Partial<RunConfig> = {}, models = recalling()) {
  const agent = await startAgent({ scope, ...changes }, { models });
  started.push(agent);
  return agent;
}

async function send2025(client: Awaited<ReturnType<typeof connect2025>>, message: string): Promise<string> {
  const { content } = await client.callTool({ name: "send_message", arguments: { message } });
  return JSON.stringify(content);
}

describe("AGT-5 scopes", () => {
  test("shared: all callers continue one history and no session_id is needed", async () => {
    const { mcpUrl } = await startScope("shared");
    expect((await ask(mcpUrl, { message: "a" })).sessionId).toBeUndefined();
    expect((await ask(mcpUrl, { message: "b" })).text).toBe("a,b");
  });

  test("request: every call begins anew, and a session_id is an error", async () => {
    const { mcpUrl } = await startScope("request");
    await ask(mcpUrl, { message: "a" });
    expect((await ask(mcpUrl, { message: "b" })).text).toBe("b");
    const refused = await ask(mcpUrl, { message: "b", session_id: "x" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("scope is request") });
  });

  test("connection: sessions of the 2025 era have histories of their own", async () => {
    const { mcpUrl } = await startScope("connection");
    const [one, other] = [await connect2025(mcpUrl), await connect2025(mcpUrl)];
    await send2025(one, "a");
    expect(await send2025(other, "b")).toContain('"b"');
    expect(await send2025(one, "c")).toContain('"a,c"');
    await Promise.all([one.close(), other.close()]);
  });

  test("connection: a 2026 call gets a 128-bit session_id, and continues with it from any connection", async () => {
    const { mcpUrl } = await startScope("connection");
    const first = await ask(mcpUrl, { message: "a" });
    expect(first.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect((await ask(mcpUrl, { message: "b", session_id: first.sessionId })).text).toBe("a,b");
    const other = await ask(mcpUrl, { message: "c" });
    expect(other.text).toBe("c");
    expect(other.sessionId).not.toBe(first.sessionId);
  });

  test("connection: an unknown session_id is a tool error that starts nothing", async () => {
    const { mcpUrl } = await startScope("connection");
    const answer = await ask(mcpUrl, { message: "a", session_id: "0".repeat(32) });
    expect(answer).toMatchObject({ isError: true, sessionId: undefined });
    expect(answer.text).toContain("session_id is not known to this agent");
  });

  test("calls on one history wait for each other; queuedCalls may wait, one more is an error", async () => {
    const gate = Promise.withResolvers<void>();
    const models = createScriptedModels([
      async (request) => {
        await gate.promise;
        return { text: userTexts(request).join(",") };
      },
    ]);
    const limits = { ...renderTestConfig().limits, queuedCalls: 1 };
    const { mcpUrl } = await startScope("shared", { limits }, models);
    const first = ask(mcpUrl, { message: "a" });
    await vi.waitFor(() => expect(models.requests).toHaveLength(1));
    const connections = [await connect2026(mcpUrl), await connect2026(mcpUrl)];
    const others = connections.map((connection) => sendMessage(connection, { message: "b" }));
    const refused = await Promise.race(others);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("limits.queuedCalls") });
    expect(models.requests).toHaveLength(1);
    gate.resolve();
    expect((await first).text).toBe("a");
    expect((await Promise.all(others)).map(({ text }) => text)).toContain("a,b");
    await Promise.all(connections.map((connection) => connection.close()));
  });

  test("calls on different histories run side by side", async () => {
    const bothIn = Promise.withResolvers<void>();
    const models = createScriptedModels([
      async () => {
        if (models.requests.length === 2) bothIn.resolve();
        await bothIn.promise;
        return { text: "ok" };
      },
    ]);
    const { mcpUrl } = await startScope("connection", {}, models);
    const answers = await Promise.all([ask(mcpUrl, { message: "a" }), ask(mcpUrl, { message: "b" })]);
    expect(answers.map(({ text }) => text)).toEqual(["ok", "ok"]);
  });
});

describe("AGT-4 the history prompt", () => {
  const image = writtenTestImage();
  const options = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };

  test("holds the whole conversation, images included, by session_id", async () => {
    const { mcpUrl } = await startScope("connection");
    const { sessionId = "" } = await ask(mcpUrl, { message: "a", images: [image] });
    const connection = await connect2026(mcpUrl);
    const { messages } = await connection.getPrompt("tech_research_history", { session_id: sessionId }, options);
    expect(messages).toEqual([
      { role: "user", content: { type: "text", text: "a" } },
      { role: "user", content: { type: "image", ...testImage() } },
      { role: "assistant", content: { type: "text", text: "a,image" } },
    ]);
    const refused = (args: Record<string, string>, said: string) =>
      expect(connection.getPrompt("tech_research_history", args, options)).rejects.toMatchObject({
        said: expect.stringContaining(said),
      });
    await refused({ session_id: "x" }, "session_id is not known");
    await refused({}, "give the session_id");
    await connection.close();
  });

  test("is that of the connection in the 2025 era", async () => {
    const { mcpUrl } = await startScope("connection");
    const client = await connect2025(mcpUrl);
    await send2025(client, "a");
    const { messages } = await client.getPrompt({ name: "tech_research_history" });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    await client.close();
  });

  test("is not offered with scope request", async () => {
    const { mcpUrl } = await startScope("request");
    const client = await connect2025(mcpUrl);
    expect(client.getServerCapabilities()?.prompts).toBeUndefined();
    await client.close();
  });
});
