import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { stopSignal } from "./signals.ts";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  connected = false;
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe("CLI-1 when to stop", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s stops in order, the second one at once", (name) => {
    const source = new FakeProcess();
    const { signal } = stopSignal(source);
    source.emit(name);
    expect({ aborted: signal.aborted, exits: source.exits }).toEqual({ aborted: true, exits: [] });
    source.emit("SIGINT");
    expect(source.exits).toEqual([130]);
  });

  test("where the stop can be hurried the second one does that, and the third ends at once", () => {
    const source = new FakeProcess();
    const { signal, hurry } = stopSignal(source, { canHurry: true });
    source.emit("SIGINT");
    expect([signal.aborted, hurry.aborted]).toEqual([true, false]);
    source.emit("SIGINT");
    expect({ hurried: hurry.aborted, exits: source.exits }).toEqual({ hurried: true, exits: [] });
    source.emit("SIGTERM");
    expect(source.exits).toEqual([143]);
  });

  test("the end of the program that started us over IPC stops us, too", () => {
    const source = new FakeProcess();
    source.connected = true;
    const { signal } = stopSignal(source);
    source.emit("disconnect");
    expect(signal.aborted).toBe(true);
  });

  test("after a release the signals are somebody else's", () => {
    const source = new FakeProcess();
    const { signal, release } = stopSignal(source);
    release();
    source.emit("SIGTERM");
    expect(signal.aborted).toBe(false);
    expect(source.eventNames()).toEqual([]);
  });
});
