// Sixteen at a time, a hundred calls each: everybody hears the answers to what it asked, and only those.
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { startBridge } from "./testing/bridge-under-test.ts";
import { openRawSession, parseSaid } from "./testing/raw-session.ts";

type Call = (args: { at: number; call: number; ms: number }) => Promise<unknown>;

async function open2025(url: string): Promise<Call> {
  const session = await openRawSession(url);
  return async (args) => await session.say("slow", args);
}

async function open2026(url: string): Promise<Call> {
  const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return async (args) => parseSaid({ result: await client.callTool({ name: "slow", arguments: args }) });
}

it.each([
  { era: "2025", processes: "perSession", expected: 16 },
  { era: "2025", processes: "shared", expected: 1 },
  { era: "2026", processes: "perSession", expected: 1 },
  { era: "2026", processes: "shared", expected: 1 },
] as const)(
  "DSC-6: 16 clients of the $era era make 100 calls each without cross-talk: $processes",
  async ({ era, processes, expected }) => {
    const { url } = await startBridge({ sessions: { processes } });
    const clients = await Promise.all(
      Array.from({ length: 16 }, () => (era === "2025" ? open2025(url) : open2026(url))),
    );
    const answers = await Promise.all(
      clients.map(async (ask, at) => {
        const mine: unknown[] = [];
        // Ten at a time, whose answers overtake each other.
        for (let first = 0; first < 100; first += 10) {
          const calls = Array.from({ length: 10 }, (_, each) =>
            ask({ at, call: first + each, ms: (at + each * 3) % 8 }),
          );
          mine.push(...(await Promise.all(calls)));
        }
        return mine;
      }),
    );
    for (const [at, mine] of answers.entries()) {
      expect(mine).toMatchObject(Array.from({ length: 100 }, (_, call) => ({ args: { at, call } })));
    }
    expect(new Set(answers.flat().map((answer) => Reflect.get(Object(answer), "pid"))).size).toBe(expected);
  },
  60_000,
);
