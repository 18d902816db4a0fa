import { describe, expect, test, vi } from "vitest";
import { stopAfterEach } from "./testing/cleanup.ts";
import { connect2025, connect2026, sendMessage } from "./testing/client.ts";
import { renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";
import { callTool, createScriptedModels, waitForAbort } from "./testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

const started = stopAfterEach();

const withinASecond = { timeout: 1_000, interval: 5 };

async function startHanging() {
  const argos = await startToolServer({
    hang: (_args, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
  });
  started.push(argos);
  const models = createScriptedModels([{ toolCalls: [callTool("argos__hang")] }, { text: "after" }]);
  const agent = await startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models });
  started.push(agent);
  return { argos, models, agent };
}

describe("AGT-8 cancellation", () => {
  test("closing the stream of a 2026 call aborts the downstream call within a second, and the history stays valid", async () => {
    const { argos, models, agent } = await startHanging();
    const connection = await connect2026(agent.mcpUrl);
    const cancel = new AbortController();
    const call = sendMessage(connection, { message: "go" }, cancel.signal);
    await vi.waitFor(() => expect(argos.seen).toHaveLength(1), { timeout: 5_000 });
    cancel.abort();
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await vi.waitFor(() => expect(argos.seen[0]?.context.signal.aborted).toBe(true), withinASecond);
    expect(models.requests).toHaveLength(1);
    await connection.close();
  });

  test("notifications/cancelled of a 2025 session aborts the model, and the session goes on with a valid history", async () => {
    const models = createScriptedModels([{ text: "one" }, waitForAbort, { text: "three" }]);
    const agent = await startAgent({}, { models });
    started.push(agent);
    const client = await connect2025(agent.mcpUrl);
    const send = (message: string, signal?: AbortSignal) =>
      client.callTool({ name: "send_message", arguments: { message } }, signal === undefined ? {} : { signal });
    await send("first");
    const cancel = new AbortController();
    const call = send("second", cancel.signal);
    await vi.waitFor(() => expect(models.requests).toHaveLength(2), { timeout: 5_000 });
    cancel.abort("no longer needed");
    await expect(call).rejects.toThrow(/no longer needed|abort/i);
    await vi.waitFor(() => expect(models.requests[1]?.signal.aborted).toBe(true), withinASecond);
    await send("third");
    expect(models.requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await client.close();
  });

  test("a call cancelled amid its tools leaves them answered as interrupted", async () => {
    const { argos, models, agent } = await startHanging();
    const client = await connect2025(agent.mcpUrl);
    const cancel = new AbortController();
    const options = { signal: cancel.signal };
    const call = client.callTool({ name: "tech_research", arguments: { message: "go" } }, options);
    await vi.waitFor(() => expect(argos.seen).toHaveLength(1), { timeout: 5_000 });
    cancel.abort("enough");
    await expect(call).rejects.toThrow(/enough|abort/i);
    await vi.waitFor(() => expect(argos.seen[0]?.context.signal.aborted).toBe(true), withinASecond);
    await client.callTool({ name: "send_message", arguments: { message: "and now?" } });
    expect(models.requests[1]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", toolCalls: [{ name: "argos__hang" }] },
      { role: "tool", results: [{ isError: true, text: expect.stringContaining("interrupted") }] },
      { role: "user" },
    ]);
    await client.close();
  });

  test("MET-2 counts as cancelled, neither as an error of the agent nor of the tool's server, and warns of nothing", async () => {
    const { argos, agent } = await startHanging();
    const connection = await connect2026(agent.mcpUrl);
    const cancel = new AbortController();
    const call = sendMessage(connection, { message: "go" }, cancel.signal);
    await vi.waitFor(() => expect(argos.seen).toHaveLength(1), { timeout: 5_000 });
    cancel.abort();
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await vi.waitFor(async () => {
      const body = await (await fetch(`${agent.adminUrl}/metrics`)).text();
      const counted = body.match(/^pallas_(send_message|tool_calls)_total\{.*outcome="(?:error|cancelled)".*$/gm);
      expect(counted?.map((line) => /outcome="(\w+)"\} (\d+)/.exec(line)?.slice(1))).toEqual([
        ["error", "0"],
        ["cancelled", "1"],
        ["error", "0"],
        ["cancelled", "1"],
      ]);
    }, withinASecond);
    expect(agent.lines.filter(({ level }) => level === "WARNING")).toEqual([]);
    await connection.close();
  });

  test("reaches a sub-agent's downstream server through the sub-agent", async () => {
    const { argos, agent: worker } = await startHanging();
    const models = createScriptedModels([{ toolCalls: [callTool("worker__worker", { message: "go" })] }]);
    const lead = await startAgent({ agents: [renderTestSubAgent("worker", worker.mcpUrl)] }, { models });
    started.push(lead);
    const connection = await connect2026(lead.mcpUrl);
    const cancel = new AbortController();
    const call = sendMessage(connection, { message: "go" }, cancel.signal);
    await vi.waitFor(() => expect(argos.seen).toHaveLength(1), { timeout: 5_000 });
    cancel.abort();
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await vi.waitFor(() => expect(argos.seen[0]?.context.signal.aborted).toBe(true), withinASecond);
    await connection.close();
  });
});
