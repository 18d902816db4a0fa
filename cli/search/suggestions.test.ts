// Did you mean, on ten thousand public tools: names with one wrong letter, and with another word for what is done.
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { readJsonLines } from "./read-json-lines.ts";
import { readToolCatalogue } from "./tool-files.ts";

const folder = join(import.meta.dirname, "../../test/data/tool-search");
const files = ["livemcp", "docker", "seal", "stb", "bfcl", "metatool"].map((name) =>
  join(folder, `tools-${name}.jsonl.gz`),
);

const otherVerbs = new Map(
  Object.entries({
    get: "fetch",
    fetch: "get",
    list: "show",
    show: "list",
    create: "add",
    add: "create",
    delete: "remove",
    remove: "delete",
    update: "edit",
    edit: "update",
    search: "find",
    find: "search",
    calculate: "compute",
    analyze: "examine",
    send: "post",
    check: "verify",
    generate: "make",
    retrieve: "get",
  }),
);
const verb = /^[a-z]+(?=[_A-Z-])|^[A-Z][a-z]+(?=[A-Z _-])/;

function swapVerb(name: string): string | undefined {
  const [found = ""] = verb.exec(name) ?? [];
  const other = otherVerbs.get(found.toLowerCase());
  return other === undefined ? undefined : other + name.slice(found.length);
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/** One letter left out, doubled, replaced or exchanged with the next, as `seed` says. */
function mistype(name: string, seed: number): string {
  const at = 1 + (seed % (name.length - 2));
  const [before, letter, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  const kinds = [
    before + after,
    before + letter + letter + after,
    before + letters.charAt(seed % 26) + after,
    before + after.charAt(0) + letter + after.slice(1),
  ];
  return kinds[Math.floor(seed / 7) % kinds.length] ?? name;
}

test("DSC-3 the name that was meant is among the first three", { timeout: 180_000 }, async () => {
  const { index } = await readToolCatalogue(files);
  const names = new Set<string>();
  for (const file of files) {
    for (const { name } of await readJsonLines(file, z.object({ name: z.string() }))) names.add(name);
  }
  const isFound = (wrong: string, name: string) => index.suggest(wrong, { limit: 3 }).some(({ tool }) => tool === name);
  const share = (pairs: readonly { wrong: string; name: string }[]) =>
    pairs.filter(({ wrong, name }) => isFound(wrong, name)).length / pairs.length;

  const sample = [...names].filter((name, at) => name.length >= 6 && at % 8 === 0);
  const typos = sample.map((name, at) => ({ name, wrong: mistype(name, at * 31 + name.length) }));
  expect(typos.length).toBeGreaterThan(1_000);
  expect(share(typos)).toBeGreaterThanOrEqual(0.98);

  const swaps = [...names].flatMap((name, at) => {
    const wrong = at % 4 === 0 ? swapVerb(name) : undefined;
    return wrong === undefined || names.has(wrong) ? [] : [{ name, wrong }];
  });
  expect(swaps.length).toBeGreaterThan(500);
  expect(share(swaps)).toBeGreaterThanOrEqual(0.9);
});
