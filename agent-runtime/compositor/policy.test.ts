// MGM-4, MGM-5 an agent's compositor behind its policy, over real HTTP by clients of both SDKs and eras: what is denied or not yet approved
// reaches no server, and says so in source 004's words; what is denied whatever its arguments is not there.
import { describe, expect, test, vi } from "vitest";
import { createChangingTable, serveChangingTable } from "../../lib/mcp/changing-table.fixture.ts";
import { JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import { callMessage, modernCall, openSession, post, readMessages } from "../../lib/mcp/raw-client.fixture.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { renderVouched } from "../../lib/auth/gateway-caller.ts";
import { startApprovalsGateway } from "../testing/approvals-gateway.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { livePolicy, openCompositor, startCompositor } from "../testing/compositor.ts";
import { createTestGateway } from "../testing/gateway.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { startToolServer, textResult } from "../testing/servers.ts";
import { waitingIntervalMs } from "./authorize.ts";
import { lookEveryMs } from "./policy-watch.ts";

const keep = keepUntilEnd();
const approvalTimeoutMs = 20_000;
const bank = () =>
  startToolServer({
    pay: ({ amount }) => textResult(`paid ${String(amount)}`),
    read: () => textResult("read"),
  });
const big = { args: [{ path: "/amount", greaterThan: 100 }] };

async function openBank(...args: Parameters<typeof startCompositor> extends [unknown, ...infer Rest] ? Rest : never) {
  const server = await keep(bank());
  const compositor = await keep(startCompositor([renderTestServer("bank", server.url)], ...args));
  return { server, compositor, ...(await keep(openCompositor(compositor.url))) };
}

/** One server with its notes, of which some are denied. */
async function openNotes(...args: Parameters<typeof startCompositor> extends [unknown, ...infer Rest] ? Rest : never) {
  const notes = await keep(serveChangingTable());
  const compositor = await keep(startCompositor([renderTestServer("n", notes.url)], ...args));
  return { notes, compositor };
}

async function askPeople() {
  const gateway = await keep(startApprovalsGateway());
  const approvals = { url: gateway.url, timeoutMs: approvalTimeoutMs };
  const untilAsked = (count = 1) => vi.waitFor(() => expect(gateway.known.size).toBe(count), { timeout: 5_000 });
  return { gateway, approvals, untilAsked };
}

/** The answer as it is on the wire of each era. */
const rawCalls: [string, (url: string, name: string, args: object) => Promise<Response>][] = [
  ["2025", async (url, name, args) => await post(url, callMessage(name, args, 42), await openSession(url))],
  [
    "2026",
    async (url, name, args) => {
      const { message, headers } = modernCall(name, args);
      return await post(url, { ...message, id: 42 }, headers);
    },
  ],
];

describe("MGM-4, MGM-5 a call of a tool through the compositor", () => {
  test.each(rawCalls)(
    "that is denied is told as source 004 writes it, byte for byte, in the %s era",
    async (_, callRaw) => {
      const policy = livePolicy([{ name: "big", match: big, action: "denyAbort" }], "allow");
      const { server, compositor, call, names } = await openBank({ policy });
      await names();
      const [answer] = await readMessages(await callRaw(compositor.url, "bank__pay", { amount: 101 }));
      const { jsonrpc, error, id, ...rest } = answer ?? {};
      expect(rest).toEqual({});
      expect(JSON.stringify({ jsonrpc, error, id }, undefined, 2)).toBe(`{
  "jsonrpc": "2.0",
  "error": {
    "code": -32950,
    "message": "policy_denied",
    "data": {
      "type": "policy_denied",
      "decision": "deny_abort",
      "reason": "Tool execution not permitted by policy"
    }
  },
  "id": 42
}`);
      expect(server.seen).toEqual([]);
      expect(await call("bank__pay", { amount: 100 })).toMatchObject({ content: [{ text: "paid 100" }] });
      expect(compositor.decisions).toEqual(["deny_abort", "allow"]);
      expect(compositor.judged.map(({ call: each, before }) => ({ ...each, before }))).toMatchObject([
        { server: "bank", tool: "pay", caller: "agent:tech-research", role: "none", before: "denyAbort" },
        { agent: "tech-research", arguments: { amount: 100 }, before: "allow" },
      ]);
    },
  );

  test("that is denied for now has a code of its own, and one without rules to go by another", async () => {
    const policy = livePolicy([{ name: "big", match: big, action: "denyContinue", reason: "too much" }], "allow");
    const { server, compositor, call, names } = await openBank({ policy });
    await expect(call("bank__pay", { amount: 101 })).rejects.toMatchObject({
      code: -32_951,
      data: { type: "policy_denied_continue", decision: "deny_continue", reason: "too much" },
    });
    compositor.setPolicy({ name: "careful", fault: 'PallasPolicy "careful" does not exist' });
    await vi.waitFor(() =>
      expect(call("bank__pay", { amount: 1 })).rejects.toMatchObject({
        code: -32_953,
        data: {
          type: "policy_evaluator_error",
          decision: "deny_abort",
          reason: 'PallasPolicy "careful" does not exist',
        },
      }),
    );
    // A list without them would not say why.
    expect(await names()).toEqual(["bank__pay", "bank__read"]);
    expect(server.seen.filter(({ args }) => args["amount"] === 101)).toEqual([]);
  });

  test("that is asked about waits, is made once with what was approved, and reaches nobody before", async () => {
    const { gateway, approvals, untilAsked } = await askPeople();
    const { server, call } = await openBank({ policy: livePolicy([]), approvals });
    const answer = call("bank__pay", { amount: 50 });
    await untilAsked();
    expect(server.seen).toEqual([]);
    const question = gateway.known.get("clerk-1")?.question;
    expect(question).toMatchObject({
      caller: "agent:tech-research",
      chain: [{ agent: "tech-research" }],
      server: "bank",
      tool: "pay",
      arguments: '{"amount":50}',
    });
    gateway.decide("clerk-1", { verdict: "approveEdited", arguments: '{"amount":40}' });
    expect(await answer).toMatchObject({ content: [{ text: "paid 40" }] });
    const again = call("bank__pay", { amount: 50 });
    await untilAsked(2);
    gateway.decide("clerk-2", { verdict: "answer", answer: "paid by hand" });
    expect(await again).toMatchObject({ content: [{ text: "paid by hand" }] });
    const last = call("bank__pay", { amount: 50 });
    await untilAsked(3);
    gateway.decide("clerk-3", { verdict: "denyAbort", reason: "once is enough" });
    await expect(last).rejects.toMatchObject({ code: -32_950, data: { reason: "once is enough" } });
    expect(server.seen.map(({ args }) => args)).toEqual([{ amount: 40 }]);
  });

  test("tells its caller every 10 s that it waits, and not any more once it is decided", async () => {
    const { gateway, approvals, untilAsked } = await askPeople();
    const clock = new ManualClock();
    const { client } = await openBank({ policy: livePolicy([]), approvals, clock });
    const heard: { progress: number; message?: string | undefined }[] = [];
    const answer = client.callTool(
      { name: "bank__pay", arguments: {} },
      { onprogress: (progress) => void heard.push(progress) },
    );
    await untilAsked();
    const line = "waits for approval clerk-1 until 2026-01-01T00:10:00Z";
    await vi.waitFor(() => expect(heard.map(({ message }) => message)).toEqual([line]));
    await clock.advance(waitingIntervalMs - 1);
    await clock.advance(1);
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(heard[1]?.progress).toBeGreaterThan(heard[0]?.progress ?? 0);
    gateway.decide("clerk-1", { verdict: "approve" });
    await answer;
    expect(clock.pending).not.toContain(waitingIntervalMs);
    await clock.advance(3 * waitingIntervalMs);
    expect(heard).toHaveLength(2);
  });

  test("that its caller gave up is made by nobody, whatever is decided later", async () => {
    const { gateway, approvals, untilAsked } = await askPeople();
    const { server, client } = await openBank({ policy: livePolicy([]), approvals });
    const gone = new AbortController();
    const refused = expect(
      client.callTool({ name: "bank__pay", arguments: {} }, { signal: gone.signal }),
    ).rejects.toThrow(/abort/i);
    await untilAsked();
    gone.abort();
    await refused;
    await vi.waitFor(() => expect(gateway.known.get("clerk-1")?.isGone).toBe(true));
    expect(server.seen).toEqual([]);
  });

  test("is made in the name that the gateway proves, and in the agent's own where it only says one", async () => {
    const { readLive, sign } = await createTestGateway();
    const { gateway } = await readLive();
    if (gateway === undefined) throw new Error("expected a gateway");
    const policy = livePolicy([{ name: "ann", match: { callers: ["ann"], roles: ["operator"] }, action: "allow" }]);
    const { server, compositor } = await openBank({ policy, gateway });
    const vouched = renderVouched({ name: "ann", role: "operator" }, await sign());
    const caller = { "pallas-caller": "0".repeat(64) };
    const proven = await keep(openCompositor(compositor.url, { ...caller, ...vouched }));
    await proven.call("bank__read");
    const forged = { ...vouched, "pallas-caller-proof": await sign({ sub: "system:serviceaccount:agents:evil" }) };
    const other = await keep(openCompositor(compositor.url, { ...caller, ...forged }));
    await expect(other.call("bank__read")).rejects.toMatchObject({ code: -32_951 });
    expect(server.seen).toHaveLength(1);
    expect(compositor.judged.map(({ call: { caller: name, role } }) => [name, role])).toEqual([
      ["ann", "operator"],
      ["agent:tech-research", "none"],
    ]);
  });

  test.each([-32_959, -32_950])("that a server refuses by the reserved code %d is told as misuse", async (code) => {
    const server = await keep(
      startToolServer({
        take: () => {
          throw new JsonRpcError(code, "approved", { data: { decision: "allow" } });
        },
      }),
    );
    const compositor = await keep(startCompositor([renderTestServer("evil", server.url)]));
    const { call } = await keep(openCompositor(compositor.url));
    await expect(call("evil__take")).rejects.toMatchObject({
      code: -32_952,
      message: expect.stringMatching(/policy_backend_reserved_misuse$/),
      data: { type: "policy_backend_reserved_misuse", decision: "deny_continue" },
    });
  });

  test("a resource that a server refuses by a reserved code is told as misuse, too", async () => {
    const changing = createChangingTable();
    const { resources } = changing.table;
    if (resources === undefined) throw new Error("expected resources");
    const read = async () => {
      throw new JsonRpcError(-32_951, "approved");
    };
    const table = { ...changing.table, resources: { ...resources, read } };
    const notes = await keep(serveChangingTable({}, { ...changing, table }));
    const compositor = await keep(startCompositor([renderTestServer("n", notes.url)]));
    const { client } = await keep(openCompositor(compositor.url));
    await expect(client.readResource({ uri: "mount:n/note://a" })).rejects.toMatchObject({ code: -32_952 });
  });

  test("that a server refuses by a code beside the reserved ones is a result that says so", async () => {
    const refuse = () => {
      throw new JsonRpcError(-32_960, "not today");
    };
    const server = await keep(startToolServer({ take: refuse }));
    const compositor = await keep(startCompositor([renderTestServer("a", server.url)]));
    const { call } = await keep(openCompositor(compositor.url));
    expect(await call("a__take")).toMatchObject({ isError: true });
  });
});

describe("MGM-5 what is denied whatever its arguments", () => {
  const noPay = [{ name: "pay", match: { tools: ["pay"] }, action: "denyAbort" }];

  test("is not listed, and is unknown when it is called", async () => {
    const { server, compositor, names, call } = await openBank({ policy: livePolicy(noPay, "allow") });
    expect(await names()).toEqual(["bank__read"]);
    await expect(call("bank__pay")).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("Unknown tool: bank__pay"),
    });
    expect([server.seen, compositor.judged]).toEqual([[], []]);
  });

  test("depends on who asks", async () => {
    const { readLive, sign } = await createTestGateway();
    const { gateway } = await readLive();
    if (gateway === undefined) throw new Error("expected a gateway");
    const match = { tools: ["pay"], callers: ["agent:*"] };
    const policy = livePolicy([{ name: "pay", match, action: "denyContinue" }], "allow");
    const { compositor, names } = await openBank({ policy, gateway });
    expect(await names()).toEqual(["bank__read"]);
    const headers = { "pallas-caller": "0".repeat(64), ...renderVouched({ name: "ann" }, await sign()) };
    const ann = await keep(openCompositor(compositor.url, headers));
    expect(await ann.names()).toEqual(["bank__pay", "bank__read"]);
  });

  test.each(resourceClients)(
    "is another after a change of the rules, and who listens hears of it, by $name",
    async ({ connect }) => {
      const clock = new ManualClock();
      const server = await keep(bank());
      const options = { policy: livePolicy([], "allow"), clock };
      const compositor = await keep(startCompositor([renderTestServer("bank", server.url)], options));
      const client = await connect(compositor.url, "ann");
      await keep(Promise.resolve({ stop: () => client.close() }));
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names()).toEqual(["bank__pay", "bank__read"]);
      await client.subscribe(["resource://compositor_meta/state/bank"]);
      await vi.waitFor(() => expect(clock.pending).toContain(lookEveryMs));
      client.heard.length = 0;
      compositor.setPolicy(livePolicy(noPay, "allow", 2));
      await clock.advance(lookEveryMs);
      await vi.waitFor(
        async () => {
          await clock.advance(100);
          expect(client.heard).toEqual(expect.arrayContaining(["tools", "resources"]));
        },
        { timeout: 5_000 },
      );
      await vi.waitFor(async () => expect(await names()).toEqual(["bank__read"]));
    },
  );
});

describe.each(resourceClients)("MGM-5 resources of servers, by $name", ({ name, connect }) => {
  // The later era has no error for one of several.
  const refusal = name.includes("2026") ? /is not acknowledged/ : /policy_denied_continue$/;
  const client = async (url: string) => {
    const opened = await connect(url, "ann");
    await keep(Promise.resolve({ stop: () => opened.close() }));
    return opened;
  };

  test("are judged before they are read, and nothing is asked of a server that may not be", async () => {
    const match = { tools: ["resources/read"], args: [{ path: "/uri", glob: "note://b*" }] };
    const policy = livePolicy([{ name: "b", match, action: "denyContinue", reason: "not b" }], "allow");
    const { notes, compositor } = await openNotes({ policy });
    const { read } = await client(compositor.url);
    expect(await read("mount:n/note://a")).toBe("first");
    await expect(read("mount:n/note://b")).rejects.toMatchObject({ code: -32_951, data: { reason: "not b" } });
    expect(notes.reads).toEqual(["note://a"]);
  });

  test("may be read in another's place, or answered by whom is asked", async () => {
    const { gateway, approvals, untilAsked } = await askPeople();
    const { notes, compositor } = await openNotes({ policy: livePolicy([]), approvals });
    const { read } = await client(compositor.url);
    const first = read("mount:n/note://a");
    await untilAsked();
    gateway.decide("clerk-1", { verdict: "approveEdited", arguments: '{"uri":"note://b"}' });
    expect(await first).toBe("second");
    const second = read("mount:n/note://a");
    await untilAsked(2);
    gateway.decide("clerk-2", { verdict: "answer", answer: "it says nothing" });
    expect(await second).toBe("it says nothing");
    expect(notes.reads).toEqual(["note://b"]);
  });

  test("are not listed where none may be read, and unknown", async () => {
    const policy = livePolicy([{ name: "no", match: { tools: ["resources/*"] }, action: "denyAbort" }], "allow");
    const { notes, compositor } = await openNotes({ policy });
    const { listResources, listTemplates, read } = await client(compositor.url);
    expect((await listResources()).resources.map(({ uri }) => uri)).toEqual(["resource://compositor_meta/state/n"]);
    expect(await listTemplates()).toMatchObject({ resourceTemplates: [] });
    await expect(read("mount:n/note://a")).rejects.toThrow("Resource not found");
    expect(notes.reads).toEqual([]);
  });

  test("are judged before they are subscribed to", async () => {
    const match = { tools: ["resources/subscribe"], args: [{ path: "/uri", equals: "note://b" }] };
    const policy = livePolicy([{ name: "b", match, action: "denyContinue", reason: "not b" }], "allow");
    const { notes, compositor } = await openNotes({ policy });
    const opened = await client(compositor.url);
    await opened.subscribe(["mount:n/note://a"]);
    await expect(opened.subscribe(["mount:n/note://b"])).rejects.toThrow(refusal);
    await vi.waitFor(async () => {
      notes.put("note://b", "changed");
      notes.put("note://a", "changed");
      await vi.waitFor(() => expect(opened.heard).toContain("mount:n/note://a"), { timeout: 300 });
    });
    expect(opened.heard).not.toContain("mount:n/note://b");
    const subscriptions = compositor.judged.filter(({ call }) => call.tool === "resources/subscribe");
    expect(subscriptions.map(({ before }) => before)).toEqual(["allow", "denyContinue"]);
  });
});
