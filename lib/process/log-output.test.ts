import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

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

  it("are held up to 8 KiB, however busy the process is", () => {
    const text = "x".repeat(1_000);
    const body = `for (let at = 0; at < 43; at += 1) log.info("${text}"); process.kill(process.pid, "SIGKILL");`;
    const { messages } = run(body);
    expect(messages.length).toBeGreaterThanOrEqual(35);
    expect(messages.length).toBeLessThan(43);
  });
});
