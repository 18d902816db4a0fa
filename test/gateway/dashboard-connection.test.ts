// The dashboard's connection and its resources in front of a real management server: what is followed, what is read again, and what
// happens when the gateway is gone, or no longer takes the token. The browser's fetch is Node's, and time passes when a test says so.
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { createConnection } from "../../dashboard/connect/connection.ts";
import { Problem } from "../../dashboard/connect/problem.ts";
import { createResources, jsonResource } from "../../dashboard/connect/resources.ts";
import { createFakeTime } from "../../dashboard/testing/fake-time.ts";
import { startManagement } from "../../gateway/management/testing/management.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";

const listUri = "resource://agents/list";
const listKind = jsonResource(z.array(z.looseObject({ id: z.string() })));

async function start() {
  const management = await startManagement({ agents: [sampleAgent("clerk")] });
  onTestFinished(() => management.stop());
  const time = createFakeTime();
  const asked: { method: string; uris?: string[]; uri?: string }[] = [];
  let [isUp, status] = [true, 0];
  const streams = new Set<AbortController>();
  const connection = createConnection({
    origin: new URL(management.url).origin,
    version: "1.0.0",
    time,
    async fetch(target, init = {}) {
      if (!isUp) throw new TypeError("fetch failed");
      if (status !== 0) return new Response("{}", { status, headers: { "content-type": "application/json" } });
      const { method, params } = JSON.parse(typeof init.body === "string" ? init.body : "{}");
      asked.push({ method, uris: params?.notifications?.resourceSubscriptions, uri: params?.uri });
      const cut = new AbortController();
      streams.add(cut);
      const headers = new Headers(init.headers);
      headers.set("x-caller", "admin");
      const signal = AbortSignal.any([cut.signal, ...(init.signal ? [init.signal] : [])]);
      return await fetch(target, { ...init, headers, signal });
    },
  });
  onTestFinished(() => connection.close());
  const resources = createResources(connection, time);
  const live = () => vi.waitFor(() => expect(connection.state.value.kind).toBe("live"));
  const names = (used: { loaded: { value: { data: { id: string }[] | undefined } } }) =>
    used.loaded.value.data?.map(({ id }) => id);
  return {
    ...{ management, time, connection, resources, asked, live, names },
    setUp(value: boolean) {
      isUp = value;
      if (!value) for (const cut of streams) cut.abort();
    },
    refuseWith: (code: number) => void (status = code),
    reads: () => asked.filter(({ method }) => method === "resources/read").length,
  };
}

test("UI-1 a resource is read once the connection is live, and again at each change, without asking on a timer", async () => {
  const { management, resources, connection, live, names, reads, time, asked } = await start();
  connection.open();
  const used = resources.use(listUri, listKind);
  await live();
  await vi.waitFor(() => expect(names(used)).toEqual(["clerk"]));
  management.state.put(sampleAgent("editor"));
  await vi.waitFor(() => expect(names(used)).toEqual(["clerk", "editor"]));
  const before = asked.length;
  time.advance(10 * 60_000);
  expect(asked).toHaveLength(before);
  expect(reads()).toBeGreaterThanOrEqual(2);
});

test("UI-1 views that come and go change what one stream is of, and what nobody looks at is followed no more", async () => {
  const { management, resources, connection, live, names, time, asked, reads } = await start();
  connection.open();
  await live();
  const first = resources.use(listUri, listKind);
  const second = resources.use("resource://presets/list", jsonResource(z.array(z.unknown())));
  time.advance(100);
  const listens = () => asked.filter(({ method }) => method === "subscriptions/listen");
  await vi.waitFor(() => expect(listens()).toHaveLength(1));
  await vi.waitFor(() => expect(names(first)).toEqual(["clerk"]));
  first.release();
  second.release();
  time.advance(100);
  const before = reads();
  management.state.put(sampleAgent("editor"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(reads()).toBe(before);
  // Back shows at once what was there, and then what is there now.
  const again = resources.use(listUri, listKind);
  expect(names(again)).toEqual(["clerk"]);
  await vi.waitFor(() => expect(names(again)).toEqual(["clerk", "editor"]));
});

test("UI-1 while the gateway is gone the last data stays, it is tried again with back-off, and read anew when it is back", async () => {
  const { management, resources, connection, live, names, setUp, time } = await start();
  connection.open();
  const used = resources.use(listUri, listKind);
  await live();
  await vi.waitFor(() => expect(names(used)).toEqual(["clerk"]));
  setUp(false);
  await vi.waitFor(() => expect(connection.state.value.kind).toBe("lost"));
  expect(names(used)).toEqual(["clerk"]);
  await expect(connection.call("agents_list", {})).rejects.toMatchObject({ kind: "unreachable" });
  management.state.put(sampleAgent("editor"));
  time.advance(1_000);
  await vi.waitFor(() => expect(connection.state.value).toMatchObject({ kind: "lost", retryAt: expect.any(Number) }));
  setUp(true);
  connection.retry();
  await live();
  await vi.waitFor(() => expect(names(used)).toEqual(["clerk", "editor"]));
});

test("UI-1 a token that is refused is not tried again until somebody signs in", async () => {
  const { connection, live, refuseWith, time } = await start();
  refuseWith(401);
  connection.open();
  await vi.waitFor(() => expect(connection.state.value).toMatchObject({ kind: "lost" }));
  const state = connection.state.value;
  expect(state.kind === "lost" && state.problem.kind).toBe("signed-out");
  time.advance(10 * 60_000);
  expect(connection.state.value).toBe(state);
  refuseWith(0);
  connection.open();
  await live();
});

test("UI-1 what a tool refuses, what is gone and what is strange are problems with a sentence", async () => {
  const { connection, resources, live } = await start();
  connection.open();
  await live();
  const refused = await connection.call("agents_delete", { agent_id: "nobody" }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect(refused).toMatchObject({ kind: "refused", message: expect.stringContaining("nobody") });
  await expect(connection.read("resource://agents/nobody/info")).rejects.toMatchObject({ kind: "gone" });
  const strange = resources.use("resource://container.info", jsonResource(z.object({ other: z.number() })));
  await vi.waitFor(() => expect(strange.loaded.value.problem?.message).toMatch(/form that this page does not know/));
});
