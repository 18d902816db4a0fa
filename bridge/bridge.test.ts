import { expect, it, vi } from "vitest";
import { startBridge } from "./testing/bridge-under-test.ts";
import { openRawSession, tryOpenSession } from "./testing/raw-session.ts";

const said = expect.objectContaining({ pid: expect.any(Number) });

it("DSC-6: a client talks to the server as if it were its own, and hears what that says of itself", async () => {
  const { url } = await startBridge();
  const session = await openRawSession(url);
  expect(session.initialized).toMatchObject({
    id: "first",
    result: { protocolVersion: "2025-06-18", serverInfo: { name: "tested" }, instructions: "Use it well." },
  });
  expect(await session.say("echo", { text: "grüße\u2028" })).toMatchObject({ args: { text: "grüße\u2028" } });
  expect(await session.request("unknown/method")).toMatchObject([{ error: { code: -32_601 } }]);
});

it("DSC-6: each session has a process of its own, which ends with it", async () => {
  const { url, health } = await startBridge();
  const [first, second] = [await openRawSession(url), await openRawSession(url)];
  const pids = [await first.say("echo"), await second.say("echo")];
  expect(pids).toEqual([said, said]);
  expect(pids[0]).not.toEqual(pids[1]);
  const { processes } = await health();
  expect((await first.end()).status).toBe(200);
  await vi.waitFor(async () => expect((await health()).processes).toBe(processes - 1));
  expect((await first.post({ id: 9, method: "tools/list" })).status).toBe(404);
});

it("DSC-6: as many sessions open as there may be processes, and the next is refused with the cure", async () => {
  const { url, health, metric } = await startBridge({ sessions: { max: 3 } });
  for (let count = 0; count < 3; count += 1) await openRawSession(url);
  const refused = await tryOpenSession(url);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await refused.json()).toMatchObject({
    id: "first",
    error: { message: expect.stringMatching(/^All 3 processes .* spec\.sessions\.max .* shared/) },
  });
  expect(await metric("pallas_bridge_sessions_refused_total")).toBe(1);
  await vi.waitFor(async () => expect((await health()).processes).toBe(3));
});

it("DSC-6: sessions that share a process hear only their own answers", async () => {
  const { url, health } = await startBridge({ sessions: { processes: "shared", max: 1 } });
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openRawSession(url)));
  const answers = await Promise.all(
    sessions.flatMap((session, at) =>
      Array.from(
        { length: 20 },
        async (_, call) => await session.say("slow", { ms: (at * 7 + call * 3) % 20, at, call }),
      ),
    ),
  );
  expect(answers.map((answer) => Reflect.get(Object(answer), "args"))).toMatchObject(
    sessions.flatMap((_, at) => Array.from({ length: 20 }, (__, call) => ({ at, call }))),
  );
  expect((await health()).processes).toBe(1);
});

it("DSC-6: a killed process costs the calls in flight one error each, and the next call is answered", async () => {
  const { url, metric } = await startBridge();
  const session = await openRawSession(url);
  const slow = session.call("slow", { ms: 60_000 });
  const dead = await session.call("die");
  expect(dead.error?.message).toBe(
    "The server's process was ended by SIGKILL during the call; the next call starts it anew",
  );
  expect((await slow).error?.message).toBe(dead.error?.message);
  expect(await session.say("echo")).toMatchObject({ calls: 1 });
  expect(await metric("pallas_bridge_restarts_total")).toBe(1);
});
