// Calls by the hour and their log, as somebody reads them (DSC-11).
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { PallasApproval } from "../../../crds/approval.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { acceptQuestion, renderApproval } from "../../approvals/question.ts";
import { CallLog } from "../../servers/call-log.ts";
import { CallTrend } from "../../servers/call-trend.ts";
import { person } from "../testing/management.ts";
import { paymentQuestion } from "../testing/questions.ts";
import { readFamily } from "../testing/read-family.ts";
import { createCallResources, maxLogBytes, maxShownEntries } from "./calls.ts";

const timeoutMs = 600_000;
const called = { server: "bank", tool: "pay", success: true, durationMs: 100 };

function start() {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  const trend = new CallTrend(clock);
  const calls = new CallLog({ arguments: "redacted" });
  const list: PallasApproval[] = [];
  const listeners = new Set<() => void>();
  const approvals = {
    list: () => list,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const state = { getServer: () => undefined, getAgent: () => undefined };
  const families = createCallResources({ trend, calls, approvals, timeoutMs, state, clock });
  const find = (uri: string) => {
    const family = families.find((each) => each.uri === uri);
    if (family === undefined) throw new Error(`expected ${uri}`);
    return family;
  };
  const open = (agent: string, openedMs: number, creationTimestamp?: string) => {
    const by = { namespace: "agents", instance: { name: "ouranos" }, agent: { name: agent } };
    const expiresAt = new Date(openedMs + timeoutMs).toISOString();
    const approval = renderApproval(acceptQuestion(paymentQuestion(), by), by, { n: list.length, expiresAt });
    const { metadata } = approval;
    list.push({
      ...approval,
      metadata: { ...metadata, ...(creationTimestamp !== undefined && { creationTimestamp }) },
    });
    listeners.forEach((listener) => listener());
  };
  const log = (server = "bank", args: unknown = { amount: 40 }, response = "paid") =>
    calls.add({
      ...{ timestamp: "2026-01-01T12:00:00.000Z", kind: "call", server, tool: "pay", latency_ms: 1, success: true },
      ...{ caller: "ann", args, response },
    });
  return {
    clock,
    trend,
    calls,
    open,
    log,
    metrics: find("resource://calls/metrics"),
    entries: find("resource://calls/log"),
  };
}

const counts = z.looseObject({ calls: z.array(z.number()), waiting: z.array(z.number()) });
const page = z.object({ entries: z.array(z.looseObject({ id: z.number() })), total: z.number() });

test("MGM-2 calls by the hour are of the agents and servers that the caller sees", async () => {
  const { trend, metrics, clock } = start();
  trend.countTool(called);
  trend.countTool({ ...called, server: "mail", success: false });
  trend.countMessage({ agent: "clerk", success: false });
  const all = await readFamily(metrics, person("viewer"));
  expect(all).toMatchObject({
    since: "2026-01-01T12:00:00.000Z",
    agents: [{ agent_id: "clerk", last_call_at: "2026-01-01T12:00:00.000Z" }],
    tools: [
      { server: "bank", tool: "pay", calls: 1, errors: 0, median_ms: expect.any(Number) },
      { server: "mail", errors: 1, last_called_at: "2026-01-01T12:00:00.000Z" },
    ],
  });
  for (const field of ["hours", "calls", "errors", "median_ms", "waiting"]) {
    expect(Reflect.get(Object(all), field)).toHaveLength(24);
  }
  expect(counts.parse(all).calls.at(-1)).toBe(3);
  const narrow = await readFamily(metrics, person("viewer", { agents: [], servers: ["mail"] }));
  expect(narrow).toMatchObject({ agents: [], tools: [{ server: "mail" }] });
  expect(counts.parse(narrow).calls.at(-1)).toBe(1);
  expect(await readFamily(metrics, person(undefined))).toBeUndefined();
  expect(clock.pending).toEqual([]);
});

test("approvals are counted in the hour in which they were asked for, by whoever sees them", async () => {
  const { open, metrics, clock } = start();
  const now = clock.wallNow();
  open("clerk", now);
  open("clerk", now - 1);
  open("boss", now, "2026-01-01T09:30:00Z");
  open("boss", now - 24 * 3_600_000);
  const { waiting } = counts.parse(await readFamily(metrics, person("viewer")));
  expect([waiting.slice(-4), waiting.reduce((a, b) => a + b)]).toEqual([[1, 0, 1, 1], 3]);
  const own = counts.parse(await readFamily(metrics, person("viewer", { agents: ["boss"] })));
  expect(own.waiting.slice(-4)).toEqual([1, 0, 0, 0]);
});

test("MGM-2 the log has what REST says: the newest first, arguments to approvers, servers that the caller sees", async () => {
  const { log, entries } = start();
  log();
  log("mail");
  expect(await readFamily(entries, person("approver"))).toMatchObject({
    entries: [{ server: "mail" }, { server: "bank", args: { amount: 40 }, response: "paid", caller: "ann" }],
    total: 2,
  });
  expect(await readFamily(entries, person("caller"))).toMatchObject({ entries: [{ args: null, response: null }, {}] });
  const narrow = await readFamily(entries, person("approver", { servers: ["mail"] }));
  expect(narrow).toMatchObject({ entries: [{ server: "mail" }], total: 1 });
});

test.each([
  [maxShownEntries, maxShownEntries],
  [maxShownEntries + 1, maxShownEntries],
])("of %i entries the newest %i are shown, and all are counted", async (count, shown) => {
  const { log, entries } = start();
  for (let n = 0; n < count; n += 1) log();
  const { entries: listed, total } = page.parse(await readFamily(entries, person("viewer")));
  expect([listed.length, listed[0]?.id, total]).toEqual([shown, count, count]);
});

test("of entries larger than there is room for the oldest are left out", async () => {
  const { log, entries } = start();
  const long = "€".repeat(4_090);
  for (let n = 0; n < maxShownEntries; n += 1) log("bank", long, long);
  const text = JSON.stringify(await readFamily(entries, person("approver")));
  const { entries: listed } = page.parse(JSON.parse(text));
  expect(Buffer.byteLength(text)).toBeLessThan(maxLogBytes + 100);
  expect(Buffer.byteLength(text)).toBeGreaterThan(maxLogBytes - 30_000);
  expect(listed.length).toBeLessThan(maxShownEntries);
  expect(listed[0]?.id).toBe(maxShownEntries);
});

test("whoever follows hears of calls and of what waits, of many at once as of one", async () => {
  const { trend, log, calls, open, metrics, entries, clock } = start();
  const told: string[] = [];
  const stops = [metrics, entries].map((family) => family.follow?.("", () => void told.push(family.uri)));
  onTestFinished(() => stops.forEach((stop) => stop?.()));
  for (let n = 0; n < 50; n += 1) {
    trend.countTool(called);
    log();
  }
  await clock.advance(5_000);
  expect(told.splice(0).toSorted()).toEqual([entries.uri, metrics.uri]);
  open("clerk", clock.wallNow());
  await clock.advance(5_000);
  expect(told.splice(0)).toEqual([metrics.uri]);
  calls.pass(
    { timestamp: "", kind: "progress", server: "bank", tool: "pay", latency_ms: 1, success: true, caller: "ann" },
    { token: "1", progress: { progress: 1 } },
  );
  await clock.advance(5_000);
  expect(told).toEqual([]);
  stops.forEach((stop) => stop?.());
  trend.countTool(called);
  log();
  await clock.advance(5_000);
  expect(told).toEqual([]);
  expect(clock.pending).toEqual([]);
});
