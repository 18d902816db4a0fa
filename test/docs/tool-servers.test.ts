// The tool servers that docs/tool-servers.md shows, in an instance: each is accepted where the page says that it runs, and refused
// elsewhere with the cure that the page names. And its example, which both places take.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFolder } from "../../cli/testing/manifests.ts";
import { checkManifests } from "../../plan/check.ts";
import type { Mode } from "../../plan/rules.ts";
import { pages, root } from "./pages.ts";

const instance = `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasInstance
metadata: { name: office }
spec: { registryNamespace: com.example.office, defaultModel: passthrough }
`;
const shown = pages
  .filter(({ path }) => path === "docs/tool-servers.md")
  .flatMap(({ blocks }) => blocks.map(({ text }) => text))
  .filter((text) => /^kind: PallasServer$/m.test(text));

async function problemsIn(mode: Mode): Promise<string[]> {
  const { resources, diagnostics } = await readFolder({ "page.yaml": [instance, ...shown].join("\n---\n") });
  expect(diagnostics).toEqual([]);
  const { problems, servers, runnable } = checkManifests(resources, { mode });
  expect(servers.length).toBe(shown.length - 1);
  expect(runnable.map(({ agent }) => agent.metadata.name)).toEqual(["archivist"]);
  return problems.map(({ subject, reason, path, message }) => `${subject}: ${reason} ${path} ${message}`);
}

test("DSC-6 a cluster runs each but the program of one machine, and says what to use instead", async () => {
  expect(shown).toHaveLength(5);
  expect(await problemsIn("cluster")).toEqual([
    expect.stringMatching(/notes: LocalOnly spec\.local .*use package or container, or remote/),
  ]);
});

test("DSC-6 `pallas up` runs each but the image, and says what to use instead", async () => {
  expect(await problemsIn("local")).toEqual([
    expect.stringMatching(/ledger: InvalidField spec\.container .*name its URL in remote, or use package or local/),
  ]);
});

test.each(["cluster", "local"] as const)("DSC-6 examples/tool-servers is accepted as it is: %s", async (mode) => {
  const folder = join(root, "examples/tool-servers");
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const files = names.map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);
  const { resources, diagnostics } = await readFolder(Object.fromEntries(files));
  const { problems, servers, runnable } = checkManifests(resources, { mode });
  expect({ problems, diagnostics }).toEqual({ problems: [], diagnostics: [] });
  expect([servers.length, runnable.length]).toEqual([1, 1]);
});
