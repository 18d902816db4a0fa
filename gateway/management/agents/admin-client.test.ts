// What an agent with several processes is asked (MGM-3): all of them, and what is said when some do not answer.
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { createAdminClient } from "./admin-client.ts";

const log = createLogger({ logger: "test", level: "SILENT", destination: { write: () => undefined } });
const { signal } = new AbortController();
const gone = "http://127.0.0.1:1";

/** A process of the agent with these calls, running and ended at a time, or one that answers with this status. */
async function startProcess(runs: Record<string, string>, status = 200, ended: Record<string, string> = {}) {
  const app = new Hono();
  app.use(async (c, next) => {
    if (status !== 200) return c.text("no", 503);
    await next();
    return undefined;
  });
  app.get("/runs", (c) =>
    c.json({
      agent: "clerk",
      runs: Object.entries(runs).map(([id, startedAt]) => ({ id, startedAt })),
      // As processes of before answer, which told of no ended ones.
      ...(Object.keys(ended).length > 0 && { ended: Object.entries(ended).map(renderEnded) }),
    }),
  );
  app.delete("/runs/:id", (c) => {
    const isThere = c.req.param("id") in runs;
    delete runs[c.req.param("id")];
    return c.body(null, isThere ? 204 : 404);
  });
  app.delete("/runs", (c) => c.json({ aborted: Object.keys(runs).length }));
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  onTestFinished(async () => void (await server.close({ graceMs: 0 })));
  return server.url;
}

const renderEnded = ([id, endedAt]: [string, string]) => ({
  ...{ id, endedAt, startedAt: "2026-01-01T00:00:00Z", caller: "lea", steps: 3, tokens: 1_200, outcome: "ok" },
});

const clientOf = (urls: readonly string[]) =>
  createAdminClient({
    state: { getEndpoint: () => undefined, listAdminUrls: () => urls },
    readAgentsToken: async () => "token",
  });

describe("MGM-3 the calls of an agent with several processes", () => {
  const start = () =>
    Promise.all([startProcess({ late: "2026-01-02T00:00:00Z" }), startProcess({ early: "2026-01-01T00:00:00Z" })]);

  test("are listed together, the oldest first", async () => {
    const { runs, ended } = await clientOf(await start()).fetchRuns("clerk", signal);
    expect(runs.map(({ id }) => id)).toEqual(["early", "late"]);
    expect(runs[0]).toEqual({ id: "early", startedAt: "2026-01-01T00:00:00Z", steps: 0, tokens: 0 });
    expect(ended).toEqual([]);
    expect(await clientOf(await start()).countRuns("clerk", signal)).toBe(2);
  });

  test("that have ended are listed together, the newest first, and the last 50 of all", async () => {
    const at = (n: number) => `2026-01-01T00:01:${String(n).padStart(2, "0")}Z`;
    const some = (from: number) =>
      Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`r${from + 2 * n}`, at(from + 2 * n)]));
    const urls = [await startProcess({}, 200, some(0)), await startProcess({}, 200, some(1))];
    const { ended } = await clientOf(urls).fetchRuns("clerk", signal);
    expect(ended).toHaveLength(50);
    expect(ended.map(({ id }) => id).slice(0, 3)).toEqual(["r51", "r50", "r49"]);
    expect(ended.at(-1)).toEqual({ ...renderEnded(["r2", at(2)]) });
  });

  test("are aborted wherever they are, one or all", async () => {
    const client = clientOf(await start());
    expect(await client.abortAll("clerk", signal)).toBe(2);
    expect(await client.abortRun("clerk", "early", signal)).toBe(true);
    expect(await client.abortRun("clerk", "early", signal)).toBe(false);
  });

  test("of which one does not answer: what is known is said, and what is not known is no answer", async () => {
    const [busy, idle] = [await startProcess({ one: "2026-01-01T00:00:00Z" }), await startProcess({})];
    expect(await clientOf([gone, busy]).fetchRuns("clerk", signal)).toMatchObject({ runs: [{ id: "one" }] });
    await expect(clientOf([gone, idle]).fetchRuns("clerk", signal)).rejects.toThrow(/fetch failed|connect|refused/i);
    await expect(clientOf([gone, idle]).countRuns("clerk", signal)).rejects.toThrow(/fetch failed|connect|refused/i);
    expect(await clientOf([gone, busy]).abortRun("clerk", "one", signal)).toBe(true);
    const failing = clientOf([await startProcess({}, 503), idle]);
    await expect(failing.abortRun("clerk", "one", signal)).rejects.toThrow(
      'expected 204 or 404 from agent "clerk", found 503',
    );
    await expect(failing.abortAll("clerk", signal)).rejects.toThrow('expected 200 from agent "clerk", found 503');
  });

  test("are asked of 64 processes, and of none where there are more", async () => {
    const url = await startProcess({});
    const many = (count: number) => clientOf(Array.from({ length: count }, () => url)).fetchRuns("clerk", signal);
    expect(await many(64)).toEqual({ runs: [], ended: [] });
    await expect(many(65)).rejects.toThrow('agent "clerk" has 65 processes, and at most 64 are asked');
  });

  test("cannot be asked of an agent without processes", async () => {
    await expect(clientOf([]).fetchRuns("clerk", signal)).rejects.toThrow(
      'agent "clerk" has no process that could be asked',
    );
  });
});

describe("MGM-3 the calls that an agent judged, as other rules would", () => {
  const judged = {
    at: "2026-01-01T00:00:00Z",
    server: "bank",
    tool: "pay",
    caller: "ann",
    before: "ask",
    after: "allow",
  };
  async function startJudge(agent = "clerk") {
    const sent: unknown[] = [];
    const app = new Hono();
    app.post("/judged", async (c) => {
      sent.push([c.req.header("authorization"), c.req.header("content-type"), await c.req.json()]);
      return c.json({ agent, calls: [judged] });
    });
    const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    return { url: server.url, sent };
  }
  const rules = { rules: [{ name: "reads", action: "allow" }], default: "ask" };

  test("are those of all its processes", async () => {
    const [first, second] = [await startJudge(), await startJudge()];
    expect(await clientOf([first.url, second.url]).fetchJudged("clerk", rules, signal)).toEqual([judged, judged]);
    for (const sent of [first.sent, second.sent]) expect(sent).toEqual([["Bearer token", "application/json", rules]]);
  });

  test("are none where one process cannot be asked, or is another's by now", async () => {
    const [own, others] = [await startJudge(), await startJudge("boss")];
    await expect(clientOf([own.url, gone]).fetchJudged("clerk", rules, signal)).rejects.toThrow(/connect|refused/i);
    await expect(clientOf([others.url]).fetchJudged("clerk", rules, signal)).rejects.toThrow('found those of "boss"');
  });
});

describe("MGM-2 the conversations that an agent has with a caller", () => {
  async function startKeeper(agent: string, extra: object = {}) {
    const sent: unknown[] = [];
    const app = new Hono();
    app.post("/conversations", async (c) => {
      sent.push([c.req.header("authorization"), c.req.header("content-type"), await c.req.json()]);
      return c.json({ agent, scope: "connection", conversations: [], ...extra });
    });
    const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    const endpoint = { mcpUrl: gone, adminUrl: server.url };
    const client = createAdminClient({
      state: { getEndpoint: (name) => (name === "clerk" ? endpoint : undefined), listAdminUrls: () => [] },
      readAgentsToken: async () => "token",
    });
    return { client, sent };
  }

  test("are asked for by the caller's subject, which no address has in it", async () => {
    const { client, sent } = await startKeeper("clerk");
    expect(await client.fetchConversations("clerk", "ann", signal)).toMatchObject({ conversations: [] });
    expect(sent).toEqual([["Bearer token", "application/json", { subject: "ann" }]]);
    await expect(client.fetchConversations("gone", "ann", signal)).rejects.toThrow("no process");
  });

  const one = { title: "x".repeat(80), begunAt: "", lastAt: "", answering: false };
  test.each([
    ["as many as there may be", "clerk", { conversations: Array.from({ length: 200 }, () => one) }, "read"],
    ["one more", "clerk", { conversations: Array.from({ length: 201 }, () => one) }, "found another shape"],
    ["a longer title", "clerk", { conversations: [{ ...one, title: "x".repeat(81) }] }, "found another shape"],
    ["those of another agent", "boss", {}, 'found those of "boss"'],
    ["more than is read", "clerk", { more: "x".repeat(512 * 1024) }, "found more"],
  ])("are read where they are %s, or refused", async (_what, agent, extra, problem) => {
    const { client } = await startKeeper(agent, extra);
    const outcome = client.fetchConversations("clerk", "ann", signal).then(
      () => "read",
      (error: unknown) => String(error),
    );
    expect(await outcome).toContain(problem);
  });
});

describe("DSC-3 tools that an agent tells of", () => {
  const report = { agent: "clerk", server: "my vault", version: "v1", tools: [] };
  async function startTeller(body: object) {
    const seen: Record<string, string | undefined>[] = [];
    const app = new Hono();
    app.get("/servers/:name/tools", (c) => {
      const known = c.req.header("if-none-match");
      seen.push({ server: c.req.param("name"), known, authorization: c.req.header("authorization") });
      if (c.req.param("name") !== "my vault") return c.text("no", 404);
      return known === '"v1"' ? c.body(null, 304) : c.json(body);
    });
    const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    const endpoint = { mcpUrl: gone, adminUrl: server.url };
    const client = createAdminClient({
      state: { getEndpoint: (name) => (name === "clerk" ? endpoint : undefined), listAdminUrls: () => [] },
      readAgentsToken: async () => "token",
    });
    return { client, seen };
  }

  test("are read with the gateway's token, and not again while they are the same", async () => {
    const { client, seen } = await startTeller(report);
    expect(await client.fetchTools("clerk", "my vault", undefined, signal)).toEqual(report);
    expect(await client.fetchTools("clerk", "my vault", "v0", signal)).toEqual(report);
    expect(await client.fetchTools("clerk", "my vault", "v1", signal)).toBe("same");
    const asked = { server: "my vault", authorization: "Bearer token" };
    expect(seen).toEqual([
      { ...asked, known: undefined },
      { ...asked, known: '"v0"' },
      { ...asked, known: '"v1"' },
    ]);
  });

  test.each([
    ["of a server that it says nothing of", "other", report, 'expected 200 or 304 from agent "clerk", found 404'],
    ["of another agent", "my vault", { ...report, agent: "boss" }, "found those of another agent or server"],
    ["of another form", "my vault", { ...report, tools: [{ name: "" }] }, "found another shape"],
    ["over the limit", "my vault", { ...report, serverDescription: "x".repeat(4 * 1024 * 1024) }, "found more"],
  ])("are none %s", async (_what, server, body, message) => {
    const { client } = await startTeller(body);
    await expect(client.fetchTools("clerk", server, undefined, signal)).rejects.toThrow(message);
    await expect(client.fetchTools("gone", server, undefined, signal)).rejects.toThrow("no process");
  });
});
