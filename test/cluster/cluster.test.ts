import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callApi } from "./api-call.ts";
import { cluster, clusterMissing, createNamespace } from "./cluster.ts";

describe.skipIf(clusterMissing())("the shared API server", () => {
  it("serves every CRD of the project", async () => {
    const files = await readdir(join(import.meta.dirname, "../../crds"));
    const wanted = files.filter((name) => name.endsWith(".yaml")).map((name) => name.replace(".yaml", ""));
    const served = await cluster().kubectl(["api-resources", "--api-group=pallas.helu.ca", "--output=name"]);
    expect(wanted.length).toBeGreaterThan(0);
    expect(served.trim().split("\n").toSorted()).toEqual(wanted.map((name) => `${name}.pallas.helu.ca`).toSorted());
  });

  it("each test has namespaces of its own, which end with it", async () => {
    const status = async (name: string): Promise<number> =>
      (await callApi(cluster(), { path: `/api/v1/namespaces/${name}` })).status;
    let names: string[] = [];
    {
      await using first = await createNamespace("own");
      await using second = await createNamespace("own");
      names = [first.name, second.name];
      expect(first.name).toMatch(/^own-[0-9a-f]{8}$/);
      expect(first.name).not.toBe(second.name);
      expect(await Promise.all(names.map(status))).toEqual([200, 200]);
      await second.remove(); // and once more by the end of the block
    }
    await expect.poll(() => Promise.all(names.map(status)), { timeout: 30_000 }).toEqual([404, 404]);
  });

  it("a prefix that is no DNS label is refused with the server's words", async () => {
    await expect(createNamespace("Not_A_Label")).rejects.toThrow("expected 201 for namespace Not_A_Label-");
  });
});
