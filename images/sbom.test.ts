import { describe, expect, it } from "vitest";
import { renderBill, type BillOptions } from "./sbom.ts";

const hono = { "bom-ref": "hono@4.0.0", name: "hono", purl: "pkg:npm/hono@4.0.0" };
const vitest = { "bom-ref": "vitest@5.0.0", name: "vitest", purl: "pkg:npm/vitest@5.0.0" };
const bundled = { name: "hono", version: "4.0.0" };
const options: BillOptions = {
  image: "agent",
  version: "0.1.0",
  epochSeconds: 1_795_298_766,
  packages: [bundled, bundled],
  installed: new Map([hono, vitest].map((component) => [component["bom-ref"], component])),
  parts: [{ name: "node", version: "24.0.0", purl: "pkg:generic/node@24.0.0", license: "MIT" }],
};

describe("renderBill", () => {
  it("lists what is bundled, once, and what the base is made of, and nothing that is only installed", () => {
    const node = { type: "application", version: "24.0.0", licenses: [{ license: { id: "MIT" } }] };
    expect(renderBill(options)).toMatchObject({ components: [hono, { name: "node", ...node }] });
  });

  it("tells the commit's time, and no number of its own", () => {
    const bill = renderBill(options);
    expect(bill).toMatchObject({ specVersion: "1.5", metadata: { timestamp: "2026-11-21T22:06:06.000Z" } });
    expect(bill).not.toHaveProperty("serialNumber");
  });

  it("a bundled package that npm does not list is an error that names it", () => {
    const packages = [{ name: "left-pad", version: "1.3.0" }];
    expect(() => renderBill({ ...options, packages })).toThrow(/left-pad@1\.3\.0.*run npm ci/);
  });
});
