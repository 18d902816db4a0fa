// docs/roadmap.md against the list of promises: what is open is on it, and what is there is not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requirements } from "../requirements.ts";
import { root } from "./pages.ts";

const page = readFileSync(join(root, "docs/roadmap.md"), "utf8");
const named = new Set(page.match(/\b[A-Z]{2,3}-\d+\b/g));

test("the roadmap names the promises that nothing shows yet, and no other ones", () => {
  const open = Object.entries(requirements).flatMap(([id, { shown }]) => (shown === "open" ? [id] : []));
  expect([...named].toSorted()).toEqual(open.toSorted());
});
