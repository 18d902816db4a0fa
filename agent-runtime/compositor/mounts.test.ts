// MGM-4 what a compositor knows of its servers as time passes, by a clock that stands still: what it tells of one that was
// away, for how long it looks at one, and that one that hangs holds up no call to another.
import { expect, test, vi } from "vitest";
import type { RunServer } from "../../crds/run-config.ts";
import { createMemoryBudget } from "../../lib/process/memory-budget.ts";
import { ManualClock, settle } from "../../lib/process/testing/manual-clock.ts";
import { createAccessTokens } from "../access-tokens.ts";
import type { JudgedCall } from "../policy/types.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { createTestLog } from "../testing/servers.ts";
import { startTwistedServer } from "../testing/twisted-server.ts";
import { createCountCall } from "./count-call.ts";
import { createMountedTools } from "./mounted-tools.ts";
import { createMount } from "./mounts.ts";

const keep = keepUntilEnd();
const deadlines = { connectMs: 60_000, listMs: 60_000, firstListMs: 500 };
const lookIntervalMs = 60_000;
const allowsAll = { authorize: async ({ args }: JudgedCall) => ({ args }), observeHidden: async () => () => false };
const hanging = () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });

async function mountAll(servers: readonly RunServer[]) {
  const clock = new ManualClock();
  const { log } = createTestLog("SILENT");
  const readSecret = async () => "secret";
  const sources = { readSecret, tokens: createAccessTokens({ readSecret, clock }), readGatewayToken: readSecret };
  const heard: unknown[] = [];
  const listener = {
    onToolsChanged: () => undefined,
    onStateChanged: () => undefined,
    onResourceChange: (server: string, change: object) => void heard.push({ server, ...change }),
  };
  const parts = { config: renderTestConfig(), sources, log, clock, deadlines };
  const mounts = servers.map((server) => createMount(server, parts, listener));
  const stop = async () => void (await Promise.all(mounts.map((mount) => mount.close())));
  return { mounts, clock, heard, stop };
}

async function mountOne() {
  const server = await keep(startTwistedServer());
  const { mounts, ...rest } = await keep(mountAll([renderTestServer("a", server.url)]));
  const [mount] = mounts;
  if (mount === undefined) throw new Error("expected a mount");
  const { signal } = new AbortController();
  const call = () => mount.link.call("read", {}, { signal, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000 });
  return { server, mount, call, ...rest };
}

test("a server that was away may have changed all that is followed of it, and nothing else", async () => {
  const { server, mount, call, heard } = await mountOne();
  mount.follow("note://a");
  mount.follow(undefined);
  const unfollow = mount.follow("note://b");
  await call();
  unfollow();
  heard.length = 0;
  await call();
  expect(heard).toEqual([]);
  server.twists = { "tools/call": () => new Response(null, { status: 502 }) };
  await expect(call()).rejects.toThrow("HTTP 502");
  server.twists = {};
  await call();
  expect(heard).toEqual([{ server: "a", uri: "note://a" }]);
});

test("a server is looked at from time to time for as long as somebody follows something of it", async () => {
  const { mount, clock } = await mountOne();
  await mount.tools();
  expect(clock.pending).toEqual([]);
  const [first, second] = [mount.follow("note://a"), mount.follow(undefined)];
  await vi.waitFor(() => expect(clock.pending).toEqual([lookIntervalMs]));
  first();
  expect(clock.pending).toEqual([lookIntervalMs]);
  second();
  expect(clock.pending).toEqual([]);
});

test("a call of a known tool waits for no server that hangs", async () => {
  const hung = await keep(startTwistedServer({ "tools/list": hanging }));
  const well = await keep(startTwistedServer());
  const servers = [renderTestServer("hung", hung.url), renderTestServer("well", well.url)];
  const { mounts, clock } = await keep(mountAll(servers));
  const countCall = createCountCall(() => undefined, clock);
  const memory = createMemoryBudget(1_000_000);
  const tools = createMountedTools({ mounts, authorizer: allowsAll, countCall, memory, callTimeoutMs: 60_000, clock });
  const requester = { caller: "anyone" } as const;
  const listed = tools.list(requester);
  await vi.waitFor(() => expect(clock.pending).toEqual([deadlines.firstListMs]), { timeout: 10_000 });
  await clock.advance(deadlines.firstListMs);
  expect((await listed).map(({ name }) => name)).toEqual(["well__read"]);
  const found = tools.find("well__read", requester);
  await settle();
  expect(clock.pending).toEqual([]);
  expect((await found)?.name).toBe("well__read");
});
