// What waiting does to a run: its time, and the line that its caller reads.
import { expect, test } from "vitest";
import { createOnWaiting } from "./on-waiting.ts";

test("MGM-6 a run's time stands still once while it waits, under whatever name, and goes on after that", () => {
  const shown: string[] = [];
  let pauses = 0;
  const time = {
    pause() {
      pauses += 1;
      return () => void (pauses -= 1);
    },
  };
  const events = {
    toolWaits(_label: unknown, line: string) {
      shown.push(line);
      return () => void shown.push(`no more: ${line}`);
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of a run is used
  const onWaiting = createOnWaiting({ time, events } as never, { server: "bank", tool: "pay" });
  onWaiting({});
  onWaiting({ name: "clerk-1", expiresAt: "2026-01-01T00:10:00Z" });
  expect(pauses).toBe(1);
  onWaiting(undefined);
  onWaiting(undefined);
  expect(pauses).toBe(0);
  const named = "waits for approval clerk-1 until 2026-01-01T00:10:00Z";
  expect(shown).toEqual(["waits for an answer", "no more: waits for an answer", named, `no more: ${named}`]);
});
