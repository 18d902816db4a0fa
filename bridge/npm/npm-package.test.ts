import { mkdtemp, readFile, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { createErrorLog } from "../stdio/error-log.ts";
import { startBridge } from "../testing/bridge-under-test.ts";
import { startRegistry, type PublishedPackage } from "../testing/package-registry.ts";
import { openRawSession } from "../testing/raw-session.ts";
import { InstalledPackage, type NpmPackage } from "./npm-package.ts";

const owls: PublishedPackage = { name: "@acme/owls", versions: ["1.0.0", "1.1.0"] };

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-npm-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function openPackage(folder: string, wanted: NpmPackage, timeoutMs = 60_000): InstalledPackage {
  const log = createLogger({ logger: "tests", level: "ERROR", destination: { write: () => undefined } });
  const errorLog = createErrorLog({ log, clock: systemClock });
  return new InstalledPackage({
    package: wanted,
    folder: join(folder, "package"),
    timeoutMs,
    errorLog,
    clock: systemClock,
  });
}

const environmentOf = (folder: string, registry: string) => ({
  variables: {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    npm_config_cache: join(folder, "cache"),
    npm_config_registry: registry,
    npm_config_fetch_retries: "0",
  },
  secrets: [],
});

const install = async (folder: string, registry: string, wanted: NpmPackage) =>
  await openPackage(folder, wanted).open(environmentOf(folder, registry));

const versionIn = async (folder: string, name = owls.name): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, "package/node_modules", name, "package.json"), "utf8")).version;

describe("DSC-6 a package of npm", { timeout: 60_000 }, () => {
  it("is installed once, and each process is the server itself, without npm beside it", async () => {
    const registry = await startRegistry([owls]);
    const folder = await makeFolder();
    const { variables } = environmentOf(folder, registry.url);
    const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
    const { url, work } = await startBridge({
      target: { kind: "npm", package: { name: owls.name, version: "1.0.0" }, args: ["--a", "b c"], env },
    });
    const sessions = [await openRawSession(url), await openRawSession(url)];
    for (const session of sessions) {
      const path = [join(work, "package/node_modules/.bin"), variables.PATH].join(delimiter);
      expect(await session.say("about")).toEqual({ version: "1.0.0", parent: process.pid, args: ["--a", "b c"], path });
    }
    expect(registry.requests).toHaveLength(2);
  });

  it("is not asked for again in the version that is there, and replaced where another is wanted", async () => {
    const registry = await startRegistry([owls]);
    const folder = await makeFolder();
    await install(folder, registry.url, { name: owls.name, version: "1.0.0" });
    const asked = registry.requests.length;
    await install(folder, registry.url, { name: owls.name, version: "1.0.0" });
    expect(registry.requests).toHaveLength(asked);
    await install(folder, registry.url, { name: owls.name, version: "1.1.0" });
    expect(await versionIn(folder)).toBe("1.1.0");
  });

  it("without a version is the latest when its bridge starts", async () => {
    const folder = await makeFolder();
    const older = { ...owls, versions: ["1.0.0"] };
    const registry = await startRegistry([older]);
    await install(folder, registry.url, { name: owls.name });
    expect(await versionIn(folder)).toBe("1.0.0");
    await registry.publish(owls);
    await install(folder, registry.url, { name: owls.name });
    expect(await versionIn(folder)).toBe("1.1.0");
  });

  it("is installed anew where an installation was cut off, or its program is gone", async () => {
    const { url } = await startRegistry([owls]);
    const folder = await makeFolder();
    const opened = openPackage(folder, { name: owls.name, version: "1.0.0" });
    const { program } = await opened.open(environmentOf(folder, url));
    await unlink(join(folder, "package/.installed"));
    await unlink(program);
    await expect(opened.open(environmentOf(folder, url))).rejects.toThrow(/ENOENT/);
    expect(await opened.open(environmentOf(folder, url))).toMatchObject({ program });
  });

  it.each<[string, PublishedPackage["bin"], Partial<NpmPackage>, string]>([
    ["its only one", { hoot: "server.js" }, {}, "hoot"],
    ["that of its own name", { hoot: "server.js", owls: "./server.js" }, {}, "owls"],
    ["any, where all are the same", { hoot: "server.js", screech: "server.js" }, {}, "hoot"],
    ["the one that is named", { hoot: "server.js", owls: "./server.js" }, { program: "hoot" }, "hoot"],
  ])("starts %s", async (_, bin = "", more, expected) => {
    const { url } = await startRegistry([{ ...owls, bin }]);
    const folder = await makeFolder();
    const { program, binFolder } = await install(folder, url, { name: owls.name, version: "1.0.0", ...more });
    expect(program).toBe(join(binFolder, expected));
  });

  it.each<[string, PublishedPackage["bin"], Partial<NpmPackage>, string]>([
    ["none", {}, {}, "expected one program in @acme/owls@1.0.0, found none; name it in command"],
    [
      "several of other names",
      { hoot: "server.js", screech: "./server.js" },
      {},
      "expected one program in @acme/owls@1.0.0, found hoot, screech; name it in command",
    ],
    ["not the one that is named", { hoot: "server.js" }, { program: "owl" }, "has no program owl"],
  ])("that has %s says so with the cure", async (_, bin = "", more, message) => {
    const { url } = await startRegistry([{ ...owls, bin }]);
    const folder = await makeFolder();
    await expect(install(folder, url, { name: owls.name, version: "1.0.0", ...more })).rejects.toThrow(message);
  });

  it("that does not exist is why its server is down, in npm's words", async () => {
    const registry = await startRegistry([]);
    const folder = await makeFolder();
    const env = Object.entries(environmentOf(folder, registry.url).variables).map(([name, value]) => ({ name, value }));
    const { health } = await startBridge({
      target: { kind: "npm", package: { name: owls.name, version: "1.0.0" }, args: [], env },
    });
    await vi.waitFor(async () => expect(await health()).toMatchObject({ status: "down", processes: 0 }), 30_000);
    const { message } = await health();
    expect(message).toMatch(
      /^the server's process cannot be installed: npm install @acme\/owls@1\.0\.0 exited with code 1/,
    );
  });

  it("whose registry never answers is given up in time, and at once when the bridge ends", async () => {
    const { url, requests } = await startRegistry([owls], { silent: true });
    const folder = await makeFolder();
    const wanted = { name: owls.name, version: "1.0.0" };
    const late = openPackage(folder, wanted, 2_000).open(environmentOf(folder, url));
    await expect(late).rejects.toThrow("npm was not done with @acme/owls@1.0.0 within 2000 ms");
    const opened = openPackage(folder, wanted);
    const asked = requests.length;
    const ended = expect(opened.open(environmentOf(folder, url))).rejects.toThrow("was ended by SIGKILL");
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(asked), 30_000);
    opened.close();
    await ended;
    await expect(opened.open(environmentOf(folder, url))).rejects.toThrow("was not wanted any more");
  });

  it("needs npm, and says so", async () => {
    const folder = await makeFolder();
    const { variables } = environmentOf(folder, "http://127.0.0.1:1/");
    const without = { variables: { ...variables, PATH: folder }, secrets: [] };
    const opened = openPackage(folder, { name: owls.name, version: "1.0.0" });
    await expect(opened.open(without)).rejects.toThrow("there is no npm on its PATH; install Node.js with npm");
  });
});
