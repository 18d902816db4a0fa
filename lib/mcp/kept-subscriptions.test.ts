import { expect, test } from "vitest";
import { keepSubscriptionsInMemory } from "./kept-subscriptions.ts";

/** Two of these fit, a third does not. */
const limit = 2 * (64 + 32 + 100);
const uri = "x".repeat(100);

test("MGM-2 kept subscriptions are bounded: whose changed longest ago are forgotten first", async () => {
  const kept = keepSubscriptionsInMemory(limit);
  kept.save("first", [uri]);
  kept.save("second", [uri]);
  expect([await kept.load("first"), await kept.load("second")]).toEqual([[uri], [uri]]);
  kept.save("first", [uri]);
  kept.save("third", [uri]);
  const all = await Promise.all(["first", "second", "third"].map((id) => kept.load(id)));
  expect(all).toEqual([[uri], [], [uri]]);
});

test("MGM-2 a session that follows nothing any more takes nothing", async () => {
  const kept = keepSubscriptionsInMemory(limit);
  for (let count = 0; count < 10; count += 1) {
    kept.save(`session-${count}`, [uri]);
    kept.save(`session-${count}`, []);
  }
  kept.save("first", [uri]);
  kept.save("second", [uri]);
  expect([await kept.load("first"), await kept.load("session-0")]).toEqual([[uri], []]);
});
