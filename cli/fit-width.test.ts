import { expect, test } from "vitest";
import { fitWidth } from "./fit-width.ts";

test("CLI-1 a line that fits stays, one column more is cut, by what a terminal takes for a column", () => {
  expect(fitWidth("12345", 5)).toBe("12345");
  expect(fitWidth("123456", 5)).toBe("1234…");
  expect(fitWidth("日本", 4)).toBe("日本");
  expect(fitWidth("日本語", 5)).toBe("日本…");
  expect(fitWidth("日本語", 4)).toBe("日…");
  expect(fitWidth("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
  expect(fitWidth("x".repeat(1_000_000), 3)).toBe("xx…");
});
