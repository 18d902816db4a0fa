import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../test/tools/needs.ts";
import type { CommandContext } from "../commands/context.ts";
import { createProgram } from "../program.ts";
import { agentYaml, instanceYaml, recordTerminal, temporaryFolder, writeFolder } from "../testing/manifests.ts";
import { answerCompletion } from "./answer.ts";
import { completionScripts } from "./scripts.ts";

const run = promisify(execFile);

const manifests = { "a.yaml": instanceYaml() + agentYaml("clerk") + agentYaml("cook") + agentYaml("$(touch x)") };

async function answer(...words: string[]): Promise<string[]> {
  const folder = await writeFolder(manifests);
  const before = process.env["PALLAS_AGENTS_CONFIG"];
  process.env["PALLAS_AGENTS_CONFIG"] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env["PALLAS_AGENTS_CONFIG"];
    else process.env["PALLAS_AGENTS_CONFIG"] = before;
  });
  const context: CommandContext = { terminal: recordTerminal(folder), process, end: () => undefined };
  const lines = await answerCompletion(createProgram(context), words, context);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

describe("CLI-1 completion", () => {
  test("commands, options and names of agents, each where it may stand", async () => {
    expect(await answer("ch")).toEqual(["chat", "check"]);
    expect(await answer("chat", "c")).toEqual(["clerk", "cook"]);
    expect(await answer("chat", "clerk", "")).toEqual([]);
    expect(await answer("chat", "clerk", "--re")).toEqual(["--registry"]);
    expect(await answer("up", "--only", "cl")).toEqual(["clerk"]);
    expect(await answer("--on")).toEqual(["--only"]);
    expect(await answer("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });

  test("what only the person knows, and files, are left to the shell", async () => {
    expect(await answer("up", "-f", "")).toEqual([]);
    expect(await answer("chat", "clerk", "-m", "")).toEqual([]);
    expect(await answer("agent", "-f", "/nowhere", "")).toEqual([]);
    expect(await answer("nonsense", "")).toEqual([]);
  });
});

/** A folder with a `pallas` that answers by what it is asked, and two files. */
async function prepare(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "work/manifests"), { recursive: true });
  const stub =
    '#!/bin/sh\n[ "$1 $2 $3" = "__complete -- chat" ] && [ $# = 4 ] && printf "clerk\\tcounts: all\\ncook\\n"\n';
  await writeFile(join(folder, "bin/pallas"), stub, { mode: 0o755 });
  for (const [shell, script] of Object.entries(completionScripts)) await writeFile(join(folder, `s.${shell}`), script);
  return folder;
}

async function inShell(shell: keyof typeof completionScripts, script: string): Promise<string> {
  const folder = await prepare();
  const env = { ...process.env, PATH: `${folder}/bin:${process.env["PATH"]}`, HOME: folder, FOLDER: folder };
  const flags = { bash: ["--norc", "-c"], zsh: ["-f", "-c"], fish: ["--no-config", "-c"] }[shell];
  const { stdout } = await run(shell, [...flags, script], { env, cwd: join(folder, "work") });
  return stdout;
}

describe("CLI-1 completion in real shells", () => {
  test("bash takes the words, evaluates nothing, and completes files where there is no answer", async () => {
    const shown = await inShell(
      "bash",
      `set -u; source "$FOLDER/s.bash"
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pallas; printf '%s|' "\${COMPREPLY[@]-}"; echo; }
      ask pallas chat ''; ask pallas chat '$(touch owned)' x; ls; complete -p pallas`,
    );
    expect(shown).toBe("clerk|cook|\n|\nmanifests\ncomplete -o default -F _pallas pallas\n");
  });

  test(
    "zsh describes the words, evaluates nothing, and completes files where there is no answer",
    needs("zsh"),
    async () => {
      const shown = await inShell(
        "zsh",
        `compdef() { print -r -- "compdef $*" }; _describe() { print -rl -- "\${(@P)2}" }; _files() { print files }
      source "$FOLDER/s.zsh"
      words=(pallas chat ''); CURRENT=3; _pallas; words=(pallas chat '$(touch owned)' x); CURRENT=4; _pallas; ls`,
      );
      expect(shown).toBe("compdef _pallas pallas\nclerk:counts: all\ncook\nfiles\nmanifests\n");
    },
  );

  test(
    "fish offers the words, evaluates nothing, and completes files where there is no answer",
    needs("fish"),
    async () => {
      const shown = await inShell(
        "fish",
        `source $FOLDER/s.fish; complete -C 'pallas chat '; complete -C 'pallas up -f man'; complete -C 'pallas chat (touch owned) '; ls`,
      );
      expect(shown).toMatch(
        /^clerk\tcounts: all\ncook\nmanifests\/\t?[^\n]*\n(manifests\/\t?[^\n]*\n)?manifests\/?\n$/,
      );
    },
  );
});
