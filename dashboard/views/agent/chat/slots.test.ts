import { expect, it } from "vitest";
import { createSlots } from "./slots.ts";

const never = new AbortController().signal;

it("lets so many in, and the next when one leaves", async () => {
  const slots = createSlots(2);
  const first = await slots.take(never);
  await slots.take(never);
  let isIn = false;
  const third = slots.take(never).then(() => (isIn = true));
  await Promise.resolve();
  expect(isIn).toBe(false);
  first();
  first();
  await third;
  const gaveUp = new AbortController();
  const fourth = slots.take(gaveUp.signal);
  gaveUp.abort(new Error("given up"));
  await expect(fourth).rejects.toThrow("given up");
});
