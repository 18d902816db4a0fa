import { expect, test } from "vitest";
import { createPlaces } from "./places.ts";

test("MGM-1 a place that is given back twice is one place", () => {
  const places = createPlaces({ maxExchanges: 2, maxPerCaller: 2 });
  const [first, second] = [places.take("ann"), places.take("ann")];
  expect(places.take("ann")).toBe("caller");
  expect(places.take("bob")).toBe("all");
  if (typeof first !== "function" || typeof second !== "function") throw new Error("expected two places");
  first();
  first();
  expect(places.count()).toBe(1);
  expect(places.take("bob")).toBeTypeOf("function");
  expect(places.take("bob")).toBe("all");
});
