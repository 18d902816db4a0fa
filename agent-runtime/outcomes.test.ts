// What counts as an error of the agent: not what its callers take back, and not what they get wrong.
import { describe, expect, test, vi } from "vitest";
import { stopAfterEach } from "./testing/cleanup.ts";
import { ask, connect2025, connect2026, sendMessage } from "./testing/client.ts";
import { createScriptedModels, waitForAbort } from "./testing/scripted-models.ts";
import { startAgent } from "./testing/servers.ts";

const started = stopAfterEach();

async function start(...replies: Parameters<typeof createScriptedModels>[0]) {
  const models = createScriptedModels(replies, { vision: false });
  const agent = await startAgent({}, { models });
  started.push(agent);
  const count = async (metric: string) => {
    const body = await (await fetch(`${agent.adminUrl}/metrics`)).text();
    const found = body.matchAll(new RegExp(`^${metric}\\{.*outcome="(\\w+)"\\} (\\d+)$`, "gm"));
    return Object.fromEntries([...found].map(([, outcome, value]) => [outcome, Number(value)]));
  };
  const warnings = () => agent.lines.filter(({ level }) => level === "WARNING" || level === "ERROR");
  return { agent, models, warnings, countCalls: () => count("pallas_send_message_total") };
}

async function send2025(url: string, signal: AbortSignal) {
  const client = await connect2025(url);
  const ended = client.callTool({ name: "send_message", arguments: { message: "go" } }, { signal });
  return { ended, close: () => client.close() };
}

async function send2026(url: string, signal: AbortSignal) {
  const connection = await connect2026(url);
  return { ended: sendMessage(connection, { message: "go" }, signal), close: () => connection.close() };
}

const png = { data: "iVBORw0KGgo=", mime_type: "image/png" };

describe("MET-2 LOG-3 outcomes of calls", () => {
  test.each([
    ["no message", { message: " " }],
    ["a session_id that the agent does not know", { message: "hi", session_id: "c1.unknown" }],
    ["an image for a model without vision", { message: "hi", images: [png] }],
    ["an attachment that is no base64", { message: "hi", attachments: [{ data: "%", mime_type: "text/plain" }] }],
  ])("%s is the caller's mistake: told, counted as invalid, and nothing to warn of", async (_case, args) => {
    const { agent, models, warnings, countCalls } = await start({ text: "answered" });
    expect(await ask(agent.mcpUrl, args)).toMatchObject({ isError: true });
    expect(await countCalls()).toEqual({ ok: 0, error: 0, cancelled: 0, invalid: 1 });
    expect(models.requests).toHaveLength(0);
    expect(warnings()).toEqual([]);
    expect(agent.lines.filter(({ message }) => message === "call answered")).toMatchObject([
      { level: "INFO", outcome: "invalid" },
    ]);
  });

  test("an answer is ok, and a model that fails is an error with its cause in the log", async () => {
    const { agent, warnings, countCalls } = await start({ text: "answered" }, () => {
      throw new Error("the model broke");
    });
    expect(await ask(agent.mcpUrl, { message: "hi" })).toMatchObject({ isError: false });
    expect(await ask(agent.mcpUrl, { message: "hi" })).toMatchObject({ isError: true });
    expect(await countCalls()).toEqual({ ok: 1, error: 1, cancelled: 0, invalid: 0 });
    expect(warnings()).toMatchObject([{ message: "call failed", err: { message: "the model broke" } }]);
  });

  test.each(["2025", "2026"])("a call of %s that is taken back is logged as cancelled by the caller", async (era) => {
    const { agent, models, warnings, countCalls } = await start(waitForAbort);
    const cancel = new AbortController();
    const { signal } = cancel;
    const call = era === "2025" ? await send2025(agent.mcpUrl, signal) : await send2026(agent.mcpUrl, signal);
    await vi.waitFor(() => expect(models.requests).toHaveLength(1), { timeout: 5_000 });
    cancel.abort();
    await expect(call.ended).rejects.toThrow(/cancelled|abort/i);
    await vi.waitFor(async () => expect(await countCalls()).toEqual({ ok: 0, error: 0, cancelled: 1, invalid: 0 }));
    expect(warnings()).toEqual([]);
    const logged = agent.lines.filter(({ outcome }) => outcome === "cancelled");
    expect(logged).toMatchObject([{ level: "INFO", message: "call cancelled by the caller" }]);
    expect(logged[0]).not.toHaveProperty("err");
    await call.close();
  });
});
