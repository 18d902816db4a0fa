// The commands of a page as its reader would type them: the shell blocks of its Markdown, or the commands inside the sentences
// of one part, taken from the page and never written again here. It says which of them a test has not played.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { parsePage } from "../../docs/pages.ts";
import { readFile } from "node:fs/promises";
import type { Ended } from "./command.ts";
import type { Home } from "./home.ts";
import { pallas } from "./local.ts";

const root = join(import.meta.dirname, "../../..");

/** What stands for commands of others: a test plays no Helm and no kustomize. */
export type StandIns = Readonly<Record<string, string>>;

export interface Script {
  /** Both outputs so far. */
  shown(): string;
  until(pattern: RegExp): Promise<void>;
  /** Ctrl-C, as in the terminal that it runs in. */
  interrupt(): Promise<Ended>;
  ended: Promise<Ended>;
}

export class PlayedPage {
  readonly text: string;
  readonly #commands: readonly string[];
  readonly #played = new Set<string>();

  private constructor(text: string, commands: readonly string[]) {
    this.text = text;
    this.#commands = commands;
  }

  /** Lines of its blocks for shells; with `part` the commands in the sentences below that heading. */
  static async read(path: string, part?: string): Promise<PlayedPage> {
    const text = await readFile(join(root, path), "utf8");
    if (part === undefined) {
      const blocks = parsePage(path, text).blocks.filter(({ language }) => language === "sh");
      return new PlayedPage(
        text,
        blocks.flatMap((block) => block.text.replaceAll(/\\\n\s*/g, "").split("\n")),
      );
    }
    const section = text.split(`\n## ${part}\n`)[1]?.split("\n## ")[0] ?? "";
    const { spans } = parsePage(path, section);
    return new PlayedPage(
      text,
      spans.filter((span) => /^(?:pallas|cp|kubectl) \S/.test(span)),
    );
  }

  /** The one command with these words, which counts as played from now on. */
  take(words: string): string {
    const found = this.#commands.filter((command) => command.includes(words));
    const [command] = found;
    if (command === undefined || found.length > 1) {
      throw new Error(`expected one command with "${words}" on the page, found ${JSON.stringify(found)}`);
    }
    this.#played.add(command);
    return command;
  }

  unplayed(): string[] {
    return this.#commands.filter((command) => !this.#played.has(command));
  }
}

/** Puts `pallas` into the home's own PATH, at ports that are free here, beside programs that stand for those of others. */
export async function installPallas(home: Home, standIns: StandIns = {}): Promise<void> {
  const bin = join(home.folder, "bin");
  await mkdir(bin, { recursive: true });
  const own = `case "$*" in *--port*|*--registry*|*--gateway*) ;;
"up -"*|"up") set -- "$@" --port ${home.port} ;;
"chat "*) set -- "$@" --registry http://localhost:${home.port} ;;
esac
exec "${process.execPath}" "${pallas}" "$@"`;
  for (const [name, script] of Object.entries({ pallas: own, ...standIns })) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  home.variables = { ...home.variables, PATH: `${bin}:${process.env["PATH"]}` };
}

/** Begins a command of a page in the home folder. */
export function play(home: Home, command: string): Script {
  const child = spawn("bash", ["-c", command], {
    cwd: home.folder,
    env: home.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close").then((): Ended => ({ code: child.exitCode, stdout, stderr }));
  return {
    shown: () => stdout + stderr,
    until: (pattern) =>
      vi.waitFor(
        () => {
          if (!pattern.test(stdout + stderr)) {
            throw new Error(`expected ${String(pattern)}, found:\n${stdout}${stderr}`);
          }
        },
        { timeout: 40_000 },
      ),
    interrupt: () => {
      // The group has its own end: what is a script of a page is not ours.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
      return ended;
    },
    ended,
  };
}
