// What passes both ways, by the clients that others use and by plain requests.
import { Client as Client2026 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as Transport2026 } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { startBridge } from "./testing/bridge-under-test.ts";
import { openRawSession, parseSaid, readEvents } from "./testing/raw-session.ts";

it("DSC-6: a client of the 2025 era uses all that a server offers, and is asked in its calls", async () => {
  const { url } = await startBridge();
  const client = new Client2025({ name: "c", version: "1" }, { capabilities: { elicitation: {}, roots: {} } });
  onTestFinished(() => client.close());
  const updated: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { which: "this" } }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///here" }] }));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  await client.connect(new Transport2025(new URL(url)));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
  expect((await client.readResource({ uri: "test://x" })).contents).toMatchObject([{ text: "text of test://x" }]);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: "any" }]);
  expect((await client.getPrompt({ name: "greet" })).messages).toHaveLength(1);
  const completed = await client.complete({
    ref: { type: "ref/prompt", name: "greet" },
    argument: { name: "a", value: "" },
  });
  expect(completed.completion.values).toEqual(["one", "two"]);
  const asked = await client.callTool({ name: "ask", arguments: {} });
  expect(parseSaid({ result: asked })).toEqual({ action: "accept", content: { which: "this" } });
  const roots = await client.callTool({ name: "ask", arguments: { method: "roots/list" } });
  expect(parseSaid({ result: roots })).toEqual({ roots: [{ uri: "file:///here" }] });
  await client.subscribeResource({ uri: "test://a" });
  await client.callTool({ name: "change", arguments: {} });
  await vi.waitFor(() => expect(updated).toEqual(["test://a"]));
  const steps: unknown[] = [];
  await client.callTool({ name: "progress", arguments: {} }, undefined, {
    onprogress: (each) => steps.push(each.message),
  });
  expect(steps).toEqual(["step 1", "step 2", "step 3"]);
});

it("DSC-6: a client of the 2026 era uses what a server offers that speaks the older one", async () => {
  const { url, health } = await startBridge();
  const client = new Client2026(
    { name: "c", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities: { elicitation: { form: {} } } },
  );
  onTestFinished(() => client.close());
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { which: "that" } }));
  await client.connect(new Transport2026(new URL(url)));
  expect(client.getInstructions()).toBe("Use it well.");
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
  const answers = await Promise.all(
    Array.from(
      { length: 30 },
      async (_, at) => await client.callTool({ name: "slow", arguments: { ms: (at * 7) % 20, at } }),
    ),
  );
  expect(answers.map((result) => parseSaid({ result }))).toMatchObject(answers.map((_, at) => ({ args: { at } })));
  expect((await client.readResource({ uri: "test://x" })).contents).toMatchObject([{ text: "text of test://x" }]);
  expect((await client.listResources()).resources).toMatchObject([{ uri: "test://a" }]);
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "greet" }]);
  expect((await client.getPrompt({ name: "greet" })).messages).toHaveLength(1);
  const completed = await client.complete({
    ref: { type: "ref/prompt", name: "greet" },
    argument: { name: "a", value: "" },
  });
  expect(completed.completion.values).toEqual(["one", "two"]);
  const asked = await client.callTool({ name: "ask", arguments: {} });
  expect(parseSaid({ result: asked })).toEqual({ action: "accept", content: { which: "that" } });
  // All by one process: their requests stand alone.
  expect((await health()).processes).toBe(1);
});

it("DSC-6: a call of the 2026 era whose process is killed gets one error, and the next is answered", async () => {
  const { url } = await startBridge();
  const client = new Client2026({ name: "c", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  onTestFinished(() => client.close());
  await client.connect(new Transport2026(new URL(url)));
  await expect(client.callTool({ name: "die", arguments: {} })).rejects.toThrow(/was ended by SIGKILL during the call/);
  expect(parseSaid({ result: await client.callTool({ name: "echo", arguments: {} }) })).toMatchObject({ calls: 1 });
});

it("DSC-6: tools that are not offered are in no list and unknown to calls, in both eras", async () => {
  const { url, health } = await startBridge({ tools: { allow: ["e*", "hidden", "slow"], deny: ["hid*"] } });
  const session = await openRawSession(url);
  const [listed] = await session.request("tools/list");
  expect(listed?.result?.["tools"]).toMatchObject([{ name: "echo" }, { name: "slow" }, { name: "env" }]);
  expect((await session.call("hidden")).error).toEqual({ code: -32_602, message: "Unknown tool: hidden" });
  expect((await session.call("die")).error?.message).toBe("Unknown tool: die");
  const client = new Client2026({ name: "c", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  onTestFinished(() => client.close());
  await client.connect(new Transport2026(new URL(url)));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "slow", "env"]);
  await expect(client.callTool({ name: "hidden", arguments: {} })).rejects.toThrow(/Unknown tool/);
  expect(await health()).toMatchObject({ status: "ok", toolCount: 3 });
});

it("a question is asked in the only call it can be about; of several calls on the client's own stream, or not at all", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url, { elicitation: {} });
  const ask = async (id: string) => {
    const messages = readEvents(
      await session.post({ id, method: "tools/call", params: { name: "ask", arguments: {} } }),
    );
    const { value: question } = await messages.next();
    await session.post({ id: question?.id, result: { action: "decline" } });
    return (await messages.next()).value;
  };
  expect(parseSaid((await ask("one")) ?? {})).toEqual({ action: "decline" });
  const slow = session.call("slow", { ms: 1_500 });
  expect(parseSaid(await session.call("ask"))).toMatchObject({
    code: -32_600,
    message: expect.stringMatching(/which of several calls/),
  });
  const stream = await session.listen();
  const asked = session.call("ask");
  const question = (await stream.next()).value;
  expect(question).toMatchObject({ method: "elicitation/create" });
  await session.post({ id: question?.id, result: { action: "cancel" } });
  expect(parseSaid(await asked)).toEqual({ action: "cancel" });
  await slow;
});

it("a client is not asked what it did not say that it answers, and no answer of it goes on that nobody asked for", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  expect(parseSaid(await session.call("ask"))).toMatchObject({ code: -32_601 });
  await session.post({ id: "s1", result: { action: "accept" } });
  expect(JSON.stringify(await session.say("seen"))).not.toContain("accept");
});

it("DSC-6: a cancelled call is cancelled at its server, and its client waits for no answer", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  const running = session.request("tools/call", { name: "slow", arguments: { ms: 60_000 } }, "slow one");
  await vi.waitFor(async () => expect(JSON.stringify(await session.say("seen"))).toContain("slow one"));
  await session.post({ method: "notifications/cancelled", params: { requestId: "slow one", reason: "enough" } });
  expect(await running).toEqual([]);
  expect(await session.say("seen")).toContainEqual(
    expect.objectContaining({ params: { requestId: "slow one", reason: "enough" } }),
  );
});

it("changes that come while a client does not listen are told when it does, each once", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  for (let count = 0; count < 3; count += 1) await session.call("change", { uri: "test://b" });
  const stream = await session.listen();
  expect([(await stream.next()).value, (await stream.next()).value]).toMatchObject([
    { method: "notifications/tools/list_changed" },
    { method: "notifications/resources/updated", params: { uri: "test://b" } },
  ]);
  await session.call("change", { uri: "test://c" });
  expect([(await stream.next()).value, (await stream.next()).value]).toMatchObject([
    { method: "notifications/tools/list_changed" },
    { params: { uri: "test://c" } },
  ]);
});

it("DSC-6: a fresh process is brought to where its client left the one before", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  await session.request("logging/setLevel", { level: "warning" });
  await session.request("resources/subscribe", { uri: "test://kept" });
  await session.request("resources/subscribe", { uri: "test://left" });
  await session.request("resources/unsubscribe", { uri: "test://left" });
  await session.call("die");
  const seen = await session.say("seen");
  expect(seen).toMatchObject([
    { method: "initialize", params: { clientInfo: { name: "raw" } } },
    { method: "notifications/initialized" },
    { method: "logging/setLevel", params: { level: "warning" } },
    { method: "resources/subscribe", params: { uri: "test://kept" } },
    { method: "tools/call" },
  ]);
});

it("sessions that share a process hear only of resources that they follow", async () => {
  const { url } = await startBridge({ sessions: { processes: "shared" } });
  const [first, second] = [await openRawSession(url), await openRawSession(url)];
  await first.request("resources/subscribe", { uri: "test://one" });
  await second.request("resources/subscribe", { uri: "test://two" });
  const [ofFirst, ofSecond] = [await first.listen(), await second.listen()];
  await first.call("change", { uri: "test://two" });
  await first.call("change", { uri: "test://one" });
  const hear = async (stream: typeof ofFirst) => [
    (await stream.next()).value,
    (await stream.next()).value,
    (await stream.next()).value,
  ];
  const changed = { method: "notifications/tools/list_changed" };
  expect(await hear(ofFirst)).toMatchObject([changed, changed, { params: { uri: "test://one" } }]);
  expect(await hear(ofSecond)).toMatchObject([changed, { params: { uri: "test://two" } }, changed]);
});

it("DSC-6: of those who share a process nobody is asked for another's call", async () => {
  const { url } = await startBridge({ sessions: { processes: "shared" } });
  const [first, second] = [await openRawSession(url, { elicitation: {} }), await openRawSession(url)];
  const slow = first.call("slow", { ms: 1_500 });
  expect(parseSaid(await second.call("ask"))).toMatchObject({
    code: -32_600,
    message: expect.stringMatching(/which of the running calls/),
  });
  await slow;
});
