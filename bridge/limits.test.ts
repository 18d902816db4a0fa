// What a bad server, or too many clients, cost: each limit at it and one past it.
import { execFileSync } from "node:child_process";
import { expect, it, vi } from "vitest";
import { systemClock } from "../lib/process/clock.ts";
import { bridgeLimits } from "./bridge.ts";
import { backoff } from "./stdio/starts.ts";
import { sessionLimits } from "./relay/session.ts";
import { startBridge } from "./testing/bridge-under-test.ts";
import { openRawSession, tryOpenSession } from "./testing/raw-session.ts";

const bytesAround = 100_000;
/** What stands around the payload in the answer to the test's second request. */
const envelope = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [], payload: "" } }).length;

it.each([
  { idFirst: true, where: "first" },
  { idFirst: false, where: "last" },
])(
  "DSC-6: an answer of the greatest size passes, one byte more is refused by its id, which stands $where",
  async ({ idFirst }) => {
    const { url } = await startBridge({ limits: { maxMessageBytes: bytesAround } });
    const session = await openRawSession(url);
    const bytes = bytesAround - envelope(1);
    const waiting = session.request("tools/call", { name: "slow", arguments: { ms: 500 } }, 9);
    expect((await session.call("big", { bytes, idFirst })).result?.["payload"]).toHaveLength(bytes);
    const refused = await session.call("big", { bytes: bytes + 1, idFirst });
    expect(refused.error?.message).toMatch(/too large to be passed on: it has 100001 bytes, more than 100000/);
    // The other call is not touched by it.
    expect((await waiting).at(-1)?.result).toBeDefined();
    expect((await session.call("echo")).result).toBeDefined();
  },
);

it("DSC-6: an answer of 100 MB is refused, and the bridge never holds it", async () => {
  const { url } = await startBridge({ timeoutMs: 60_000 });
  const session = await openRawSession(url);
  const before = process.memoryUsage.rss();
  const refused = await session.call("big", { bytes: 100_000_000 });
  expect(refused.error?.message).toMatch(/too large/);
  // Held, it would be so large three times: in pieces, as a whole and as text.
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
}, 60_000);

it("an answer with more structure than anybody may parse is refused", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  expect((await session.call("structure", { entries: 60_000 })).result).toBeDefined();
  expect((await session.call("structure", { entries: 210_000 })).error?.message).toMatch(/structural characters/);
});

it("DSC-6: text on standard output that is no message is counted and does no harm", async () => {
  const { url, metric } = await startBridge();
  const session = await openRawSession(url);
  expect(await session.say("stray")).toMatchObject({ calls: 1 });
  expect(await metric("pallas_bridge_stray_lines_total")).toBe(4);
});

it("DSC-6: a server that exits at once is started again after a back-off, and its last line says why", async () => {
  const { url, health, logLines, metric } = await startBridge({
    target: {
      kind: "command",
      command: [process.execPath, new URL("testing/stdio-server.ts", import.meta.url).pathname, "exit"],
      env: [{ name: "TOKEN", value: "visible-value" }],
    },
  });
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  const { message } = await health();
  expect(message).toBe(
    "the server's process exited with code 3 before it answered initialize; it wrote to standard error: cannot go on with visible-value [31m!",
  );
  const refused = await tryOpenSession(url);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringMatching(/it is started again in 1 s$/) },
  });
  await vi.waitFor(
    () => expect(logLines.filter((line) => line.includes("could not be started")).length).toBeGreaterThan(1),
    {
      timeout: backoff.initialMs * 5,
    },
  );
  expect(await metric('pallas_bridge_starts_total{outcome="failed"}')).toBeGreaterThan(1);
  expect(await metric('pallas_bridge_starts_total{outcome="ok"}')).toBe(0);
});

it("DSC-6: a server that never answers initialize is given up in time, and nothing of it is left", async () => {
  const { url, health } = await startBridge({ mode: "hang", limits: { startTimeoutMs: 300 } });
  const refused = await tryOpenSession(url);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining("did not answer initialize within 300 ms") },
  });
  expect(await health()).toMatchObject({ status: "down", processes: 0 });
});

it("a client that the server refuses is told so, and costs the next one nothing", async () => {
  const { url } = await startBridge({ mode: "choosy" });
  const refused = await tryOpenSession(url, { experimental: { refuse: {} } });
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("not like this") } });
  await openRawSession(url);
});

it("DSC-6: a server that floods standard error answers all the same, and its log is bounded", async () => {
  const { url, adminUrl, logLines } = await startBridge({ mode: "flood" });
  const session = await openRawSession(url);
  for (let count = 0; count < 20; count += 1) expect((await session.call("echo")).result).toBeDefined();
  const lines = (await (await fetch(`${adminUrl}/stderr`)).text()).trimEnd().split("\n");
  expect(lines).toHaveLength(200);
  expect(Math.max(...lines.map((line) => line.length))).toBe(1_001);
  expect(logLines.filter((line) => line.includes("server wrote")).length).toBeLessThan(250);
});

it("a session has so many requests at a time, and the next is refused with the cure", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  const running = Array.from({ length: sessionLimits.maxCalls }, (_, at) =>
    session.request("tools/call", { name: "slow", arguments: { ms: 1_500 } }, `c${at}`),
  );
  await vi.waitFor(async () => {
    const [answer] = await session.request("tools/call", { name: "slow", arguments: { ms: 1_500 } }, "more");
    expect(answer?.error?.message).toBe("this session has 256 requests running; wait for one to end");
  });
  expect((await Promise.all(running)).every(([answer]) => answer?.result !== undefined)).toBe(true);
});

it("DSC-6: a call has a deadline, which begins anew with progress, and its server hears that it is over", async () => {
  const { url } = await startBridge({ timeoutMs: 600 });
  const session = await openRawSession(url);
  const messages = await session.request("tools/call", {
    name: "progress",
    arguments: { steps: 5, ms: 250 },
    _meta: { progressToken: "mine" },
  });
  expect(messages.slice(0, -1)).toMatchObject(
    [1, 2, 3, 4, 5].map((progress) => ({ params: { progressToken: "mine", progress } })),
  );
  expect(messages.at(-1)?.result).toBeDefined();
  const late = await session.call("slow", { ms: 2_000 });
  expect(late.error?.message).toBe("The server did not answer tools/call within 600 ms, nor report progress");
  expect(JSON.stringify(await session.say("seen"))).toContain("notifications/cancelled");
});

it("DSC-6: a session without a request ends with its process after its time, and a listening one too", async () => {
  const { url, health } = await startBridge({ sessions: { idleTtlMs: 400 } });
  const session = await openRawSession(url);
  const stream = await session.listen();
  expect((await health()).processes).toBeGreaterThan(0);
  expect(await stream.next()).toMatchObject({ done: true });
  await vi.waitFor(async () => expect((await health()).processes).toBe(0));
  expect((await session.post({ id: 1, method: "tools/list" })).status).toBe(404);
  // The next who comes finds a server as before.
  expect(await (await openRawSession(url)).say("echo")).toMatchObject({ calls: 1 });
});

it("DSC-6: the session that was left first makes room for a new one; those that listen, call or are new do not", async () => {
  let laterMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const { url, health } = await startBridge({ sessions: { max: 4 }, clock });
  const open = () => openRawSession(url);
  const [leftLater, left, listening, calling] = [await open(), await open(), await open(), await open()];
  await leftLater.say("echo");
  expect((await tryOpenSession(url)).status).toBe(503);
  await listening.listen();
  const call = calling.call("slow", { ms: 2_000 });
  // What is asked behind it in its session is answered while it runs.
  await calling.say("echo");
  laterMs = bridgeLimits.abandonedAfterMs;
  const next = await open();
  expect((await left.post({ id: 1, method: "tools/list" })).status).toBe(404);
  const second = await open();
  expect((await leftLater.post({ id: 1, method: "tools/list" })).status).toBe(404);
  expect((await tryOpenSession(url)).status).toBe(503);
  expect((await health()).processes).toBe(4);
  for (const session of [next, second, listening]) expect(await session.say("echo")).toMatchObject({ calls: 1 });
  expect((await call).result).toBeDefined();
});

it("DSC-6: what a server started ends with its session, and a server that ignores SIGTERM too", async () => {
  const { url } = await startBridge({ mode: "stubborn" });
  const session = await openRawSession(url);
  const child = Number(await session.say("spawn"));
  const { pid } = Object(await session.say("echo"));
  await session.end();
  expect([child, Number(pid)].map(isAlive)).toEqual([false, false]);
});

it("the body of a request may be as large as configured, and not a byte more", async () => {
  const { url } = await startBridge({ bodyLimitBytes: 20_000 });
  const session = await openRawSession(url);
  const render = (text: string) => ({ id: 1, method: "tools/call", params: { name: "echo", arguments: { text } } });
  const rest = 20_000 - JSON.stringify({ jsonrpc: "2.0", ...render("") }).length;
  expect((await session.post(render("x".repeat(rest)))).status).toBe(200);
  expect((await session.post(render("x".repeat(rest + 1)))).status).toBe(413);
});

function isAlive(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}
