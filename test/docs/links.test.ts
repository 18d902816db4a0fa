import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { pages, parsePage, root, type Page } from "./pages.ts";

const anchorsOf = new Map(pages.map(({ path, anchors }) => [path, anchors]));

/** One sentence for each relative link of the page that leads nowhere. */
function deadLinks({ path, links }: Pick<Page, "path" | "links">): string[] {
  return links
    .filter((link) => !/^[a-z]+:/i.test(link))
    .flatMap((link) => {
      const [target = "", anchor] = link.split("#");
      const file = target === "" ? path : posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, "");
      if (file !== path && !existsSync(join(root, file))) return [`${path}: ${link} is no file`];
      if (anchor === undefined || anchorsOf.get(file)?.has(anchor) === true) return [];
      return [`${path}: ${link} is no heading of ${file}`];
    });
}

test("the pages are read at all", () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.flatMap(({ links }) => links).length).toBeGreaterThan(100);
});

test("every relative link leads to a file, and every anchor to a heading", () => {
  expect(pages.flatMap(deadLinks)).toEqual([]);
});

test("a link to a file or heading that is not there is found", () => {
  const text = "# One `two`\n[a](b.md) [c](#one-two) [d](#one) [e](../README.md#nowhere) ![f](g.svg)\n";
  const page = parsePage("docs/x.md", text);
  anchorsOf.set(page.path, page.anchors);
  expect(deadLinks(page)).toEqual([
    "docs/x.md: b.md is no file",
    "docs/x.md: #one is no heading of docs/x.md",
    "docs/x.md: ../README.md#nowhere is no heading of README.md",
    "docs/x.md: g.svg is no file",
  ]);
});

test("docs/README.md leads to every page of docs/", () => {
  const index = pages.find(({ path }) => path === "docs/README.md");
  const linked = new Set(index?.links.map((link) => posix.join("docs", link.split("#")[0] ?? "")));
  const missing = pages.filter(
    ({ path }) => /^docs\/[^/]+\.md$/.test(path) && path !== "docs/README.md" && !linked.has(path),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
});
