// The supervisor as a server's container runs it, in a folder of its own and without a container.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, createWriteStream, openSync, readSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { findProgram } from "../../test/tools/find-program.ts";
import { needs } from "../../test/tools/needs.ts";
import { startBridge, testedCommand } from "../testing/bridge-under-test.ts";
import { openRawSession, parseSaid } from "../testing/raw-session.ts";
import { SupervisorLink } from "./supervisor-link.ts";

async function layOut(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-pipes-"));
  await copyFile(findProgram("busybox") ?? "", join(folder, "busybox"));
  await copyFile(join(import.meta.dirname, "supervisor.sh"), join(folder, "supervisor.sh"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** With the environment of an image that has nothing: no PATH, so that nothing but the folder's own can be used. */
function startContainer(folder: string, command: readonly string[] = testedCommand()): ChildProcess {
  const args = ["sh", join(folder, "supervisor.sh"), ...command];
  const child = spawn(join(folder, "busybox"), args, { env: {}, stdio: "ignore", detached: true });
  onTestFinished(async () => await killContainer(folder, child));
  return child;
}

/** As the kernel ends a container: all that runs in it, at once. */
async function killContainer(folder: string, { pid = 0 }: ChildProcess): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".pid"));
  const inside = await Promise.all(names.map(async (name) => Number(await readFile(join(folder, name), "utf8"))));
  for (const leader of [pid, ...inside]) {
    try {
      process.kill(-leader, "SIGKILL");
    } catch {
      continue; // It has ended already.
    }
  }
}

const openTarget = (folder: string) => ({ target: { kind: "pipes", folder } as const });

it(
  "DSC-6: a server in a container of its own answers sessions without cross-talk, each by a process",
  needs("busybox"),
  async () => {
    const folder = await layOut();
    startContainer(folder);
    const { url } = await startBridge(openTarget(folder));
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openRawSession(url)));
    const answers = await Promise.all(
      sessions.map((session, at) =>
        Promise.all(Array.from({ length: 20 }, (_, call) => session.call("slow", { ms: call % 3, at, call }))),
      ),
    );
    const pids = answers.map((mine) => mine.map((answer) => Reflect.get(Object(parseSaid(answer)), "pid")));
    expect(new Set(pids.flat()).size).toBe(8);
    for (const [at, mine] of answers.entries()) {
      expect(new Set(pids[at]).size).toBe(1);
      expect(mine.map(parseSaid)).toMatchObject(mine.map((_, call) => ({ args: { at, call } })));
    }
  },
);

it("DSC-6: a container that does not run is said to be so, with what mostly keeps it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pallas-pipes-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const link = new SupervisorLink(folder, systemClock);
  await expect(link.ready(1)).rejects.toThrow(
    /its own container does not run, .*image cannot be pulled or a Secret .* is missing; kubectl describe its pod/,
  );
  link.close();
});

it("DSC-6: the bridge may start before the container, and a large answer comes whole", needs("busybox"), async () => {
  const folder = await layOut();
  const { url } = await startBridge(openTarget(folder));
  const opening = openRawSession(url);
  startContainer(folder);
  const session = await opening;
  const { result } = await session.call("big", { bytes: 3_000_000 });
  expect(String(result?.["payload"])).toHaveLength(3_000_000);
});

it(
  "DSC-6: a killed process in its container costs one error, and the next call is answered",
  needs("busybox"),
  async () => {
    const folder = await layOut();
    startContainer(folder);
    const { url } = await startBridge(openTarget(folder));
    const session = await openRawSession(url);
    expect((await session.call("die")).error?.message).toBe(
      "The server's process was ended by SIGKILL during the call; the next call starts it anew",
    );
    expect(await session.say("echo")).toMatchObject({ calls: 1 });
  },
);

it("DSC-6: what a process started ends with its session, and its pipes are gone", needs("busybox"), async () => {
  const folder = await layOut();
  startContainer(folder);
  const { url, bridge } = await startBridge(openTarget(folder));
  const session = await openRawSession(url);
  const child = Number(await session.say("spawn"));
  expect(isAlive(child)).toBe(true);
  await session.end();
  await vi.waitFor(() => expect(isAlive(child)).toBe(false));
  await bridge.close();
  await vi.waitFor(async () => {
    expect((await readdir(folder)).toSorted()).toEqual(["busybox", "control", "events", "supervisor.sh"]);
  });
});

it(
  "DSC-6: a container that is started anew runs nothing from before, and the next call is answered",
  needs("busybox"),
  async () => {
    const folder = await layOut();
    const first = startContainer(folder);
    const { url } = await startBridge(openTarget(folder));
    const session = await openRawSession(url);
    const lost = session.call("slow", { ms: 60_000 });
    await session.say("echo");
    first.kill("SIGKILL");
    await once(first, "exit");
    startContainer(folder);
    expect((await lost).error?.message).toContain("was lost with its container");
    expect(await session.say("echo")).toMatchObject({ calls: 1 });
  },
);

it(
  "DSC-6: a container that is told to stop runs on until the bridge has let its calls end",
  needs("busybox"),
  async () => {
    const folder = await layOut();
    const container = startContainer(folder);
    const { url, bridge } = await startBridge(openTarget(folder));
    const session = await openRawSession(url);
    const ended = once(container, "exit");
    container.kill("SIGTERM");
    expect(await session.say("echo")).toMatchObject({ calls: 1 });
    await bridge.close();
    expect(await ended).toEqual([0, null]);
  },
);

it("DSC-6: a server that floods its pipes answers all the same", needs("busybox"), async () => {
  const folder = await layOut();
  startContainer(folder, testedCommand("flood"));
  const { url, adminUrl } = await startBridge(openTarget(folder));
  const session = await openRawSession(url);
  for (let count = 0; count < 10; count += 1) expect((await session.call("echo")).result).toBeDefined();
  const lines = (await (await fetch(`${adminUrl}/stderr`)).text()).trimEnd().split("\n");
  expect(lines).toHaveLength(200);
});

it("DSC-6: events that a server invents cost a bounded amount of memory", needs("busybox"), async () => {
  const folder = await mkdtemp(join(tmpdir(), "pallas-pipes-"));
  const names = ["control", "events"].map((name) => join(folder, name));
  execFileSync("mkfifo", names);
  const link = new SupervisorLink(folder, systemClock);
  void link.ready(60_000).catch(() => undefined);
  onTestFinished(async () => {
    link.close();
    await rm(folder, { recursive: true });
  });
  const events = createWriteStream(join(folder, "events"), { flags: "r+" });
  const batch = Array.from(
    { length: 1_000 },
    (_, at) => `made ${at}\nready\nexit ${at} 0\n${"z".repeat(5_000)}\n`,
  ).join("");
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => events.write(batch, resolve));
  events.destroy();
  // Nobody has read it: what is in the pipe, and what waits for room there.
  const control = openSync(join(folder, "control"), constants.O_RDWR | constants.O_NONBLOCK);
  let bytes = 0;
  await vi.waitFor(() => {
    const read = readAvailable(control);
    bytes += read;
    expect(read).toBe(0);
  });
  closeSync(control);
  expect(bytes).toBeGreaterThan(64 * 1024);
  expect(bytes).toBeLessThan(3 * 64 * 1024);
});

function readAvailable(fd: number): number {
  const buffer = Buffer.alloc(1024 * 1024);
  try {
    return readSync(fd, buffer);
  } catch {
    return 0;
  }
}

it("a program that is not there is said to be so", needs("busybox"), async () => {
  const folder = await layOut();
  startContainer(folder, ["/no/such/program"]);
  const { health } = await startBridge(openTarget(folder));
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  expect((await health()).message).toMatch(/exited with code 127 before it answered initialize.*no\/such\/program/);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
