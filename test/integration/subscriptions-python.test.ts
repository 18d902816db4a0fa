// Subscriptions to resources of a table, by the Python SDKs in both eras: subscribe, change, be notified, read again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type ServedTable, serveChangingTable } from "../../lib/mcp/changing-table.fixture.ts";
import { findPython, openEnvironment } from "../python/environment.ts";

const program = join(import.meta.dirname, "../python/subscriber.py");
const patience = { timeout: 30_000, interval: 100 };

const spoken = z.object({
  ready: z.string().optional(),
  updated: z.string().optional(),
  done: z.string().optional(),
  failure: z.string().optional(),
});

const clients = [
  { name: "Python SDK 1.x", version: 1, args: ["--client", "1"], protocol: "2025-11-25" },
  { name: "Python SDK 2.x in the 2025 era", version: 2, args: ["--mode", "legacy"], protocol: "2025-11-25" },
  { name: "Python SDK 2.x in the 2026 era", version: 2, args: ["--mode", "auto"], protocol: "2026-07-28" },
] as const;

const python = await findPython();
let served: ServedTable | undefined;
let child: ChildProcess | undefined;

afterEach(async () => {
  if (child !== undefined && child.exitCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  await served?.stop();
});

async function start(interpreter: string, args: readonly string[], url: string) {
  const running = spawn(interpreter, ["-W", "ignore", program, url, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  child = running;
  const lines: z.output<typeof spoken>[] = [];
  createInterface({ input: running.stdout }).on("line", (line) => void lines.push(spoken.parse(JSON.parse(line))));
  await vi.waitFor(() => expect(lines[0]?.ready).toBeDefined(), patience);
  const answers = () => lines.filter(({ done, failure }) => done !== undefined || failure !== undefined);
  return {
    protocol: lines[0]?.ready,
    updates: () => lines.flatMap(({ updated }) => updated ?? []),
    /** What comes of one act: its text, or what it failed with. */
    async act(name: "subscribe" | "unsubscribe" | "read", uri: string): Promise<string> {
      const before = answers().length;
      running.stdin.write(`${JSON.stringify({ [name]: uri })}\n`);
      await vi.waitFor(() => expect(answers().length).toBe(before + 1), patience);
      const answer = answers().at(-1);
      return answer?.done ?? `failed: ${answer?.failure}`;
    },
  };
}

describe.each(clients)("MGM-2 $name", ({ version, args, protocol }) => {
  test.skipIf(python === undefined)(
    "subscribes, hears of changes, reads again and unsubscribes; what it may not read is unknown",
    { timeout: 900_000 },
    async () => {
      if (python === undefined) return;
      const table = await serveChangingTable();
      served = table;
      const client = await start(await openEnvironment(python, version), args, table.url);
      expect(client.protocol).toBe(protocol);
      expect(await client.act("read", "note://a")).toBe("first");
      expect(await client.act("subscribe", "note://a")).toBe("");
      expect(await client.act("subscribe", "note://b")).toBe("");
      table.put("note://a", "changed");
      await vi.waitFor(() => expect(client.updates()).toEqual(["note://a"]), patience);
      expect(await client.act("read", "note://a")).toBe("changed");
      expect(await client.act("unsubscribe", "note://a")).toBe("");
      table.put("note://a", "again");
      table.put("note://b", "again");
      await vi.waitFor(() => expect(client.updates()).toEqual(["note://a", "note://b"]), patience);
      for (const uri of ["note://secret/x", "note://none"]) {
        expect(await client.act("subscribe", uri)).toMatch(/^failed: .*(not found|lost|not acknowledged)/i);
        expect(await client.act("read", uri)).toMatch(/^failed: .*not found/i);
      }
    },
  );
});
