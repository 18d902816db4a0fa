// docs/roadmap.md against the list of promises: what is open is on it, and what is there is not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requirements } from "../requirements.ts";
import { laterRequirements } from "../requirements/later.ts";
import { root } from "./pages.ts";

const page = readFileSync(join(root, "docs/roadmap.md"), "utf8");
const named = new Set(page.match(/\b[A-Z]{2,3}-\d+\b/g));

test("the roadmap names only promises that nothing shows yet", () => {
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((id) => requirements[id]?.shown !== "open")).toEqual([]);
});

test("the roadmap names every promise that is for later", () => {
  const open = Object.entries(laterRequirements).flatMap(([id, { shown }]) => (shown === "open" ? [id] : []));
  expect(open.filter((id) => !named.has(id))).toEqual([]);
});
