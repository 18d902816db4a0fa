// What the answers of servers may hold together: who is refused, in which words, and when there is room again.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryBudget, type MemoryBudget } from "../process/memory-budget.ts";
import { openPassingRoom } from "./answer-room.ts";
import { connectMcp, type McpConnection } from "./connect.ts";
import { startServer2025 } from "./downstream-servers.fixture.ts";

/** Large holders fill three quarters of it. */
const maxBytes = 1_000_000;
const patient = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };
let budget: MemoryBudget;
let server: Awaited<ReturnType<typeof startServer2025>>;
let connection: McpConnection;

beforeEach(async () => {
  budget = createMemoryBudget(maxBytes);
  server = await startServer2025();
  const client = { clientName: "test", clientVersion: "1.0.0", connectTimeoutMs: 5_000, era: "2025" } as const;
  connection = await connectMcp({ url: server.url, ...client, signal: patient.signal, memory: budget });
});
afterEach(async () => {
  await connection.close();
  await server.stop();
});

const forms = {
  "application/json": (message: string) => message,
  "text/event-stream": (message: string) => `event: message\ndata: ${message}\n\n`,
};

/** Lets the server answer each call with a body of exactly so many bytes. */
function answerWith(type: keyof typeof forms, bytes: number): void {
  server.answerInstead = (request) => {
    if (request.method !== "POST") return undefined;
    const answer = async () => {
      const { id } = Object(await request.json());
      const render = (text: string) =>
        forms[type](JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } }));
      return new Response(render("x".repeat(bytes - render("").length)), { headers: { "content-type": type } });
    };
    return answer();
  };
}

describe.each(["application/json", "text/event-stream"] as const)("SEC-6 answers in %s", (type) => {
  const call = async (bytes: number) => {
    const holder = budget.open();
    answerWith(type, bytes);
    const result = connection.callTool("only", {}, { ...patient, holder });
    return { holder, problem: await result.then(() => undefined, String) };
  };

  test("fill three quarters beside each other; one byte more is refused in words, and there is room again later", async () => {
    const first = await call(400_000);
    const fitting = await call(350_000);
    expect([first.problem, fitting.problem, budget.heldBytes()]).toEqual([undefined, undefined, 750_000]);
    fitting.holder.release();

    const { problem } = await call(350_001);
    expect(problem).toMatch(
      /^McpError: the answer of \S+ does not fit in memory .*; try again later, or ask for less$/,
    );
    expect(budget.heldBytes()).toBe(400_000);

    first.holder.release();
    expect((await call(350_001)).problem).toBeUndefined();
  });

  test("count until they are here, where nobody holds them longer", async () => {
    budget.open().take(400_000);
    answerWith(type, 350_000);
    await connection.callTool("only", {}, patient);
    expect(budget.heldBytes()).toBe(400_000);
    answerWith(type, 350_001);
    await expect(connection.callTool("only", {}, patient)).rejects.toThrow("does not fit");
    expect(budget.heldBytes()).toBe(400_000);
  });
});

test("SEC-6 what belongs to no call counts while a message of it is being read, in whatever pieces", () => {
  budget.open().take(400_000);
  const room = openPassingRoom(budget);
  expect([room.hold(200_000, 200_000), room.hold(350_000, 350_000)]).toEqual([true, true]);
  expect(room.hold(350_001, 350_001)).toBe(false);
  expect(room.hold(350_000, 10)).toBe(true);
  expect(budget.heldBytes()).toBe(400_010);
  room.end();
  expect(budget.heldBytes()).toBe(400_000);
  // After a redirect the next answer is in the same room.
  expect(room.hold(350_000, 350_000)).toBe(true);
});

test("SEC-6 connecting and listing give back all they held", async () => {
  await connection.listTools(patient.signal);
  expect(budget.heldBytes()).toBe(0);
});
