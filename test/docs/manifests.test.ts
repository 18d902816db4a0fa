// What readers copy must be accepted. A page need not show the instance or the colleagues of an agent: that these are missing
// is no problem here. A block without apiVersion is a piece of a manifest and not judged.
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { placeholder } from "../../crds/references.ts";
import { readFolder } from "../../cli/testing/manifests.ts";
import { checkManifests } from "../../plan/check.ts";
import { pages, type CodeBlock } from "./pages.ts";

const ours = /^apiVersion: pallas\.helu\.ca\//m;
const heredoc = /<<'?(\w+)'?[^\n]*\n(.*?)^\1$/gms;
const elsewhere: ReadonlySet<string> = new Set(["InstanceNotFound", "AgentNotFound"]);

/** A block itself, or what a command of it is given by `<<END`. */
const manifestsIn = ({ language, text }: CodeBlock): string[] =>
  (/^ya?ml\b/.test(language) ? [text] : [...text.matchAll(heredoc)].map(([, , body = ""]) => body)).filter((body) =>
    ours.test(body),
  );

const shown = pages.flatMap(({ path, blocks }) =>
  blocks
    .flatMap(manifestsIn)
    .map((text): [string, string] => [`${path}: ${text.trim().split("\n").slice(1, 4).join(" ")}`, text]),
);

async function problemsOf(text: string): Promise<string[]> {
  const { resources, diagnostics } = await readFolder({ "page.yaml": text });
  const { problems } = checkManifests(resources, { mode: placeholder.test(text) ? "local" : "cluster" });
  return [
    ...diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    ...problems.filter(({ reason }) => !elsewhere.has(reason)).map(({ path, message }) => `${path}: ${message}`),
  ];
}

test("pages show manifests at all", () => expect(shown.length).toBeGreaterThan(3));

test.each(shown)("accepted as `pallas check` would: %s", async (_, text) => {
  expect(await problemsOf(text)).toEqual([]);
});

test("every block of YAML and JSON can be read", () => {
  const blocks = pages.flatMap((page) => page.blocks.map((block) => ({ path: page.path, ...block })));
  const [yaml, json] = [/^ya?ml\b/, /^json\b/].map((kind) => blocks.filter(({ language }) => kind.test(language)));
  for (const { path, text } of yaml ?? []) expect(() => loadAll(text), `${path}:\n${text}`).not.toThrow();
  for (const { path, text } of json ?? []) expect(() => void JSON.parse(text), `${path}:\n${text}`).not.toThrow();
  expect((yaml ?? []).length + (json ?? []).length).toBeGreaterThan(10);
});

test("a misspelt field is found", async () => {
  expect(
    await problemsOf(
      "apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: a }\nspec: { instanceRef: { name: i }, modle: x }\n",
    ),
  ).toEqual([expect.stringContaining("modle")]);
});
