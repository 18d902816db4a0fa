// One line for each change of an endpoint's state, however often it changes.
import { expect, test } from "vitest";
import { createLogger } from "../../../lib/process/log.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { createStateLog } from "./state-log.ts";

function open() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(String(JSON.parse(line).message)) };
  const clock = new ManualClock();
  const { tell, close } = createStateLog({ log: createLogger({ logger: "test", destination }), clock });
  const counts = (texts: number, embedded: number) => ({ counts: { texts, embedded, refused: 0 } });
  return {
    ...{ lines, clock, close },
    fails: () => tell({ problem: "it is gone", isComplete: false, ...counts(2, 1) }),
    fills: () => tell({ problem: undefined, isComplete: false, ...counts(2, 1) }),
    isWell: (texts = 2) => tell({ problem: undefined, isComplete: true, ...counts(texts, texts) }),
  };
}

const failing = "embeddings fail, tools are searched without them";
const well = "all tools have embeddings";

test("filling and filled again is no line but the first", () => {
  const { lines, fills, isWell } = open();
  isWell(0);
  for (let at = 0; at < 5; at += 1) {
    fills();
    isWell();
  }
  expect(lines).toEqual([well]);
});

test("failing is one line, and being well again is one when it lasts", async () => {
  const { lines, clock, fails, fills, isWell, close } = open();
  for (let at = 0; at < 5; at += 1) {
    fails();
    fills();
    await clock.advance(5_999);
    isWell();
  }
  expect(lines).toEqual([failing]);
  await clock.advance(4);
  expect(lines).toEqual([failing]);
  await clock.advance(1);
  isWell();
  expect(lines).toEqual([failing, well]);
  fails();
  isWell();
  fails();
  await clock.advance(60_000);
  expect(lines).toEqual([failing, well, failing]);
  isWell();
  expect(lines).toEqual([failing, well, failing, well]);
  fails();
  isWell();
  close();
  await clock.advance(60_000);
  expect(lines).toHaveLength(5);
});
