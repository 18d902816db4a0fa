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

it("lets nobody in between one who leaves and the next in line", async () => {
  const slots = createSlots(1);
  const leave = await slots.take(never);
  const second = slots.take(never);
  leave();
  let isIn = false;
  void slots.take(never).then(() => (isIn = true));
  const leaveSecond = await second;
  await Promise.resolve();
  expect(isIn).toBe(false);
  leaveSecond();
  await Promise.resolve();
  await Promise.resolve();
  expect(isIn).toBe(true);
});
