import { expect, test } from "vitest";
import { withoutEndSlashes } from "./end-slashes.ts";

test.each([
  ["http://a.example", "http://a.example"],
  ["http://a.example/", "http://a.example"],
  ["http://a.example/b//", "http://a.example/b"],
  ["http://a.example//b", "http://a.example//b"],
])("%s without the slashes at its end is %s", (url, expected) => {
  expect(withoutEndSlashes(url)).toBe(expected);
});
