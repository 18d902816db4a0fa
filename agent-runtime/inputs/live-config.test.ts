import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveConfig } from "../../crds/run-config.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createTestLog } from "../testing/servers.ts";
import { createLiveConfig } from "./live-config.ts";

const card = { name: "ca.helu.ouranos/research", title: "Research", description: "Searches" };
const live: LiveConfig = { schema: 1, severalPods: true, card };
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-live-"));
  path = join(folder, "live-config.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function setUp(changes: Parameters<typeof renderTestConfig>[0] = {}) {
  const { log, lines } = createTestLog("INFO");
  return { lines, read: createLiveConfig(path, renderTestConfig(changes), log) };
}
const write = (config: object | string) =>
  writeFile(path, typeof config === "string" ? config : JSON.stringify(config));

describe("OPR-2 OPR-10 what may change while an agent runs", () => {
  it("is what the file says as it is asked for", async () => {
    await write(live);
    const { read, lines } = setUp();
    expect(await read()).toEqual(live);
    await write({ ...live, severalPods: false });
    expect(await read()).toMatchObject({ severalPods: false });
    expect(lines).toEqual([]);
  });

  it.each([
    [true, false],
    [false, true],
  ])("OPR-11 without a file: what the run configuration says, sessions %s", async (sessions, severalPods) => {
    const { read, lines } = setUp({ sessions, card });
    expect(await read()).toEqual({ schema: 1, severalPods, card });
    await write(live);
    expect(await read()).toEqual(live);
    expect(lines).toEqual([]);
  });

  it("OPR-11 holds what this release does not know, and may lack the card", async () => {
    await write({ schema: 1, severalPods: true, later: { a: 1 } });
    expect(await setUp().read()).toEqual({ schema: 1, severalPods: true });
  });

  it.each([
    ["half a file", '{"schema": 1, "sev'],
    ["a faulty field", { ...live, severalPods: "yes" }],
    ["a schema of another major", { ...live, schema: 2 }],
  ])("%s: what it said before holds, and the log says so once, until it can be read again", async (_, invalid) => {
    await write(live);
    const { read, lines } = setUp();
    await read();
    await write(invalid);
    expect([await read(), await read()]).toEqual([live, live]);
    expect(lines).toMatchObject([{ level: "WARNING", message: "live configuration cannot be read", path }]);
    await write({ ...live, severalPods: false });
    expect(await read()).toMatchObject({ severalPods: false });
    await write(invalid);
    expect([(await read()).severalPods, lines.length]).toEqual([false, 2]);
  });

  it("a file that is gone changes nothing", async () => {
    await write(live);
    const { read, lines } = setUp();
    await read();
    await rm(path);
    expect(await read()).toEqual(live);
    expect(lines).toEqual([]);
  });
});
