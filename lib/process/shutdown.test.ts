import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "./log.ts";
import { createShutdown } from "./shutdown.ts";

const lines: string[] = [];
const log = createLogger({ logger: "test", destination: { write: (line) => void lines.push(line) } });
afterEach(() => void (lines.length = 0));

describe("createShutdown", () => {
  it("runs the steps one after the other, last added first, and then gives the signals back", async () => {
    const before = process.listenerCount("SIGTERM");
    const shutdown = createShutdown({ log, deadlineMs: 5_000 });
    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    const order: string[] = [];
    shutdown.add("first", () => void order.push("first"));
    shutdown.add("second", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push("second");
    });
    expect(shutdown.signal.aborted).toBe(false);
    shutdown.begin("test");
    shutdown.begin("again");
    expect(shutdown.signal.aborted).toBe(true);
    expect(await shutdown.finished).toEqual({ failed: [] });
    expect(order).toEqual(["second", "first"]);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });

  it("goes on after a step that throws and one that is late, whose signal aborts", async () => {
    const shutdown = createShutdown({ log, deadlineMs: 5_000 });
    const order: string[] = [];
    let late: AbortSignal | undefined;
    shutdown.add("last", () => void order.push("last"));
    shutdown.add("throws", () => Promise.reject(new Error("broken")));
    shutdown.add("late", (signal) => ((late = signal), new Promise(() => undefined)), { deadlineMs: 20 });
    shutdown.begin("test");
    expect(await shutdown.finished).toEqual({ failed: ["late", "throws"] });
    expect(order).toEqual(["last"]);
    expect(late?.aborted).toBe(true);
    expect(lines.join("")).toContain("not done after 20 ms");
    expect(lines.join("")).toContain("broken");
  });

  it("runs a step that is added meanwhile, and refuses one that comes too late", async () => {
    const shutdown = createShutdown({ log, deadlineMs: 5_000 });
    const order: string[] = [];
    shutdown.add("outer", () => shutdown.add("inner", () => void order.push("inner")));
    shutdown.begin("test");
    await shutdown.finished;
    expect(order).toEqual(["inner"]);
    expect(() => shutdown.add("later", () => undefined)).toThrow(/"later" was added after shutdown had finished/);
  });
});

describe("signals to a real process", () => {
  const program = (step: string, options: string) => `
    import { createLogger } from "${new URL("./log.ts", import.meta.url).href}";
    import { createShutdown } from "${new URL("./shutdown.ts", import.meta.url).href}";
    const shutdown = createShutdown({ log: createLogger({ logger: "child" }), deadlineMs: 60_000 });
    const alive = setInterval(() => {}, 1_000);
    shutdown.add("step", ${step}, ${options});
    console.log("up");
    await shutdown.finished;
    clearInterval(alive);
  `;

  function start(step: string, options = "{}") {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(step, options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    const waiting: { text: string; resolve: () => void }[] = [];
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const { text, resolve } of waiting) if (output.includes(text)) resolve();
    });
    const says = (text: string) =>
      new Promise<void>((resolve) => (output.includes(text) ? resolve() : waiting.push({ text, resolve })));
    return { child, says, output: () => output };
  }

  it.each(["SIGTERM", "SIGINT"] as const)("%s runs the steps and the process ends with 0", async (name) => {
    const { child, says, output } = start(`() => console.log("closed")`);
    await says("up");
    child.kill(name);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(output()).toContain("closed");
    expect(output()).toContain(`"reason":"${name}"`);
  });

  it("a second signal hurries a step that can end early, and a third ends the process at once", async () => {
    const hurried =
      "(signal) => new Promise((done) => signal.addEventListener('abort', () => (console.log('hurried'), done())))";
    const { child, says } = start(hurried, "{ endsEarly: true }");
    await says("up");
    child.kill("SIGTERM");
    await says("shutdown begins");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    const stubborn = start("() => new Promise(() => {})", "{ endsEarly: true }");
    await stubborn.says("up");
    stubborn.child.kill("SIGTERM");
    await stubborn.says("shutdown begins");
    stubborn.child.kill("SIGTERM");
    await stubborn.says("ending what runs");
    stubborn.child.kill("SIGTERM");
    expect(await once(stubborn.child, "exit")).toEqual([143, null]);
  });

  it("a second signal ends the process at once", async () => {
    const { child, says } = start(`() => new Promise(() => {})`);
    await says("up");
    child.kill("SIGTERM");
    await says("shutdown begins");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
  });
});
