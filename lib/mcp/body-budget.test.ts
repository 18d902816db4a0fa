// What the bodies of all requests may hold together: who is refused, and when there is room again.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryBudget, type MemoryBudget } from "../process/memory-budget.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.fixture.ts";
import { callMessage, modernCall, openSession, post, readMessages } from "./raw-client.fixture.ts";
import { uncountedBytes } from "./request-body.ts";

const maxBytes = 1_000_000;
let budget: MemoryBudget;
let served: TestEndpoint;
let refused: number;

beforeEach(async () => {
  budget = createMemoryBudget(maxBytes);
  refused = 0;
  const onBodyRefused = () => void (refused += 1);
  served = await startEndpoint({ bodyLimitBytes: maxBytes, bodyBudget: budget, onBodyRefused });
});
afterEach(() => served.stop());

const eras = ["2025", "2026"] as const;
type Era = (typeof eras)[number];

/** A call of `tool` with a pad of some `bytes`, of the 2025 era in a session of its own. */
async function renderCall(era: Era, tool: string, bytes: number) {
  const meta = { "ca.example/pad": "x".repeat(bytes) };
  const modern = modernCall(tool, {}, meta);
  if (era === "2026") return { body: JSON.stringify(modern.message), headers: modern.headers };
  return { body: JSON.stringify(callMessage(tool, {}, 1, meta)), headers: await openSession(served.url) };
}

async function send(era: Era, tool: string, bytes: number, signal?: AbortSignal): Promise<Response> {
  const { body, headers } = await renderCall(era, tool, bytes);
  return await post(served.url, body, headers, signal);
}

/** A call that waits, with its response, which in the 2026 era comes with the result or late. */
async function startWaiting(era: Era, bytes: number) {
  const stop = new AbortController();
  const before = served.calls.length;
  const response = send(era, "wait", bytes, stop.signal);
  response.catch(() => undefined);
  await expect.poll(() => served.calls.length).toBe(before + 1);
  return { response, drop: () => stop.abort(), call: served.calls[before] };
}

describe.each(eras)("SEC-6 bodies of the %s era", (era) => {
  test("beyond the budget get 503 with Retry-After, small ones pass, and there is room again after the call", async () => {
    const { response, call } = await startWaiting(era, 600_000);
    expect(budget.heldBytes()).toBeGreaterThan(600_000);
    const unlucky = await send(era, "whoami", 600_000);
    expect([unlucky.status, unlucky.headers.get("retry-after"), refused]).toEqual([503, "5", 1]);
    expect(await unlucky.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_000 } });
    expect((await send(era, "whoami", 30_000)).status).toBe(200);

    call?.finish();
    expect(await readMessages(await response)).toMatchObject([{ result: { content: [{ text: "finished" }] } }]);
    await expect.poll(() => budget.heldBytes()).toBe(0);
    expect((await send(era, "whoami", 600_000)).status).toBe(200);
    await expect.poll(() => budget.heldBytes()).toBe(0);
  });

  test("of any size up to the limit pass when nothing else is held, one after the other", async () => {
    for (let count = 0; count < 3; count += 1) {
      const response = await send(era, "whoami", 990_000);
      expect(response.status).toBe(200);
      await response.text();
      await expect.poll(() => budget.heldBytes()).toBe(0);
    }
  });

  test("that are refused hold nothing", async () => {
    const { headers } = await renderCall(era, "whoami", 0);
    for (const body of [
      "[".repeat(500_000),
      `"${"x".repeat(500_000)}`,
      `[${" ".repeat(500_000)}]`,
      "x".repeat(1_000_001),
    ]) {
      expect((await post(served.url, body, headers)).status).toBeGreaterThanOrEqual(400);
    }
    expect(budget.heldBytes()).toBe(0);
  });

  test(`up to ${uncountedBytes} bytes are not counted, one more is`, async () => {
    const { body } = await renderCall(era, "wait", 0);
    const fitting = uncountedBytes - body.length;
    const first = await startWaiting(era, fitting);
    expect(budget.heldBytes()).toBe(0);
    const second = await startWaiting(era, fitting + 1);
    expect(budget.heldBytes()).toBe(uncountedBytes + 1);
    for (const { call } of [first, second]) call?.finish();
  });
});

test("SEC-6 a dropped response of the 2026 era gives back what its body held", async () => {
  const { drop } = await startWaiting("2026", 600_000);
  drop();
  await expect.poll(() => budget.heldBytes()).toBe(0);
});

test("SEC-6 a dropped response in a session does not: its call goes on, and gives back when it is over", async () => {
  const { response, drop, call } = await startWaiting("2025", 600_000);
  await (await response).body?.cancel();
  drop();
  expect((await send("2025", "whoami", 600_000)).status).toBe(503);
  expect(budget.heldBytes()).toBeGreaterThan(600_000);
  call?.finish();
  await expect.poll(() => budget.heldBytes()).toBe(0);
});

test("SEC-6 a sender that goes away in the middle of a body gives back what it had sent", async () => {
  const stop = new AbortController();
  const chunk = new Uint8Array(300_000).fill(0x20);
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(chunk) });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half", signal: stop.signal };
  const cut = fetch(served.url, init).catch(() => undefined);
  await expect.poll(() => budget.heldBytes()).toBe(300_000);
  stop.abort();
  await cut;
  await expect.poll(() => budget.heldBytes()).toBe(0);
});
