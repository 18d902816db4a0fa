// subscriber.py as a child process: one act after the other, and what it hears meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, vi } from "vitest";
import * as z from "zod";

const program = join(import.meta.dirname, "subscriber.py");
const patience = { timeout: 60_000, interval: 100 };

const spoken = z.object({
  ready: z.string().optional(),
  updated: z.string().optional(),
  done: z.string().optional(),
  failure: z.string().optional(),
});

export interface PythonSubscriber {
  protocol: string | undefined;
  /** URIs that it heard of, as they came. */
  updates(): string[];
  /** What comes of one act: its text, or what it failed with. */
  act(name: "subscribe" | "unsubscribe" | "read", uri: string): Promise<string>;
  stop(): Promise<void>;
}

export const pythonSubscribers = [
  { name: "Python SDK 1.x", version: 1, args: ["--client", "1"], protocol: "2025-11-25" },
  { name: "Python SDK 2.x in the 2025 era", version: 2, args: ["--mode", "legacy"], protocol: "2025-11-25" },
  { name: "Python SDK 2.x in the 2026 era", version: 2, args: ["--mode", "auto"], protocol: "2026-07-28" },
] as const;

/** Resolves when it is connected. */
export async function startPythonSubscriber(
  interpreter: string,
  args: readonly string[],
  url: string,
): Promise<PythonSubscriber> {
  const running = spawn(interpreter, ["-W", "ignore", program, url, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: z.output<typeof spoken>[] = [];
  createInterface({ input: running.stdout }).on("line", (line) => void lines.push(spoken.parse(JSON.parse(line))));
  const stop = async () => {
    if (running.exitCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  };
  try {
    await vi.waitFor(() => expect(lines[0]?.ready).toBeDefined(), patience);
  } catch (error) {
    await stop();
    throw error;
  }
  const answers = () => lines.filter(({ done, failure }) => done !== undefined || failure !== undefined);
  return {
    protocol: lines[0]?.ready,
    updates: () => lines.flatMap(({ updated }) => updated ?? []),
    async act(name, uri) {
      const before = answers().length;
      running.stdin.write(`${JSON.stringify({ [name]: uri })}\n`);
      await vi.waitFor(() => expect(answers().length).toBe(before + 1), patience);
      const answer = answers().at(-1);
      return answer?.done ?? `failed: ${answer?.failure}`;
    },
    stop,
  };
}
