import { describe, expect, it } from "vitest";
import { approvalUri, pendingUri } from "../data/approvals.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import type { Caller } from "../session/caller.ts";
import { createHostConnection, readEveryMs } from "./host-connection.ts";

const caller = {
  subject: "lea",
  name: "lea",
  role: "approver",
  instance: "ouranos",
  namespace: "agents",
  version: "1.0.0",
  management: "approve",
};
const listOf = (...ids: string[]) => ({
  content: [{ type: "text", text: "told" }],
  structuredContent: {
    approvals: ids.map((call_id) => ({ call_id })),
    caller,
    now: "2026-11-24T12:00:00.000Z",
  },
});

function open({ callsTools = true, isVisible = true } = {}) {
  const time = createFakeTime();
  const asked: [string, unknown][] = [];
  const callers: Caller[] = [];
  let answer: unknown = listOf("a");
  const connection = createHostConnection({
    link: {
      ask: async (method, params) => {
        asked.push([method, params]);
        return answer;
      },
    },
    callsTools,
    time,
    isVisible: () => isVisible,
    onCaller: (told) => callers.push(told),
  });
  connection.open();
  return { connection, time, asked, callers, answerWith: (next: unknown) => (answer = next) };
}

describe("the gateway through a host", () => {
  it("is read by approvals_list, which says who asks", async () => {
    const { connection, asked, callers } = open();
    expect(JSON.parse(await connection.read(pendingUri))).toEqual([{ call_id: "a" }]);
    expect(JSON.parse(await connection.read(approvalUri("a")))).toEqual({ call_id: "a" });
    expect(asked).toEqual([
      ["tools/call", { name: "approvals_list", arguments: {} }],
      ["tools/call", { name: "approvals_list", arguments: { call_id: "a" } }],
    ]);
    expect(callers[0]).toMatchObject({ name: "lea", role: "approver" });
  });

  it("uses what the host brought by itself, once", async () => {
    const { connection, asked } = open();
    expect(connection.take(listOf("brought"))).toBe(true);
    expect(JSON.parse(await connection.read(pendingUri))).toEqual([{ call_id: "brought" }]);
    expect(asked).toEqual([]);
    await connection.read(pendingUri);
    expect(asked).toHaveLength(1);
    expect(connection.take({ content: [] })).toBe(false);
  });

  it("has nothing but the approvals", async () => {
    const { connection, answerWith } = open();
    await expect(connection.read("resource://agents/list")).rejects.toMatchObject({ kind: "gone" });
    answerWith(listOf());
    await expect(connection.read(approvalUri("a"))).rejects.toMatchObject({ kind: "gone" });
  });

  it("gives the gateway's refusals as they are", async () => {
    const { connection, answerWith } = open();
    const refusal = (type: string) => ({
      isError: true,
      content: [{ type: "text", text: "it was decided before" }],
      structuredContent: { error: { type } },
    });
    answerWith(refusal("conflict"));
    await expect(connection.call("agents_approve_request", {})).rejects.toMatchObject({
      kind: "refused",
      message: "it was decided before",
    });
    answerWith(refusal("not_found"));
    await expect(connection.read(approvalUri("a"))).rejects.toMatchObject({ kind: "gone" });
    answerWith("strange");
    await expect(connection.read(pendingUri)).rejects.toMatchObject({ kind: "refused" });
  });

  it("is read again after each decision, and every five seconds while the page is visible", async () => {
    const { connection, time } = open();
    let reads = 0;
    const stop = connection.follow(pendingUri, () => (reads += 1));
    await connection.call("agents_approve_request", {});
    expect(reads).toBe(1);
    time.advance(readEveryMs - 1);
    expect(reads).toBe(1);
    time.advance(1);
    expect(reads).toBe(2);
    stop();
    time.advance(readEveryMs);
    expect(reads).toBe(2);
  });

  it("is not read while nobody sees the page, nor after its end", () => {
    const hidden = open({ isVisible: false });
    const closed = open();
    let reads = 0;
    for (const { connection } of [hidden, closed]) connection.follow(pendingUri, () => (reads += 1));
    closed.connection.close();
    for (const { time } of [hidden, closed]) time.advance(3 * readEveryMs);
    expect(reads).toBe(0);
  });
});

describe("a host that calls no tools", () => {
  it("shows what it brought, and decides nothing", async () => {
    const { connection, asked } = open({ callsTools: false });
    await expect(connection.read(pendingUri)).rejects.toMatchObject({ kind: "refused" });
    connection.take(listOf("a"));
    expect(JSON.parse(await connection.read(pendingUri))).toEqual([{ call_id: "a" }]);
    expect(JSON.parse(await connection.read(pendingUri))).toEqual([{ call_id: "a" }]);
    expect(JSON.parse(await connection.read(approvalUri("a")))).toEqual({ call_id: "a" });
    await expect(connection.call("agents_approve_request", {})).rejects.toMatchObject({ kind: "refused" });
    expect(asked).toEqual([]);
  });
});
