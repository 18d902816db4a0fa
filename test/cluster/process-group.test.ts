import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createProcessGroup } from "./process-group.ts";
import type { ProcessGroup } from "./process-group.ts";

/** Whether the process is there and no zombie: an orphan may wait long for the system to collect it. */
function isAlive(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}

describe("a process group", () => {
  let dir = "";
  let group: ProcessGroup | undefined;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "pallas-group-"));
  });
  afterEach(async () => {
    await group?.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("close ends every process and removes the folder; a second close is harmless", async () => {
    group = createProcessGroup({ dir, removeDir: true });
    const sleeper = group.start("sleeper", "sleep", ["600"]);
    expect(isAlive(sleeper.pid)).toBe(true);
    await group.close();
    await group.close();
    expect([isAlive(sleeper.pid), sleeper.isRunning(), await sleeper.ended]).toEqual([false, false, "signal SIGKILL"]);
    expect(existsSync(dir)).toBe(false);
  });

  it("a process that ignores SIGTERM is killed when its grace is over", async () => {
    group = createProcessGroup({ dir, removeDir: false });
    const stubborn = group.start("stubborn", "sh", ["-c", "trap '' TERM; echo trapped; exec sleep 600"]);
    await expect.poll(() => readFile(join(dir, "logs/stubborn.log"), "utf8")).toContain("trapped");
    await stubborn.end("SIGTERM", 50);
    expect(await stubborn.ended).toBe("signal SIGKILL");
  });

  it("a process that ends by itself says how, and leaves the end of its log", async () => {
    group = createProcessGroup({ dir, removeDir: false });
    const failing = group.start("failing", "sh", ["-c", "seq 1 20; exit 3"]);
    expect(await failing.ended).toBe("exit code 3");
    expect(await group.readLogTail("failing", 2)).toBe("19\n20");
    expect(existsSync(join(dir, "run/failing.pid"))).toBe(false);
  });

  it("a program gets its own variables on top of ours", async () => {
    group = createProcessGroup({ dir, removeDir: false });
    const printing = group.start("printing", "sh", ["-c", 'echo "$OWN $PATH"'], { OWN: "own" });
    await printing.ended;
    expect(await group.readLogTail("printing")).toBe(`own ${process.env["PATH"]}`);
  });

  it("a file that cannot be run is an error at once", () => {
    group = createProcessGroup({ dir, removeDir: false });
    const start = (): unknown => group?.start("absent", join(dir, "absent"), []);
    expect(start).toThrow("expected to start absent");
  });

  it("processes and folder are gone when their parent is killed with SIGKILL", async () => {
    const script = `
      import { createProcessGroup } from ${JSON.stringify(join(import.meta.dirname, "process-group.ts"))};
      const group = createProcessGroup({ dir: ${JSON.stringify(dir)}, removeDir: true });
      console.log(group.start("sleeper", "sleep", ["600"]).pid);
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (data) => resolve(Number(data))));
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    await expect.poll(() => existsSync(dir), { timeout: 5_000 }).toBe(false);
  });
});
