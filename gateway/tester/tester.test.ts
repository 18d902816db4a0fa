import { describe, expect, it, test } from "vitest";
import { addressOf, serveTester } from "./testing/served-tester.ts";
import { startTried } from "./testing/tried-servers.ts";

const eras = ["2025", "2026"] as const;

async function open(era: (typeof eras)[number]) {
  const server = await startTried(era);
  const tester = await serveTester({ tried: addressOf(server.url) });
  const at = "/api/servers/tried";
  const call = (tool: string, args: object = {}, as = "alice") =>
    tester.ask(`${at}/call`, { body: { tool, args }, as });
  return { server, tester, at, call, ...tester };
}

describe.each(eras)("DSC-9 a server of the %s era is tried", (era) => {
  it("says what it is", async () => {
    const { ask, at } = await open(era);
    const { status, body } = await ask(`${at}/info`, { role: "viewer" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: "tried", version: "1.2.3", instructions: "Try me.", era });
    expect(body["capabilities"]).toMatchObject({ resources: { subscribe: true } });
  });

  it("lists tools with all that belongs to them, resources in its pages, templates and prompts", async () => {
    const { ask, at } = await open(era);
    const { body: tools } = await ask(`${at}/tools`, { role: "viewer" });
    expect(tools["tools"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "echo", outputSchema: { type: "object" } })]),
    );
    const { body: first } = await ask(`${at}/resources`, { role: "viewer" });
    expect(first).toMatchObject({ resources: [{ uri: "test://1" }, { uri: "test://2" }], nextCursor: "2" });
    const { body: second } = await ask(`${at}/resources?cursor=2`, { role: "viewer" });
    expect(second["resources"]).toHaveLength(1);
    expect(second["nextCursor"]).toBeUndefined();
    const { body: templates } = await ask(`${at}/resource-templates`, { role: "viewer" });
    expect(templates).toMatchObject({ resourceTemplates: [{ uriTemplate: "test://{id}" }] });
    const { body: prompts } = await ask(`${at}/prompts`, { role: "viewer" });
    expect(prompts).toMatchObject({ prompts: [{ name: "greet" }] });
  });

  it("is called, read, and asked for a prompt and a round trip, a line each", async () => {
    const { ask, at, call, entries } = await open(era);
    expect(await call("echo", { a: 1 })).toMatchObject({
      status: 200,
      body: { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } },
    });
    const read = await ask(`${at}/resource/read`, { body: { uri: "test://1" } });
    expect(read.body).toMatchObject({ contents: [{ uri: "test://1", text: "of test://1" }] });
    const got = await ask(`${at}/prompt/get`, { body: { name: "greet", arguments: { name: "Ann" } } });
    expect(got.body).toMatchObject({ messages: [{ role: "user", content: { text: "Hello Ann" } }] });
    const ping = await ask(`${at}/ping`, { method: "POST" });
    expect(ping.body).toEqual({ ok: true, rtt_ms: expect.any(Number) });
    expect(entries.filter(({ entry }) => entry.kind !== "notification").map(({ entry }) => entry)).toMatchObject([
      { kind: "resource-read", server: "tried", tool: "test://1", args: { uri: "test://1" }, success: true },
      { kind: "prompt-get", tool: "greet" },
      { kind: "ping" },
    ]);
  });

  it("offers no more than it may", async () => {
    const { ask, at } = await open(era);
    const names = Object((await ask(`${at}/tools`)).body["tools"]).map(({ name }: { name: string }) => name);
    expect(names).toContain("echo");
    expect(names).not.toContain("hidden");
  });

  it("tells of changes of what is subscribed to, and no more after that", async () => {
    const { ask, at, server } = await open(era);
    expect((await ask(`${at}/resource/subscribe`, { body: { uri: "test://1" } })).body).toEqual({ ok: true });
    const heard = async () => {
      const { body } = await ask(`${at}/logs/notifications`, { role: "viewer" });
      return Object(body["entries"]);
    };
    await expect
      .poll(
        async () => {
          server.change("test://1");
          return await heard();
        },
        { timeout: 10_000 },
      )
      .toContainEqual(
        expect.objectContaining({
          tool: "notifications/resources/updated",
          args: expect.objectContaining({ uri: "test://1" }),
        }),
      );
    await ask(`${at}/resource/unsubscribe`, { body: { uri: "test://1" } });
  });

  it("asks a form, which is answered by hand and must fit", async () => {
    const { ask, at, call } = await open(era);
    const called = call("ask");
    const list = async () => Object((await ask("/api/elicitations", { role: "viewer" })).body["entries"]);
    await expect.poll(list, { timeout: 10_000 }).toHaveLength(1);
    const [entry] = await list();
    expect(entry).toMatchObject({ kind: "elicitation", serverName: "tried", message: "Who are you?" });
    expect(entry.requestedSchema.required).toEqual(["name"]);
    expect(entry.expiresAt - entry.createdAt).toBe(120_000);
    const respond = (body: object, options = {}) => ask(`/api/elicitations/${entry.id}/respond`, { body, ...options });
    expect((await respond({ action: "accept", content: { name: 1 } })).status).toBe(422);
    expect((await respond({ action: "accept", content: { name: "eleven char" } })).status).toBe(422);
    expect((await respond({ action: "accept" })).status).toBe(422);
    expect((await respond({ action: "accept", content: { name: "Ann" } }, { as: "bob" })).status).toBe(404);
    expect((await respond({ action: "accept", content: { name: "Ann" } }, { role: "viewer" })).status).toBe(403);
    const here = `${at}/elicitations/${entry.id}/respond`;
    expect((await ask(here, { body: { action: "accept", content: { name: "Ann" } } })).body).toEqual({ ok: true });
    expect((await called).body).toMatchObject({
      content: [{ text: expect.stringMatching(/"action":"accept".*"name":"Ann"/) }],
    });
    expect((await respond({ action: "accept", content: { name: "Ann" } })).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it("asks a model, and the person answers in its place, or refuses", async () => {
    const { ask, call } = await open(era);
    const list = async () => Object((await ask("/api/elicitations")).body["entries"]);
    const answered = call("sample");
    await expect.poll(list, { timeout: 10_000 }).toHaveLength(1);
    const [entry] = await list();
    expect(entry).toMatchObject({ kind: "sampling", params: { maxTokens: 10 } });
    const at = `/api/elicitations/${entry.id}/respond`;
    expect((await ask(at, { body: { action: "accept", content: { text: "hello" } } })).status).toBe(422);
    expect((await ask(at, { body: { action: "accept", content: "hello" } })).status).toBe(200);
    expect((await answered).body).toMatchObject({ content: [{ text: expect.stringContaining('"text":"hello"') }] });
    const refused = call("sample");
    await expect.poll(list, { timeout: 10_000 }).toHaveLength(1);
    const [second] = await list();
    await ask(`/api/elicitations/${second.id}/respond`, { body: { action: "decline" } });
    const { status, body } = await refused;
    expect(status === 502 || Object(body)["isError"] === true).toBe(true);
  });

  it("is shown the caller's roots", async () => {
    const { ask, at, call } = await open(era);
    const roots = [{ uri: "file:///srv/data", name: "data" }];
    expect((await ask("/api/roots")).body).toEqual({ roots: [] });
    expect((await ask("/api/roots", { method: "PUT", body: { roots } })).body).toEqual({ roots });
    expect((await ask(`${at}/roots`, { role: "viewer" })).body).toEqual({ roots });
    expect((await ask("/api/roots", { as: "bob" })).body).toEqual({ roots: [] });
    expect((await call("roots")).body).toMatchObject({
      content: [{ text: expect.stringContaining("file:///srv/data") }],
    });
  });

  it("reports progress and log messages, which come out as they are", async () => {
    const { ask, at, call } = await open(era);
    expect((await ask(`${at}/logging-level`, { body: { level: "info" } })).body).toEqual({ ok: true, level: "info" });
    await call("steps");
    await call("log");
    await expect
      .poll(async () => (await ask(`${at}/logs/progress`)).body["entries"], { timeout: 10_000 })
      .toMatchObject([
        {
          kind: "progress",
          tool: "progress",
          args: { progress: 2, total: 2, message: "step 2", token: expect.anything() },
        },
        { args: { progress: 1 } },
      ]);
    const { body } = await ask("/api/logs/notifications");
    expect(body["entries"]).toContainEqual(
      expect.objectContaining({
        tool: "notifications/message",
        args: expect.objectContaining({ data: "hello \u001B[31m" }),
      }),
    );
  });

  it("floods us: the newest two hundred are kept, and no more than so much of them", async () => {
    const { ask, at, call } = await open(era);
    await ask(`${at}/logging-level`, { body: { level: "info" } });
    expect((await call("flood")).status).toBe(200);
    await expect
      .poll(async () => JSON.stringify((await ask("/api/logs/notifications")).body), { timeout: 10_000 })
      .toContain("999 xxx");
    const { body } = await ask("/api/logs/notifications");
    expect(body["entries"]).toHaveLength(200);
    expect(JSON.stringify(body).length).toBeLessThan(2 * 1024 * 1024);
  });

  it("answers too much: an error that says so, and the next call works", async () => {
    const { call } = await open(era);
    const { status, body } = await call("huge");
    expect(status).toBe(502);
    expect(body["message"]).toContain("too much");
    expect((await call("echo")).status).toBe(200);
  });

  it("is nobody else's: neither session, nor what it said, nor what it asks", async () => {
    const { ask, call } = await open(era);
    const asking = call("ask");
    await expect
      .poll(async () => (await ask("/api/elicitations")).body["entries"], { timeout: 10_000 })
      .toHaveLength(1);
    await call("steps");
    for (const path of ["/api/elicitations", "/api/logs/progress", "/api/logs/notifications"]) {
      expect((await ask(path, { as: "bob" })).body).toEqual({ entries: [] });
    }
    const { body } = await ask("/api/elicitations");
    await ask(`/api/elicitations/${Object(body["entries"])[0].id}/respond`, { body: { action: "cancel" } });
    await asking;
  });
});

test("DSC-9 a question beside all calls is asked of the caller whose session it is (2025)", async () => {
  const { ask, call } = await open("2025");
  const called = call("ask-aside");
  await expect.poll(async () => (await ask("/api/elicitations")).body["entries"], { timeout: 10_000 }).toHaveLength(1);
  const { body } = await ask("/api/elicitations");
  await ask(`/api/elicitations/${Object(body["entries"])[0].id}/respond`, { body: { action: "decline" } });
  expect((await called).body).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
});

test("DSC-9 a session that the server has lost is opened anew, and what was asked is asked once more", async () => {
  const { call, server } = await open("2025");
  await call("echo");
  server.forget();
  expect((await call("echo", { b: 2 })).status).toBe(200);
  expect(server.sessions()).toBe(1);
});

test("DSC-9 whoever gives up a call ends it at the server, and its question is gone", async () => {
  const { ask, url } = await open("2025");
  const gone = new AbortController();
  const called = fetch(`${url}/api/servers/tried/call`, {
    method: "POST",
    signal: gone.signal,
    headers: { "x-role": "caller", "content-type": "application/json" },
    body: JSON.stringify({ tool: "ask" }),
  });
  await expect.poll(async () => (await ask("/api/elicitations")).body["entries"], { timeout: 10_000 }).toHaveLength(1);
  gone.abort();
  await expect(called).rejects.toThrow("aborted");
  await expect.poll(async () => (await ask("/api/elicitations")).body["entries"], { timeout: 10_000 }).toEqual([]);
});
