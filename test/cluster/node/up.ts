// Command line: starts a one-node cluster that goes on when this command has ended, and prints the lines that a shell
// evaluates to use it. On a running cluster it starts what has ended; with nothing ended it only prints the lines.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { ClusterDescription } from "./cluster-access.ts";
import { forgetReady, keptClusterDir, observeReady, renderExports } from "./kept-cluster.ts";
import { isAlive, observeClaim } from "./machine-claim.ts";
import { nodeComponents } from "./node-commands.ts";

const readyTimeoutMs = 600_000; // apt-get may have to install first
const pollMs = 50;
const logTailLines = 15;

const dir = keptClusterDir();
const claim = await observeClaim();
const isOurs = claim !== undefined && claim.dir === dir && isAlive(claim.owner);
const description = isOurs ? await takeUp(claim.owner.pid) : await start();
process.stdout.write(`${renderExports(description)}\n`);

async function takeUp(keeperPid: number): Promise<ClusterDescription> {
  const ready = await observeReady(dir);
  const isWhole = nodeComponents.every((name) => existsSync(join(dir, "run", `${name}.pid`)));
  if (ready !== undefined && isWhole) return ready;
  if (ready !== undefined) {
    await forgetReady(dir);
    process.kill(keeperPid, "SIGHUP");
  }
  return waitUntilReady(() => isAlive(claim?.owner ?? { pid: keeperPid, startedAt: "" }));
}

async function start(): Promise<ClusterDescription> {
  mkdirSync(join(dir, "logs"), { recursive: true, mode: 0o700 });
  await forgetReady(dir);
  const log = openSync(logPath(), "w");
  const keeper = spawn(process.execPath, [join(import.meta.dirname, "keeper.ts"), dir], {
    stdio: ["ignore", log, log],
    detached: true,
    cwd: "/",
  });
  keeper.unref();
  return waitUntilReady(() => keeper.exitCode === null && keeper.signalCode === null);
}

async function waitUntilReady(keeperRuns: () => boolean): Promise<ClusterDescription> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    const ready = await observeReady(dir);
    if (ready !== undefined) return ready;
    if (!keeperRuns() || Date.now() > deadline) {
      const tail = (await readFile(logPath(), "utf8")).trimEnd().split("\n").slice(-logTailLines).join("\n");
      process.stderr.write(`expected a cluster in ${dir}; the end of its keeper's log:\n${tail}\n`);
      process.exit(1);
    }
    await delay(pollMs);
  }
}

function logPath(): string {
  return join(dir, "logs", "keeper.log");
}
