import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { findFreePort, startChild, tryPort } from "./child-process.ts";

async function start(source: string, env: Record<string, string> = {}) {
  const program = join(await temporaryFolder(), "program.mjs");
  await writeFile(program, source);
  const [onLine, onWarning] = [vi.fn(), vi.fn()];
  const child = startChild({ program, env: { ...process.env, ...env }, adminUrl: "", onLine, onWarning });
  return { child, onLine, onWarning };
}

describe("CLI-1 a process of ours", () => {
  test("ends on SIGTERM in its own way", async () => {
    const { child, onLine } = await start(
      "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('up');",
    );
    await expect.poll(() => onLine.mock.calls).toEqual([["up"]]);
    await child.stop(10_000);
    expect(await child.exited).toBe("ended with code 0; its last line: up");
  });

  test("that does not end on SIGTERM is killed after its grace", async () => {
    const { child, onLine } = await start(
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up');",
    );
    await expect.poll(() => onLine.mock.calls.length).toBe(1);
    await child.stop(50);
    expect(await child.exited).toMatch(/^was ended by SIGKILL/);
  });

  test("that is hurried gets another signal, at once or while it stops, and is then killed soon", async () => {
    const stubborn =
      "for (const s of ['SIGTERM', 'SIGINT']) process.on(s, () => console.log(s)); setInterval(() => {}, 1000); console.log('up');";
    const [late, early] = [await start(stubborn), await start(stubborn)];
    for (const { onLine } of [late, early]) await expect.poll(() => onLine.mock.calls.length).toBe(1);
    const hurry = new AbortController();
    const stopped = late.child.stop(600_000, hurry.signal);
    await expect.poll(() => late.onLine.mock.calls.flat()).toEqual(["up", "SIGTERM"]);
    hurry.abort();
    await Promise.all([stopped, early.child.stop(50, hurry.signal)]);
    expect(late.onLine.mock.calls.flat()).toEqual(["up", "SIGTERM", "SIGINT"]);
    expect(await early.child.exited).toMatch(/^was ended by SIGKILL/);
  });

  test("that has nothing left to do ends, with its channel open", async () => {
    const { child } = await start("console.log(process.env.WORD)", { WORD: "hello" });
    expect(await child.exited).toBe("ended with code 0; its last line: hello");
  });

  test("LOG-2 shows warnings and keeps every line, and a crash is told with its last one", async () => {
    const { child, onLine, onWarning } = await start(
      `console.log(JSON.stringify({ level: "WARNING", message: "slow", server: "s" }));
       console.error(JSON.stringify({ level: "ERROR", message: "no key", err: { message: "missing" } })); process.exit(3);`,
    );
    expect(await child.exited).toBe("ended with code 3; its last line: no key: missing");
    expect(onLine).toHaveBeenCalledTimes(2);
    expect(new Set(onWarning.mock.calls.flat())).toEqual(new Set(["ERROR no key: missing", "WARNING slow (server s)"]));
  });

  test("that throws is told with its error, not with the end of the stack", async () => {
    const { child } = await start("throw Object.assign(new Error('no such thing'), { code: 'X' })");
    expect(await child.exited).toBe("ended with code 1; its last line: Error: no such thing");
  });
});

test("CLI-1 a free port is one that nobody is promised", async () => {
  // Until one is found that nobody else takes in between.
  await vi.waitFor(async () => {
    const port = await findFreePort("127.0.0.1", new Set());
    expect(await tryPort(port, "127.0.0.1")).toBe(port);
  });
  const all = { has: () => true };
  await expect(findFreePort("127.0.0.1", Object.assign(new Set<number>(), all))).rejects.toThrow(
    "no free port was found on 127.0.0.1 in 20 tries",
  );
});
