// What people see: `pallas up` and `pallas chat` in a real terminal, one of tmux.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { moreAgents, pixel } from "./local/agents.ts";
import { needs } from "../tools/needs.ts";
import { startCommand } from "./local/command.ts";
import { Local, pallas, startMs } from "./local/local.ts";
import { startToolServer } from "./local/tool-server.ts";
import { openWindow, type TerminalWindow, type WindowOptions } from "./local/tmux.ts";

const needed = needs("tmux");

let local: Local;
let stopTools: () => void;
beforeAll(async () => {
  const toolPort = await findFreePorts(1);
  stopTools = startToolServer(toolPort);
  local = await Local.create(toolPort);
  await local.write("more.yaml", moreAgents);
  await writeFile(join(local.folder, "pixel.dat"), pixel);
});
afterAll(async () => {
  stopTools();
  await local.remove();
});

async function open(args: readonly string[], options: Partial<WindowOptions> = {}): Promise<TerminalWindow> {
  const command = [process.execPath, pallas, ...args];
  const window = await openWindow({ command, folder: local.folder, env: local.env, ...options });
  onTestFinished(() => window.close());
  return window;
}

describe("CLI-1 pallas up in a terminal", needed, () => {
  const up = (options: Partial<WindowOptions> = {}, ...args: string[]) =>
    open(["up", "-f", "manifests", "--port", String(local.port), "--only", "concierge", ...args], options);

  test("the line of what goes on counts while they start, stays below the news, and goes at the end", async () => {
    const window = await up();
    await window.until(/^\d of 3 agents ready; starting: /m);
    await window.until(/^AGENT .*\n[^]*\n3 of 3 agents ready; Ctrl-C stops$/m, startMs);
    expect(await window.styled()).toContain("\u001b[32mready");
    await window.keys("C-c");
    const shown = await window.until(/\nstopping\nended with 0$/);
    expect(shown).not.toContain("agents ready");
  });

  test("in 40 columns each agent has two rows, a URL stays whole, and one line says how things are after a resize", async () => {
    const window = await up({ columns: 40, env: { ...local.env, NO_COLOR: "1" } });
    await window.until(/^concierge {2}ready {2}passthrough\n {2}http:\/\/localhost:\d+\/mcp$/m, startMs);
    await window.until(/^3 of 3 agents ready; Ctrl-C stops$/m);
    expect(await window.styled()).not.toContain("\u001b[");
    for (const columns of [20, 60, 30]) await window.resize(columns);
    const narrow = await window.until(/^3 of 3 agents ready; Ctrl-C…$/m);
    expect(narrow.split("agents ready")).toHaveLength(2);
    await window.keys("C-c");
    const shown = await window.until(/ended with 0/);
    expect(shown).not.toMatch(/agents ready/);
  });

  test("--logs shows what every process logs with its name", async () => {
    const window = await up({ columns: 200 }, "--logs");
    await window.until(/^clerk \| INFO agent started \(instance quickstart, /m, startMs);
    await window.until(/^3 of 3 agents ready/m);
    await window.keys("C-c");
    expect(await window.until(/ended with \d/)).toContain("ended with 0");
  });
});

describe("CLI-4 pallas chat in a terminal", needed, () => {
  beforeAll(async () => {
    local.up();
    await local.started();
  });
  const chat = (args: readonly string[], options: Partial<WindowOptions> = {}) =>
    open(["chat", "--registry", local.registryUrl, ...args], options);

  test("progress is shown on one line with its seconds, and gone when the answer is there", async () => {
    const window = await chat(["snail"]);
    await window.until(/^you>$/m);
    await window.type("one **two**");
    await window.keys("Enter");
    await window.until(/^snail step 1 \(llm\) · 1 s$/m);
    const shown = await window.until(/^one two$/m);
    expect(shown).not.toContain("step 1");
    expect(await window.styled()).toContain("\u001b[1mtwo");
    await window.keys("C-d");
    await window.until(/^continue with: pallas chat snail --session [0-9a-f]{32}\nended with 0$/m);
  });

  test("Ctrl-C ends the call and not the program; a second one at the prompt does", async () => {
    const window = await chat(["snail"]);
    await window.until(/^you>$/m);
    await window.type("first");
    await window.keys("Enter");
    await window.until(/step 1 \(llm\)/);
    await window.type("kept");
    await window.keys("C-c");
    await window.until(/^cancelled\nyou> kept$/m, 2_000);
    await window.keys("C-c");
    await window.until(/^cancelled\nyou>$/m);
    await window.type("second");
    await window.keys("Enter");
    await window.until(/^second\nyou>$/m, 10_000);
    await window.keys("C-c");
    await window.until(/Ctrl-C once more ends/);
    await window.keys("C-c");
    expect(await window.until(/ended with \d/)).toContain("ended with 0");
  });

  test("in 40 columns an answer is broken at words", async () => {
    const window = await chat(["editor"], { columns: 40 });
    await window.until(/^you>$/m);
    await window.type("- a list of words that is longer than the window is wide, by far");
    await window.keys("Enter");
    await window.until(/^• a list of words that is longer than\n {2}the window is wide, by far$/m);
    await window.keys("C-d");
    expect(await window.until(/ended with \d/)).toContain("ended with 0");
  });

  test("without a name the agent is picked from a list, and its history is shown", async () => {
    const { ended } = startCommand(["chat", "diary", "-m", "Dear *diary*", "--registry", local.registryUrl], local);
    expect(await ended).toMatchObject({ code: 0 });
    const window = await chat([]);
    await window.until(/^ {2}1 {2}clerk {6}Tells the time[^]*^Which agent/m);
    await window.type("diary");
    await window.keys("Enter");
    await window.until(/^you> Dear \*diary\*\nDear diary\nyou>$/m);
    await window.keys("C-d");
    await window.until(/ended with 0/);
  });

  test("commands are completed, images named are sent, and a pasted text is one message", async () => {
    const window = await chat(["seer"]);
    await window.until(/^you>$/m);
    // A tabulator inside what seems to be pasted is none.
    await window.type("/im");
    await window.until(/^you> \/im$/m);
    await window.keys("Tab");
    await window.until(/^you> \/image$/m);
    await window.type("pixel.dat");
    await window.keys("Enter");
    await window.until(/^1 image goes along with the next message$/m);
    await window.type("line one\nline two\n");
    await window.until(/^line one\nline two\nyou>$/m);
    await window.type("/history");
    await window.keys("Enter");
    await window.until(/^you> line one\nline two\nyou> \[image image\/png\]$/m);
    await window.type("/quit");
    await window.keys("Enter");
    expect(await window.until(/ended with \d/)).toContain("ended with 0");
  });

  test("where output is no terminal there is no conversation, and it is said what to do", async () => {
    const window = await open(["chat", "clerk", "--registry", local.registryUrl], {
      command: ["sh", "-c", `'${process.execPath}' '${pallas}' chat clerk --registry ${local.registryUrl} | cat`],
    });
    expect(await window.until(/ended with/)).toContain(
      "pallas: say what to send: -m TEXT, or a text on standard input",
    );
  });
});
