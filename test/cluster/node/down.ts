// Command line: ends the cluster that up.ts started, or clears what a dead one left, until no trace of it is on the machine.
// Its objects and images stay in its folder for the next start; with --purge that goes too. Leaves the cluster of a running test alone.

import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { forgetReady, keptClusterDir } from "./kept-cluster.ts";
import { isAlive, observeClaim, releaseMachine } from "./machine-claim.ts";
import type { MachineClaim } from "./machine-claim.ts";

const stopTimeoutMs = 60_000;
const pollMs = 50;

const options = process.argv.slice(2);
if (options.some((option) => option !== "--purge")) {
  process.stderr.write(`expected no option but --purge, found ${options.join(" ")}\n`);
  process.exit(2);
}

const dir = keptClusterDir();
const claim = await observeClaim();
if (claim === undefined) process.stderr.write("no node cluster runs on this machine\n");
else await end(claim);
await forgetReady(dir);
if (options.includes("--purge")) await rm(dir, { recursive: true, force: true });

async function end(cluster: MachineClaim): Promise<void> {
  const { owner } = cluster;
  if (isAlive(owner) && cluster.dir !== dir) {
    process.stderr.write(
      `expected a cluster in ${dir}, found one of process ${owner.pid} in ${cluster.dir}; it ends with that process\n`,
    );
    process.exit(1);
  }
  if (isAlive(owner)) process.kill(owner.pid, "SIGTERM");
  const deadline = Date.now() + stopTimeoutMs;
  while (isAlive(owner) && Date.now() < deadline) await delay(pollMs);
  if (isAlive(owner)) process.kill(owner.pid, "SIGKILL");
  await releaseMachine(cluster); // does nothing after an orderly end
}
