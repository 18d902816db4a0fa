// A terminal for tests: a window of a tmux server of our own, with what stands on its screen.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { vi } from "vitest";

const run = promisify(execFile);

export interface WindowOptions {
  /** Program and arguments. */
  command: readonly string[];
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  columns?: number;
  rows?: number;
}

export interface TerminalWindow {
  /** Keys as tmux names them: `C-c`, `Enter`, `Tab`. */
  keys(...names: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  resize(columns: number): Promise<void>;
  /** The rows that are not empty, without spaces at their ends. */
  screen(): Promise<string[]>;
  /** The same with styles as escape sequences. */
  styled(): Promise<string>;
  /** Waits until the screen, as one text, fits. */
  until(pattern: RegExp, timeoutMs?: number): Promise<string>;
  close(): Promise<void>;
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** When the command has ended, the last row says `ended with N`. */
export async function openWindow(options: WindowOptions): Promise<TerminalWindow> {
  const { command, folder, env, columns = 80, rows = 40 } = options;
  const socket = `pallas-${randomUUID().slice(0, 8)}`;
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run("tmux", ["-L", socket, "-f", "/dev/null", ...args])).stdout;
  // Ctrl-C reaches the shell around it, too, which must not end with it.
  const line = `trap : INT; ${command.map(quote).join(" ")}; echo "ended with $?"; exec cat`;
  const size = ["-x", String(columns), "-y", String(rows)];
  await run("tmux", ["-L", socket, "-f", "/dev/null", "new-session", "-d", ...size, "-c", folder, "-s", "t", line], {
    env: { ...env, SHELL: "/bin/sh" },
  });
  const capture = async (): Promise<string[]> =>
    (await tmux("capture-pane", "-p", "-t", "t"))
      .split("\n")
      .flatMap((row) => (row.trim() === "" ? [] : [row.trimEnd()]));
  return {
    keys: async (...names) => void (await tmux("send-keys", "-t", "t", ...names)),
    type: async (text) => void (await tmux("send-keys", "-t", "t", "-l", "--", text)),
    resize: async (wanted) => void (await tmux("resize-window", "-t", "t", "-x", String(wanted), "-y", String(rows))),
    screen: capture,
    styled: () => tmux("capture-pane", "-p", "-e", "-t", "t"),
    until: (pattern, timeoutMs = 20_000) =>
      vi.waitFor(
        async () => {
          const shown = (await capture()).join("\n");
          if (!pattern.test(shown)) throw new Error(`expected the screen to fit ${String(pattern)}, found:\n${shown}`);
          return shown;
        },
        { timeout: timeoutMs, interval: 50 },
      ),
    close: async () => void (await tmux("kill-server").catch(() => undefined)),
  };
}
