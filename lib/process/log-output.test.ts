import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogOutput } from "./log-output.ts";

const program = (body: string): string => `
  import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
  const log = createLogger({ logger: "pallas" });
  const other = createLogger({ logger: "pallas.other" });
  ${body}`;
const run = (body: string) => {
  const { stdout, signal, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program(body)], {
    encoding: "utf8",
  });
  return {
    signal,
    status,
    messages: stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).message),
  };
};

describe("LOG-1 lines on standard output", () => {
  it.each([
    ["the process ends by itself", ""],
    ["it exits", "process.exit(3);"],
    ["an error ends it", 'setTimeout(() => { throw new Error("flaw"); });'],
  ])("are all there, in order, when %s", (_, end) => {
    const body = `for (let at = 0; at < 1_000; at += 1) (at % 2 ? log : other).info(String(at)); ${end}`;
    expect(run(body).messages).toEqual(Array.from({ length: 1_000 }, (_unused, at) => String(at)));
  });

  it("are there before a process is killed, once something went wrong", () => {
    const { signal, messages } = run('log.info("before"); log.warn("wrong"); process.kill(process.pid, "SIGKILL");');
    expect({ signal, messages }).toEqual({ signal: "SIGKILL", messages: ["before", "wrong"] });
  });

  it("come while the process goes on, without another line", async () => {
    const body = 'log.info("alone"); setInterval(() => {}, 1_000);';
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program(body)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [chunk] = await once(child.stdout, "data");
    expect(JSON.parse(String(chunk)).message).toBe("alone");
    child.kill("SIGKILL");
  });

  it("hold no process up whose reader has gone, which ends as it would have", async () => {
    // Some are written at once, some later, and some as it ends.
    const body = `process.stdin.once("data", () => {
      log.warn("to nobody");
      log.info("to nobody");
      setTimeout(() => { log.info("to nobody"); process.exit(7); }, 300);
    });
    log.warn("there");`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program(body)], {
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 10_000,
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    await once(child.stdout, "close");
    child.stdin.write("go on");
    expect(await once(child, "exit")).toEqual([7, null]);
  });

  it("are all there for a reader that is slow", async () => {
    const text = "x".repeat(1_000);
    const body = `for (let at = 0; at < 2_000; at += 1) log.info("${text}"); process.exit(0);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program(body)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    let lines = 0;
    for await (const chunk of child.stdout) lines += String(chunk).split("\n").length - 1;
    expect(lines).toBe(2_000);
  });

  it("are lost where a reader takes none for 5 s, and come again once it does", () => {
    const folder = mkdtempSync(join(tmpdir(), "pallas-log-"));
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => {
      closeSync(pipe);
      rmSync(folder, { recursive: true });
    });
    const output = createLogOutput(pipe);
    const write = (line: string) => {
      output.write(`${line}\n`);
      output.flush();
    };
    // As much as a pipe holds.
    for (let at = 0; at < 64; at += 1) write("x".repeat(1_023));
    write("lost");
    const all = Buffer.alloc(128 * 1_024);
    expect(readSync(pipe, all)).toBe(64 * 1_024);
    write("come");
    expect(all.toString("utf8", 0, readSync(pipe, all))).toBe("come\n");
  });

  it("are held up to 8 KiB, however busy the process is", () => {
    const text = "x".repeat(1_000);
    const body = `for (let at = 0; at < 43; at += 1) log.info("${text}"); process.kill(process.pid, "SIGKILL");`;
    const { messages } = run(body);
    expect(messages.length).toBeGreaterThanOrEqual(35);
    expect(messages.length).toBeLessThan(43);
  });
});
