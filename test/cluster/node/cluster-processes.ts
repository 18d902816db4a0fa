// Finds and kills the processes of a node cluster by what they are, since after a crash nobody holds their numbers:
// one of the cluster's programs with a path of the cluster's folder among its arguments, and what the shims run.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const shim = "containerd-shim-runc-v2";
const programs = new Set([
  shim,
  "containerd",
  "etcd",
  "kube",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-node",
]);
const endTimeoutMs = 10_000;
const pollMs = 20;

/** Kills with SIGKILL and resolves when all are gone. */
export async function killClusterProcesses(dir: string): Promise<void> {
  const deadline = Date.now() + endTimeoutMs;
  for (;;) {
    const found = findClusterProcesses(dir);
    if (found.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(`expected the processes of ${dir} to end in ${endTimeoutMs} ms, found ${found.join(", ")} alive`);
    }
    for (const pid of found) kill(pid);
    await delay(pollMs);
  }
}

/** Process ids, containers before the shims that would outlive them. */
export function findClusterProcesses(dir: string): number[] {
  const own: number[] = [];
  const contained: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const program = observeProgram(pid);
    if (
      program === undefined ||
      !programs.has(program) ||
      !readArguments(pid).some((each) => each.includes(`${dir}/`))
    ) {
      continue;
    }
    own.push(pid);
    if (program === shim) contained.push(...readChildren(pid));
  }
  return [...contained, ...own];
}

/** The name of the file that runs; undefined for a zombie, a kernel thread and a process that is gone. */
function observeProgram(pid: number): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ""));
  } catch {
    return undefined;
  }
}

const readArguments = (pid: number): string[] => readIfThere(`/proc/${pid}/cmdline`).split("\0");

function readChildren(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const threads = listIfThere(tasks);
  return threads.flatMap((thread) =>
    readIfThere(join(tasks, thread, "children"))
      .split(" ")
      .filter((text) => text !== "")
      .map(Number),
  );
}

// A process may end between two looks at it.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function listIfThere(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile; the next look tells.
  }
}
