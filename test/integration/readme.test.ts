// README.md and the quickstart's page as a newcomer follows them: what `make up` runs, and the conversation to try.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startCommand } from "./local/command.ts";

const root = join(import.meta.dirname, "../..");
const startTimeoutMs = 60_000;
const read = (path: string) => readFile(join(root, path), "utf8");

describe("CLI-1 CLI-4 from README to a conversation", { timeout: 60_000 }, () => {
  let up: ChildProcess;
  let state: string;
  let shown = "";

  beforeAll(async () => {
    state = await mkdtemp(join(tmpdir(), "pallas-readme-"));
    up = spawn(process.execPath, ["examples/quickstart/up.ts"], {
      cwd: root,
      env: { ...process.env, XDG_STATE_HOME: state },
      stdio: ["ignore", "pipe", "inherit"],
    });
    up.stdout?.on("data", (text) => (shown += text));
    const isReady = () => {
      if (!shown.includes("dashboard: ")) throw new Error(`expected a gateway that is ready, found:\n${shown}`);
    };
    await vi.waitFor(isReady, { timeout: startTimeoutMs });
  }, startTimeoutMs + 10_000);
  afterAll(async () => {
    const ended = once(up, "exit");
    up.kill("SIGTERM");
    await ended;
    await rm(state, { recursive: true });
  });

  it("make up shows the table that README.md shows", async () => {
    expect(await read("README.md")).toContain("```sh\nmake up\n```");
    expect(await read("Makefile")).toMatch(/^up: build .*\n\t.*node examples\/quickstart\/up\.ts /m);
    const table = /```\n(AGENT {6}MODEL[^`]*)```/.exec(await read("README.md"))?.[1] ?? "none";
    const lines = (text: string) => text.split("\n").map((line) => line.trimEnd());
    expect(lines(shown)).toEqual(expect.arrayContaining(lines(table)));
  });

  it("the token that the page has printed lets in at the gateway that the table names", async () => {
    expect(await read("examples/quickstart/README.md")).toContain("\npallas token -f examples/quickstart\n");
    const env = { ...process.env, XDG_STATE_HOME: state };
    const command = ["token", "-f", "examples/quickstart"];
    const { stdout } = await startCommand(command, { folder: root, env }).ended;
    const url = /-gateway ready: (\S+),/.exec(shown)?.[1] ?? "none";
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${stdout.trim()}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { content } = await client.callTool({ name: "agents_list", arguments: {} });
    for (const name of ["clerk", "concierge", "editor"]) expect(JSON.stringify(content)).toContain(name);
    await client.close();
  });

  it("what the quickstart's page tells to send is answered as it says", async () => {
    const page = await read("examples/quickstart/README.md");
    const blocks = [...page.matchAll(/^```\n([^`]*)\n```$/gm)].map(([, text = ""]) => text);
    const messages = blocks.filter((text) => text !== "make up");
    const answers = await Promise.all(
      messages.map(
        (text) => startCommand(["chat", "concierge", "-m", text, "--json"], { folder: root, env: process.env }).ended,
      ),
    );
    const texts = answers.map(({ stdout }) => String(JSON.parse(stdout).text));
    expect(texts).toHaveLength(3);
    expect(texts[0]).toBe("Good morning!");
    expect(texts[1]).toContain("What time is it?");
    expect(texts[2]).toContain(/The answer is `(\d+)`/.exec(page)?.[1]);
  });
});
