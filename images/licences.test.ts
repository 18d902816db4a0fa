import { join } from "node:path";
import { expect, it } from "vitest";
import { readPackage, renderLicences } from "./licences.ts";

const root = join(import.meta.dirname, "..");

it("a package comes with its version, its licence's name and its text", async () => {
  const hono = await readPackage(join(root, "node_modules/hono"));
  expect(hono).toMatchObject({ name: "hono", license: "MIT" });
  expect(hono.text).toMatch(/Permission is hereby granted/);
});

it("one text stands once, under everybody who uses it", () => {
  const [a, b] = ["a", "b"].map((name) => ({ name, version: "1.0.0", license: "MIT", text: "Do as you like." }));
  if (a === undefined || b === undefined) throw new Error("expected two packages");
  const rendered = renderLicences([a, b]);
  expect(rendered).toContain("a 1.0.0 (MIT)\nb 1.0.0 (MIT)");
  expect(rendered.split("Do as you like.")).toHaveLength(2);
});

it("a package without a licence file is named with what its manifest says", () => {
  const rendered = renderLicences([{ name: "c", version: "2.0.0", license: "ISC", text: "" }]);
  expect(rendered).toContain("c 2.0.0 (ISC)");
  expect(rendered).toContain("no licence file; its package.json says: ISC");
});
