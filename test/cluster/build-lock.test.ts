import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { withLock } from "./build-lock.ts";

describe("the build lock", () => {
  let dir = "";
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "pallas-lock-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const options = { pollMs: 5, timeoutMs: 5_000, onWait: () => undefined };

  it("lets one action run at a time and tells the waiter who holds it", async () => {
    const path = join(dir, "shared.lock");
    const events: string[] = [];
    const release = Promise.withResolvers<void>();
    const first = withLock(path, options, async () => {
      events.push("first begins");
      await release.promise;
      events.push("first ends");
    });
    await expect.poll(() => events).toEqual(["first begins"]);
    const onWait = (pid: number): void => {
      events.push(`waiting for ${pid}`);
      release.resolve();
    };
    await withLock(path, { ...options, onWait }, async () => void events.push("second begins"));
    await first;
    expect(events).toEqual(["first begins", `waiting for ${process.pid}`, "first ends", "second begins"]);
  });

  it("takes over the lock of a process that has died", async () => {
    const path = join(dir, "dead.lock");
    const { pid } = spawnSync("true");
    await writeFile(path, `${pid}\n`);
    expect(await withLock(path, options, async () => "done")).toBe("done");
  });

  it("gives up after its time limit and names the owner", async () => {
    const path = join(dir, "held.lock");
    await writeFile(path, `${process.pid}\n`);
    const attempt = withLock(path, { ...options, timeoutMs: 20 }, async () => undefined);
    await expect(attempt).rejects.toThrow(`held by process ${process.pid}`);
  });

  it("is released when the action fails", async () => {
    const path = join(dir, "failing.lock");
    await expect(withLock(path, options, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(existsSync(path)).toBe(false);
  });
});
