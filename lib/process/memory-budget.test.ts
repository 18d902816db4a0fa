import { describe, expect, test } from "vitest";
import { createMemoryBudget, smallHolderBytes } from "./memory-budget.ts";

const mebibyte = 1024 * 1024;
const maxBytes = 64 * mebibyte;

describe("SEC-6 a memory budget", () => {
  test("lets large holders fill three quarters, and no byte more", () => {
    const budget = createMemoryBudget(maxBytes);
    const [first, second] = [budget.open(), budget.open()];
    expect(first.take(32 * mebibyte)).toBe(true);
    expect(second.take(16 * mebibyte)).toBe(true);
    expect(second.take(1)).toBe(false);
    expect(budget.heldBytes()).toBe(48 * mebibyte);
  });

  test("leaves the rest to small holders, to the last byte", () => {
    const budget = createMemoryBudget(maxBytes);
    budget.open().take(48 * mebibyte);
    const held = Array.from({ length: (16 * mebibyte) / smallHolderBytes }, () => budget.open().take(smallHolderBytes));
    expect(held).not.toContain(false);
    expect(budget.open().take(1)).toBe(false);
  });

  test("takes a holder that grows beyond small for a large one", () => {
    const budget = createMemoryBudget(maxBytes);
    budget.open().take(48 * mebibyte);
    const growing = budget.open();
    expect(growing.take(smallHolderBytes)).toBe(true);
    expect(growing.take(1)).toBe(false);
    expect(budget.heldBytes()).toBe(48 * mebibyte + smallHolderBytes);
  });

  test("never refuses who is alone, at whatever size", () => {
    const budget = createMemoryBudget(1);
    const alone = budget.open();
    expect([alone.take(maxBytes), alone.take(maxBytes)]).toEqual([true, true]);
    expect(budget.open().take(1)).toBe(false);
  });

  test("has room again for what a holder does not keep", () => {
    const budget = createMemoryBudget(maxBytes);
    const [first, second] = [budget.open(), budget.open()];
    first.take(40 * mebibyte);
    first.keep(41 * mebibyte);
    expect(budget.heldBytes()).toBe(40 * mebibyte);
    first.keep(10 * mebibyte);
    expect(second.take(38 * mebibyte)).toBe(true);
    expect(second.take(1)).toBe(false);
    first.release();
    expect(budget.heldBytes()).toBe(38 * mebibyte);
  });

  test("has room again for what was released, once", () => {
    const budget = createMemoryBudget(maxBytes);
    const [first, second] = [budget.open(), budget.open()];
    first.take(30 * mebibyte);
    second.take(10 * mebibyte);
    first.release();
    first.release();
    expect(budget.heldBytes()).toBe(10 * mebibyte);
    expect(first.take(1)).toBe(false);
    expect(second.take(38 * mebibyte)).toBe(true);
  });
});
