// Calls that wait for a history which another call has: how many may, how long, and how they leave.
import { describe, expect, test, vi } from "vitest";
import type { LoopLimits, RunConfig } from "../../crds/run-config.ts";
import { stopAfterEach } from "../testing/cleanup.ts";
import { ask, connect2026, sendMessage } from "../testing/client.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createScriptedModels, waitForAbort } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";

const started = stopAfterEach();

/** An agent with one history, whose first call has it until `release` or its own end. */
async function startBusy(limits: Partial<LoopLimits>) {
  const gate = Promise.withResolvers<void>();
  const models = createScriptedModels([() => gate.promise.then(() => ({ text: "first" })), { text: "next" }]);
  const agent = await startAgent({ scope: "shared", limits: { ...renderTestConfig().limits, ...limits } }, { models });
  started.push(agent);
  const send = (message: string) => ask(agent.mcpUrl, { message });
  const first = send("first");
  await vi.waitFor(() => expect(models.requests).toHaveLength(1));
  return { url: agent.mcpUrl, models, send, first, release: gate.resolve };
}

describe("CFG-8 AGT-5 calls that wait for a history", () => {
  test("limits.queuedCalls may wait; one more is told number and field at once", async () => {
    const { send, first, release } = await startBusy({ queuedCalls: 2 });
    let refused = 0;
    const others = ["a", "b", "c"].map(async (message) => {
      const answer = await send(message);
      if (answer.isError) refused += 1;
      return answer.text;
    });
    await vi.waitFor(() => expect(refused).toBe(1));
    release();
    expect((await first).text).toBe("first");
    expect((await Promise.all(others)).toSorted()).toEqual([
      expect.stringMatching(/^2 calls already wait for this conversation: .*limits\.queuedCalls of the agent$/),
      "next",
      "next",
    ]);
  });

  test("waiting counts into limits.wallClock", async () => {
    const models = createScriptedModels([waitForAbort, waitForAbort]);
    const limits = { ...renderTestConfig().limits, wallClockMs: 2_000 };
    const agent = await startAgent({ scope: "shared", limits }, { models });
    started.push(agent);
    const first = ask(agent.mcpUrl, { message: "first" });
    await vi.waitFor(() => expect(models.requests).toHaveLength(1));
    // It has the history for what is left of its own time, which began with its call: less than half, whatever the machine does.
    const startedAt = performance.now();
    const second = ask(agent.mcpUrl, { message: "second" });
    await first;
    const waitedMs = performance.now() - startedAt;
    expect(await second).toMatchObject({ isError: true });
    const answeredMs = performance.now() - startedAt - waitedMs;
    expect(answeredMs).toBeLessThan(waitedMs);
  });

  test("AGT-8 a cancelled one leaves at once, and its place is free", async () => {
    const { url, send, first, models, release } = await startBusy({ queuedCalls: 1 });
    const connection = await connect2026(url);
    const cancelled = new AbortController();
    const waiting = sendMessage(connection, { message: "cancelled" }, cancelled.signal);
    await vi.waitFor(async () => expect((await send("refused")).text).toContain("1 calls already wait"));
    cancelled.abort(new Error("no longer"));
    await expect(waiting).rejects.toThrow("was cancelled");
    await connection.close();
    // Gets the place as soon as it is free.
    let text = "";
    const next = vi.waitFor(async () => {
      text = (await send("next")).text;
      expect(text).toBe("next");
    });
    await vi.waitFor(async () => expect((await send("probe")).text).toContain("1 calls already wait"));
    release();
    await first;
    await next;
    const asked = JSON.stringify(models.requests.at(-1)?.messages);
    expect(asked).not.toContain("cancelled");
  });
});

describe("SEC-6 calls that run at the same time", () => {
  /** An agent whose model answers nobody before `release`. */
  async function startSlow(changes: Partial<RunConfig>, limits: Partial<RunConfig["limits"]>) {
    const gate = Promise.withResolvers<void>();
    const models = createScriptedModels([() => gate.promise.then(() => ({ text: "done" }))]);
    const agent = await startAgent({ ...changes, limits: { ...renderTestConfig().limits, ...limits } }, { models });
    started.push(agent);
    const countRefused = async (reason: string) => {
      const series = await (await fetch(`${agent.adminUrl}/metrics`)).text();
      return Number(new RegExp(`pallas_refused_total{.*reason="${reason}"} (\\d+)`).exec(series)?.[1]);
    };
    return { models, release: gate.resolve, countRefused, send: (message: string) => ask(agent.mcpUrl, { message }) };
  }

  test.each(["connection", "request"] as const)(
    "scope %s: limits.concurrentCalls run; one more is told number and field at once, and may run later",
    async (scope) => {
      const { models, release, send, countRefused } = await startSlow({ scope }, { concurrentCalls: 2 });
      const running = [send("a"), send("b")];
      await vi.waitFor(() => expect(models.requests).toHaveLength(2));
      const refused = await send("c");
      expect(refused).toMatchObject({ isError: true });
      expect(refused.text).toMatch(
        /^2 calls are running, as many .*: try again later, or raise limits\.concurrentCalls /,
      );
      release();
      expect((await Promise.all(running)).map(({ text }) => text)).toEqual(["done", "done"]);
      expect(await send("d")).toMatchObject({ isError: false, text: "done" });
      expect([await countRefused("concurrent"), await countRefused("queued")]).toEqual([1, 0]);
    },
  );

  test("those that wait for one history count as the one that has it", async () => {
    const { release, send, countRefused } = await startSlow(
      { scope: "shared" },
      { concurrentCalls: 1, queuedCalls: 2 },
    );
    const sent = ["a", "b", "c", "d"].map(send);
    await vi.waitFor(async () => expect(await countRefused("queued")).toBe(1));
    release();
    const answers = await Promise.all(sent);
    expect(answers.filter(({ text }) => text === "done")).toHaveLength(3);
    expect(await countRefused("concurrent")).toBe(0);
  });
});
