// How agents ask, wait and use, over real HTTP: the stream, its heartbeats and its ends, and what is refused.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  approvalHeartbeatMs,
  maxPendingApprovals,
  parseApprovalError,
  parseApprovalLine,
} from "../../crds/approval-wire.ts";
import { serveGateway } from "../testing/served-gateway.ts";
import { testConfig } from "../testing/resources.ts";
import { createApprovalRoutes } from "./routes.ts";
import { approve, createScene, hashOf, person, questionOf, timeoutMs, uses, missing } from "./testing/scene.ts";

const path = "/agent/approvals";
const everything = { agents: ["*"], servers: ["*"] };
const access = [
  ...["clerk", "other"].map((agent) => ({ who: { tokens: { name: "tokens", key: agent } }, as: { agent } })),
  { who: { tokens: { name: "tokens", key: "admins" } }, as: { role: "admin" as const, ...everything } },
];

async function serve() {
  const scene = createScene();
  const { routes, close } = createApprovalRoutes({ approvals: scene.approvals, clock: scene.clock });
  const served = await serveGateway({ config: testConfig({ access }), routes: [routes] });
  for (const name of ["clerk", "other", "admins"]) await served.allow(name, `of-${name}`);
  const send = async (method: string, at: string, body?: unknown, as = "clerk") => {
    const cancelled = new AbortController();
    onTestFinished(() => cancelled.abort());
    const answer = await fetch(`${served.url}${at}`, {
      method,
      headers: { Authorization: `Bearer of-${as}`, "Content-Type": "application/json" },
      signal: cancelled.signal,
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return Object.assign(answer, { cancel: () => cancelled.abort() });
  };
  const ask = (question: unknown = questionOf(), as = "clerk") => send("POST", path, question, as);
  const refused = async (answer: Response) => ({ status: answer.status, ...parseApprovalError(await answer.text()) });
  return { ...scene, ask, send, refused, close };
}

/** Its lines as they come. */
function linesOf(answer: Response) {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const reader = createInterface({ input: Readable.from(answer.body ?? []) })[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await reader.next();
    return done === true ? undefined : parseApprovalLine(value);
  };
}

describe("MGM-6 an agent asks over a stream", () => {
  it("which says under which name, beats, says what was decided, and ends; then it uses it once", async () => {
    const { ask, approvals, clock, send, refused } = await serve();
    const next = linesOf(await ask());
    const waiting = await next();
    expect(waiting).toEqual({
      type: "waiting",
      name: expect.stringMatching(/^clerk-[0-9a-f]{12}-0$/),
      expiresAt: new Date(clock.wallNow() + timeoutMs).toISOString(),
    });
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    for (let beat = 0; beat < 3; beat += 1) {
      await clock.advance(approvalHeartbeatMs);
      expect(await next()).toEqual({ type: "heartbeat" });
    }
    await approvals.decide(name, approve(), person("bob"));
    expect(await next()).toMatchObject({ type: "decided", name, decision: { verdict: "approve", by: "bob" } });
    expect(await next()).toBeUndefined();
    const use = (n: number, as?: string) => send("POST", `${path}/${name}/use`, uses(n), as);
    for (const _ of [1, 2]) expect(await (await use(1)).json()).toMatchObject({ decision: { verdict: "approve" } });
    expect(await refused(await use(2))).toMatchObject({ status: 409, error: "used" });
    expect(await refused(await use(1, "other"))).toMatchObject({ status: 404, error: "not_found" });
    expect(clock.pending.filter((ms) => ms <= approvalHeartbeatMs)).toEqual([]);
  });

  it("which is taken up again by name, and says the same", async () => {
    const { ask, approvals, send } = await serve();
    const first = await ask();
    const waiting = await linesOf(first)();
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    first.cancel();
    const again = linesOf(await send("GET", `${path}/${name}`));
    expect(await again()).toEqual(waiting);
    await approvals.decide(name, { ...approve(), verdict: "denyAbort" }, person("bob"));
    expect(await again()).toMatchObject({ type: "decided", decision: { verdict: "denyAbort" } });
    const later = linesOf(await send("GET", `${path}/${name}`));
    expect([await later(), await later(), await later()]).toMatchObject([
      { type: "waiting" },
      { type: "decided" },
      undefined,
    ]);
  });

  it("which says that it expired", async () => {
    const { ask, clock } = await serve();
    const next = linesOf(await ask());
    await next();
    await clock.advance(timeoutMs);
    let line = await next();
    while (line?.type === "heartbeat") line = await next();
    expect(line).toMatchObject({ type: "expired" });
    expect(await next()).toBeUndefined();
  });

  it("which ends without a last line when the gateway stops, and the question stays", async () => {
    const { ask, approvals, close } = await serve();
    const next = linesOf(await ask());
    await next();
    close();
    expect(await next()).toBeUndefined();
    expect(approvals.observe().pending).toBe(1);
  });

  it("and withdraws what it does not wait for any more", async () => {
    const { ask, send, approvals, counted } = await serve();
    const answer = await ask();
    const waiting = await linesOf(answer)();
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    expect((await send("DELETE", `${path}/${name}`, undefined, "other")).status).toBe(404);
    expect((await send("DELETE", `${path}/${name}`)).status).toBe(204);
    expect([approvals.observe().pending, counted]).toEqual([0, ["withdrawn"]]);
  });

  it("and says what its caller answered, where the rule asks it", async () => {
    const { ask, send, refused } = await serve();
    const policy = { ...questionOf().policy, askCaller: true };
    const waiting = await linesOf(await ask(questionOf(undefined, { policy })))();
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    const say = (answer: object, as?: string) => send("POST", `${path}/${name}/caller`, answer, as);
    const yes = { verdict: "approve", argumentsHash: hashOf({ amount: 40 }) };
    expect((await say(yes, "other")).status).toBe(404);
    expect(await refused(await say({ ...yes, verdict: "denyAbort" }))).toMatchObject({ status: 422 });
    expect(await (await say(yes)).json()).toMatchObject({ decision: { by: "ann", verdict: "approve" } });
    expect(await refused(await say({ ...yes, verdict: "denyContinue" }))).toMatchObject({
      status: 409,
      error: "decided",
      decision: { by: "ann", verdict: "approve" },
    });
  });

  it("but not for the caller, where the rule does not", async () => {
    const { ask, send } = await serve();
    const waiting = await linesOf(await ask())();
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    const yes = { verdict: "approve", argumentsHash: hashOf({ amount: 40 }) };
    expect((await send("POST", `${path}/${name}/caller`, yes)).status).toBe(403);
  });
});

describe("MGM-6 what is refused of agents, in one form", () => {
  it("a person, at every route", async () => {
    const { send, refused, approvals } = await serve();
    const routes = [
      ["POST", path],
      ["GET", `${path}/x`],
      ["POST", `${path}/x/use`],
      ["POST", `${path}/x/caller`],
      ["DELETE", `${path}/x`],
    ] as const;
    for (const [method, at] of routes) {
      const body = method === "POST" ? questionOf() : undefined;
      expect(await refused(await send(method, at, body, "admins"))).toMatchObject({ status: 403, error: "forbidden" });
    }
    expect((await send("POST", path, questionOf(), "nobody")).status).toBe(401);
    expect(approvals.list()).toEqual([]);
  });

  it("names that nobody has, and those of others", async () => {
    const { ask, send, refused } = await serve();
    const waiting = await linesOf(await ask(questionOf(), "other"))();
    const name = waiting?.type === "waiting" ? waiting.name : missing();
    for (const each of [name, "x", "a".repeat(300), "__proto__", "%2e%2e%2fsecrets"]) {
      const answers = [
        await send("GET", `${path}/${each}`),
        await send("POST", `${path}/${each}/use`, uses(1)),
        await send("DELETE", `${path}/${each}`),
      ];
      for (const answer of answers) expect(await refused(answer)).toMatchObject({ status: 404, error: "not_found" });
    }
  });

  const text = JSON.stringify(questionOf());
  const with_ = (members: string) => `${text.slice(0, -1)},${members}}`;
  it.each([
    ["no JSON", "{", 400],
    ["a list", "[]", 400],
    ["nothing", "{}", 422],
    ["10,000 levels", with_(`"x":${"[".repeat(10_000)}${"]".repeat(10_000)}`), 400],
    ["more than 1 MiB", with_(`"x":"${"x".repeat(1024 * 1024)}"`), 413],
    ["a hash that is none", JSON.stringify({ ...questionOf(), argumentsHash: "x" }), 422],
    [
      "arguments of 10,000 levels",
      JSON.stringify({ ...questionOf(), arguments: `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}` }),
      422,
    ],
    [
      "a chain that is too long",
      JSON.stringify(questionOf(undefined, { chain: Array.from({ length: 17 }, () => ({})) })),
      422,
    ],
    ["another hash than the arguments'", JSON.stringify(questionOf({}, { arguments: '{"a":1}' })), 422],
  ])("a body with %s", async (_name, body, status) => {
    const { ask, approvals, refused } = await serve();
    expect(await refused(await ask(body))).toMatchObject({ status });
    expect(approvals.list()).toEqual([]);
  });

  it("what a body says of the agent, or of what is decided, is not read", async () => {
    const { ask, approvals } = await serve();
    const more =
      '"agentRef":{"name":"other"},"decision":{"verdict":"approve"},"__proto__":{"decision":{}},"expiresAt":"2999-01-01T00:00:00Z"';
    await ask(with_(more));
    expect(approvals.list()).toMatchObject([{ spec: { agentRef: { name: "clerk" } } }]);
    expect(approvals.list()[0]?.spec.decision).toBeUndefined();
    expect(approvals.list()[0]?.spec.expiresAt).toMatch(/^2026/);
  });

  it("the 33rd that waits, and streams beyond so many", async () => {
    const { ask, refused } = await serve();
    for (let amount = 0; amount < maxPendingApprovals; amount += 1) {
      expect((await ask(questionOf({ amount }))).status).toBe(200);
    }
    const more = await ask(questionOf({ amount: -1 }));
    expect(more.headers.get("retry-after")).toBe("5");
    expect(await refused(more)).toMatchObject({ status: 429, error: "full", message: expect.stringContaining("32") });
    expect((await ask(questionOf({ amount: -1 }), "other")).status).toBe(200);
    const again = await Promise.all(Array.from({ length: maxPendingApprovals }, () => ask(questionOf({ amount: 0 }))));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await refused(await ask(questionOf({ amount: 0 })))).toMatchObject({ status: 429, error: "full" });
    again[0]?.cancel();
    await expect.poll(async () => (await ask(questionOf({ amount: 0 }))).status).toBe(200);
  });
});
