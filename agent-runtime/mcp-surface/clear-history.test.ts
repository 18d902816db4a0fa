import { readdir } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask, connect2025, connect2026 } from "../testing/client.ts";
import { createTestFolder } from "../testing/histories.ts";
import { writtenTestImage } from "../testing/images.ts";
import { createScriptedModels, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { TurnRequest } from "../model/types.ts";

const keep = keepUntilEnd();
const options = { signal: new AbortController().signal, idleTimeoutMs: 10_000 };

const userTexts = ({ messages }: TurnRequest) =>
  messages.flatMap((message) =>
    message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "image")) : [],
  );

async function start(
  scope: RunConfig["scope"],
  models: ScriptedModels = createScriptedModels([(request) => ({ text: userTexts(request).join() })]),
) {
  const { path: historiesDir } = await keep(createTestFolder());
  const agent = await keep(startAgent({ scope }, { models, historiesDir }));
  const clear = async (args: object = {}) => {
    const connection = await connect2026(agent.mcpUrl);
    const { content, isError = false } = await connection.callTool("clear_history", { ...args }, options);
    await connection.close();
    return { text: JSON.stringify(content), isError };
  };
  return { ...agent, historiesDir, clear };
}

describe("AGT-14 clear_history", () => {
  test("forgets the conversation of a session_id, images too, which goes on empty under the same id", async () => {
    const { mcpUrl, historiesDir, clear } = await start("connection");
    const { sessionId } = await ask(mcpUrl, { message: "a", images: [writtenTestImage()] });
    const other = await ask(mcpUrl, { message: "b" });
    expect((await readdir(historiesDir)).filter((file) => file.endsWith(".images"))).toHaveLength(1);
    expect(await clear({ session_id: sessionId })).toEqual({
      text: expect.stringContaining("2 messages"),
      isError: false,
    });
    expect((await readdir(historiesDir)).filter((file) => file.endsWith(".images"))).toEqual([]);
    expect(await clear({ session_id: sessionId })).toMatchObject({ text: expect.stringContaining("nothing to clear") });
    expect(await ask(mcpUrl, { message: "c", session_id: sessionId })).toMatchObject({ text: "c", sessionId });
    expect((await ask(mcpUrl, { message: "d", session_id: other.sessionId })).text).toBe("b,d");
  });

  test("forgets that of its connection in the 2025 era, also before anything was said", async () => {
    const { mcpUrl } = await start("connection");
    const [one, other] = [await connect2025(mcpUrl), await connect2025(mcpUrl)];
    const call = async (client: typeof one, name: string, args: Record<string, string> = {}) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);
    expect(await call(one, "clear_history")).toContain("nothing to clear");
    await call(one, "send_message", { message: "a" });
    await call(other, "send_message", { message: "b" });
    expect(await call(one, "clear_history")).toContain("2 messages");
    expect(await call(one, "send_message", { message: "c" })).toContain('"c"');
    expect(await call(other, "send_message", { message: "d" })).toContain('"b,d"');
    await Promise.all([one.close(), other.close()]);
  });

  test("forgets what all callers share, and waits for the call that has it", async () => {
    const gate = Promise.withResolvers<void>();
    const models = createScriptedModels([
      async (request) => {
        await gate.promise;
        return { text: userTexts(request).join() };
      },
    ]);
    const { mcpUrl, clear } = await start("shared", models);
    const running = ask(mcpUrl, { message: "a" });
    await vi.waitFor(() => expect(models.requests).toHaveLength(1));
    let cleared = false;
    const clearing = clear().then((answer) => {
      cleared = true;
      return answer;
    });
    const next = ask(mcpUrl, { message: "b" });
    expect(cleared).toBe(false);
    gate.resolve();
    expect((await running).text).toBe("a");
    expect((await clearing).text).toMatch(/[24] messages/);
    await next;
    expect((await ask(mcpUrl, { message: "c" })).text).toMatch(/^(b,)?c$/);
  });

  test("names what is wrong when there is no such conversation, or none is named", async () => {
    const { clear } = await start("connection");
    expect(await clear({ session_id: "0".repeat(32) })).toEqual({
      text: expect.stringContaining("session_id is not known"),
      isError: true,
    });
    expect(await clear()).toEqual({ text: expect.stringContaining("give the session_id"), isError: true });
  });

  test("is not offered where nothing is kept", async () => {
    const { mcpUrl } = await start("request");
    const client = await connect2025(mcpUrl);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("clear_history");
    await client.close();
  });
});
