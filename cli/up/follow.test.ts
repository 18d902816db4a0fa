import { writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { coalesce } from "./coalesce.ts";
import { followEdits } from "./follow.ts";

describe("CLI-1 edits are noticed", () => {
  async function follow() {
    const folder = join(await temporaryFolder(), "manifests");
    await mkdir(folder);
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const onEdit = vi.fn();
    followEdits([folder], onEdit, controller.signal);
    return { folder, onEdit, stop: () => controller.abort() };
  }

  test("a burst once, and a file that an editor replaces", async () => {
    const { folder, onEdit } = await follow();
    // In one turn of the event loop, so that no slow machine makes two bursts of it.
    for (const text of ["1", "2", "3", "4"]) writeFileSync(join(folder, "a.yaml"), text);
    await expect.poll(() => onEdit.mock.calls.length).toBe(1);
    await writeFile(join(folder, "../new"), "5");
    await rename(join(folder, "../new"), join(folder, "a.yaml"));
    await expect.poll(() => onEdit.mock.calls.length).toBe(2);
  });

  test("a folder that goes and comes back is followed again", async () => {
    const { folder, onEdit } = await follow();
    await rm(folder, { recursive: true });
    await expect.poll(() => onEdit.mock.calls.length).toBe(1);
    await mkdir(folder);
    await expect.poll(() => onEdit.mock.calls.length).toBe(2);
    await writeFile(join(folder, "a.yaml"), "1");
    await expect.poll(() => onEdit.mock.calls.length).toBe(3);
  });

  test("nothing after the stop, not even what was on its way", async () => {
    const { folder, onEdit, stop } = await follow();
    const other = await follow();
    // In one turn of the event loop: the edit is told of in the next.
    for (const each of [folder, other.folder]) writeFileSync(join(each, "a.yaml"), "1");
    stop();
    await expect.poll(() => other.onEdit.mock.calls.length).toBe(1);
    expect(onEdit).not.toHaveBeenCalled();
  });
});

describe("CLI-1 changes are handled one at a time, the last one too", () => {
  test("what changes during a run is handled by one more run", async () => {
    const gates: (() => void)[] = [];
    const task = vi.fn(() => new Promise<void>((resolve) => gates.push(resolve)));
    const runs = coalesce(task, () => undefined);
    runs.changed();
    runs.changed();
    await expect.poll(() => gates.length).toBe(1);
    runs.changed();
    runs.changed();
    gates[0]?.();
    await expect.poll(() => gates.length).toBe(2);
    gates[1]?.();
    await runs.settled();
    expect(task).toHaveBeenCalledTimes(2);
  });

  test("a run that fails is told of, and does not end it", async () => {
    const errors: unknown[] = [];
    const task = vi.fn().mockRejectedValueOnce(new Error("full")).mockResolvedValue(undefined);
    const runs = coalesce(task, (error) => errors.push(error));
    runs.changed();
    await runs.settled();
    runs.changed();
    await runs.settled();
    expect(errors).toEqual([new Error("full")]);
    expect(task).toHaveBeenCalledTimes(2);
  });
});
