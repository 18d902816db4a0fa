// The pictures of README and docs: small enough to be loaded by everybody who reads a page, and each on one of them with words for who
// does not see it.
import { readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { pages, root } from "./pages.ts";

const folder = "docs/pictures";
const maxBytes = 150_000;
const pictures = readdirSync(join(root, folder)).toSorted();

test("UI-1 there are pictures of the dashboard, and each has at most 150 kB", () => {
  expect(pictures.length).toBeGreaterThanOrEqual(4);
  expect(pictures.filter((name) => statSync(join(root, folder, name)).size > maxBytes)).toEqual([]);
});

test("UI-1 each picture is on a page, and says in words what it shows", () => {
  const shown = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/!\[([^\]]{10,})\]\(([^)]+)\)/g)].map(([, , target = ""]) =>
      posix.join(posix.dirname(path), target),
    ),
  );
  expect(pictures.map((name) => `${folder}/${name}`).filter((path) => !shown.includes(path))).toEqual([]);
  const pictured = new Set(pages.filter(({ text }) => text.includes("pictures/")).map(({ path }) => path));
  for (const path of ["README.md", "docs/dashboard.md"]) expect(pictured).toContain(path);
});
