import { expect, test } from "vitest";
import { header } from "./references.ts";

const valueFrom = { secretKeyRef: { name: "keys", key: "k" } };

test.each([
  [{ name: "X-Team", value: "blue" }, true],
  [{ name: "X-Team", valueFrom }, true],
  [{ name: "X-Team", value: "blue", valueFrom }, false],
  [{ name: "X-Team" }, false],
])("a header has one value, in its own text or in a Secret: %j is sound: %s", (entry, isSound) => {
  expect(header.safeParse(entry).success).toBe(isSound);
});
