// The programs that make up a test cluster, each by its name: start, crash, restart, and an error with the end of the log
// when one has ended by itself.

import type { ProcessGroup, RunningProcess } from "./process-group.ts";

/** A program and its arguments. */
export type Command = readonly [file: string, args: readonly string[]];

export interface Components<Name extends string> {
  start(name: Name): void;
  /** The process ids of what was started and not killed. */
  pids(): ReadonlyMap<Name, number>;
  /** Ends a component as a crash would and leaves it so. */
  kill9(name: Name): Promise<void>;
  /** Ends a component (SIGTERM, SIGKILL after `graceMs`) and starts it again. */
  restart(name: Name, graceMs: number): Promise<void>;
  /** Starts again what has ended, by whatever hand. */
  revive(): void;
  /** Rejects when a component that was not killed here has ended. */
  failOnEnd(): Promise<void>;
}

class PortTaken extends Error {}

/** Whether a component ended because another process had its port: another port may do. */
export const isPortTaken = (error: unknown): boolean => error instanceof PortTaken;

export function createComponents<Name extends string>(
  group: ProcessGroup,
  renderCommand: (name: Name) => Command,
): Components<Name> {
  const running = new Map<Name, RunningProcess>();
  const killed = new Set<Name>();

  const start = (name: Name): void => {
    running.set(name, group.start(name, ...renderCommand(name)));
    killed.delete(name);
  };

  return {
    start,
    pids: () => new Map([...running].map(([name, { pid }]) => [name, pid])),
    async kill9(name) {
      await running.get(name)?.end("SIGKILL");
      if (running.delete(name)) killed.add(name);
    },
    async restart(name, graceMs) {
      await running.get(name)?.end("SIGTERM", graceMs);
      start(name);
    },
    revive() {
      const ended = [...running].filter(([, process]) => !process.isRunning()).map(([name]) => name);
      for (const name of [...ended, ...killed]) start(name);
    },
    async failOnEnd() {
      for (const [name, process] of running) {
        if (process.isRunning()) continue;
        const tail = await group.readLogTail(name);
        const message = `expected ${name} to run, found it ended (${await process.ended}); the end of its log:\n${tail}`;
        throw tail.includes("address already in use") ? new PortTaken(message) : new Error(message);
      }
    },
  };
}
