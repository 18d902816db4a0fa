// Conversations over restarts of the agent, as callers of both eras see them, and an agent that cannot keep any.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { access, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { callMessage, openSession, post, readMessages } from "../lib/mcp/raw-client.fixture.ts";
import type { CallContext } from "../lib/mcp/table.ts";
import type { TurnRequest } from "./model/types.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { createTestFolder } from "./testing/histories.ts";
import { startAgentProcess } from "./testing/process.ts";
import { renderTestConfig, renderTestServer } from "./testing/run-config.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent, startToolServer } from "./testing/servers.ts";

const keep = keepUntilEnd();
const createFolder = async () => (await keep(createTestFolder())).path;
const listHistories = async (folder: string) => (await readdir(folder)).filter((file) => file.endsWith(".jsonl"));

const userTexts = ({ messages }: TurnRequest) =>
  messages.flatMap((message) =>
    message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "image")) : [],
  );
/** Answers with all that the user has said so far. */
const recalling = () => createScriptedModels([(request) => ({ text: userTexts(request).join(",") })]);

type Options = NonNullable<Parameters<typeof startAgent>[1]>;
const start = (historiesDir: string, options: Options = {}, changes: Parameters<typeof startAgent>[0] = {}) =>
  keep(startAgent(changes, { models: recalling(), historiesDir, ...options }));

/** The first SDK's client, which remembers its session. */
async function connectFirstSdk(url: string) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  await keep(Promise.resolve({ stop: () => client.close() }));
  const say = async (message: string) =>
    (await client.callTool({ name: "send_message", arguments: { message } })).content;
  return { client, transport, say };
}

describe("AGT-5 after a restart", () => {
  test("a session_id is known, goes on, and shows its whole history", async () => {
    const folder = await createFolder();
    const first = await start(folder);
    const { sessionId } = await ask(first.mcpUrl, { message: "a" });
    await first.close();
    const second = await start(folder);
    expect((await ask(second.mcpUrl, { message: "b", session_id: sessionId })).text).toBe("a,b");
    expect(await ask(second.mcpUrl, { message: "b", session_id: "0".repeat(32) })).toMatchObject({ isError: true });
  });

  test("a shared history goes on", async () => {
    const folder = await createFolder();
    const first = await start(folder, {}, { scope: "shared" });
    await ask(first.mcpUrl, { message: "a" });
    await first.close();
    const second = await start(folder, {}, { scope: "shared" });
    expect((await ask(second.mcpUrl, { message: "b" })).text).toBe("a,b");
  });

  test("a client of the 2025 era goes on in its session without noticing; an unknown Mcp-Session-Id gets 404", async () => {
    const folder = await createFolder();
    const first = await start(folder);
    const port = Number(new URL(first.url).port);
    const { client, transport, say } = await connectFirstSdk(first.mcpUrl);
    const silent = await connectFirstSdk(first.mcpUrl);
    await say("a");
    await first.drain({ delayMs: 0, signal: new AbortController().signal });
    await first.close();

    const second = await start(folder, { port });
    const sessionId = transport.sessionId;
    expect(await say("b")).toEqual([{ type: "text", text: "a,b" }]);
    expect(transport.sessionId).toBe(sessionId);
    const { messages } = await client.getPrompt({ name: "tech_research_history" });
    expect(messages.map(({ content }) => (content.type === "text" ? content.text : ""))).toEqual([
      "a",
      "a",
      "b",
      "a,b",
    ]);
    // Nothing was ever said in the other one: there is nothing to resume.
    await expect(silent.say("c")).rejects.toMatchObject({ code: 404 });
    const unknown = await post(second.mcpUrl, callMessage("get_health"), { "mcp-session-id": "0".repeat(32) });
    expect(unknown.status).toBe(404);
    await unknown.body?.cancel();
  });

  test("by kill -9 of the process", { timeout: 30_000 }, async () => {
    const env = { PALLAS_HISTORIES_DIR: await createFolder() };
    const first = await keep(startAgentProcess(renderTestConfig(), env));
    const generous = { timeout: 10_000, interval: 20 };
    await vi.waitFor(async () => expect((await fetch(`${first.adminUrl}/readyz`)).status).toBe(200), generous);
    const { sessionId } = await ask(`${first.url}/mcp`, { message: "a" });
    first.kill("SIGKILL");
    await first.exited;
    const second = await keep(startAgentProcess(renderTestConfig(), env));
    await vi.waitFor(async () => expect((await fetch(`${second.adminUrl}/readyz`)).status).toBe(200), generous);
    const answer = await ask(`${second.url}/mcp`, { message: "b", session_id: sessionId });
    expect(answer).toMatchObject({ isError: false, sessionId });
  });
});

describe("AGT-5 a connection's history", () => {
  test("is dropped when its client ends the session, also one that this process never opened", async () => {
    const folder = await createFolder();
    const first = await start(folder);
    const port = Number(new URL(first.url).port);
    const one = await connectFirstSdk(first.mcpUrl);
    const other = await connectFirstSdk(first.mcpUrl);
    await one.say("a");
    await other.say("b");
    expect(await listHistories(folder)).toHaveLength(2);
    await one.transport.terminateSession();
    expect(await listHistories(folder)).toHaveLength(1);
    await first.close();
    await start(folder, { port });
    await other.transport.terminateSession();
    expect(await listHistories(folder)).toEqual([]);
  });

  test("stays away when the session is ended with a call running and another waiting", async () => {
    const folder = await createFolder();
    const wait = (_args: unknown, { signal }: CallContext) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const argos = await keep(startToolServer({ wait }));
    // Its end is recorded: a call that was interrupted gets a result in its history.
    const models = createScriptedModels([{ toolCalls: [callTool("argos__wait")] }]);
    const limits = { ...renderTestConfig().limits, queuedCalls: 1 };
    const { mcpUrl, lines } = await start(
      folder,
      { models },
      { limits, servers: [renderTestServer("argos", argos.url)] },
    );
    const session = await openSession(mcpUrl);
    const calls = [1, 2].map((id) => post(mcpUrl, callMessage("send_message", { message: "a" }, id), session));
    await vi.waitFor(() => expect(argos.seen).toHaveLength(1));
    expect(await listHistories(folder)).toHaveLength(1);
    expect((await fetch(mcpUrl, { method: "DELETE", headers: session })).status).toBe(200);
    for (const call of calls) await readMessages(await call);
    const isEnd = ({ message }: Record<string, unknown>) =>
      /^call (?:answered|cancelled by the caller)$/.test(String(message));
    await vi.waitFor(() => expect(lines.filter(isEnd)).toHaveLength(2));
    expect(await listHistories(folder)).toEqual([]);
    const again = await post(mcpUrl, callMessage("get_health"), session);
    expect(again.status).toBe(404);
    await again.body?.cancel();
  });
});

describe("AGT-5 scope request", () => {
  test("keeps nothing on the disk and does not need one", async () => {
    const folder = join(await createFolder(), "histories");
    const agent = await start(folder, {}, { scope: "request" });
    await ask(agent.mcpUrl, { message: "a" });
    const session = await openSession(agent.mcpUrl);
    await fetch(agent.mcpUrl, { method: "DELETE", headers: session });
    expect((await agent.health.check()).status).toBe("ok");
    await expect(access(folder)).rejects.toThrow("ENOENT");
  });
});

describe("HLT-2 AGT-7 an agent whose session store is unwritable", () => {
  test("is in error and not ready, answers calls with a tool error, and recovers by itself", async () => {
    const parent = await createFolder();
    const blocker = join(parent, "blocker");
    await writeFile(blocker, "");
    const agent = await start(join(blocker, "histories"));
    const said = expect.stringMatching(/^session store unwritable: .*ENOTDIR/);
    expect(await agent.health.check()).toMatchObject({ status: "error", message: said });
    expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(503);
    expect(await ask(agent.mcpUrl, { message: "a" })).toMatchObject({ isError: true, text: said });
    await rm(blocker);
    expect(await ask(agent.mcpUrl, { message: "a" })).toMatchObject({ isError: false, text: "a" });
    await vi.waitFor(async () => expect((await agent.health.check()).status).toBe("ok"), { timeout: 5_000 });
    expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(200);
  });

  test("because another agent has its folder: not ready until that one is gone", async () => {
    const folder = await createFolder();
    const first = await start(folder);
    await ask(first.mcpUrl, { message: "a" });
    const second = await start(folder);
    expect(await second.health.check()).toMatchObject({
      status: "error",
      message: expect.stringContaining("another process works on it"),
    });
    await first.close();
    await vi.waitFor(async () => expect((await second.health.check()).status).toBe("ok"), { timeout: 5_000 });
  });

  test("refuses to take up a session rather than to deny it", async () => {
    const parent = await createFolder();
    await writeFile(join(parent, "blocker"), "");
    const agent = await start(join(parent, "blocker", "histories"));
    const refused = await post(agent.mcpUrl, callMessage("get_health"), { "mcp-session-id": "1".repeat(32) });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    await refused.body?.cancel();
  });
});
