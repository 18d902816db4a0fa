import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listPaths } from "../tidy/source-tree.ts";
import { renderMissing } from "./install.ts";
import { findAbsent, toolPackages, type ToolPackage } from "./packages.ts";

/** What every Debian has, or is asked for before anything else: Node with npm, Go, Python, make. */
const given = [
  ...["apt-cache", "apt-get", "bash", "cp", "dpkg-deb", "find", "ldd", "ln", "nice", "sh", "tar"],
  ...["go", "make", "mkfifo", "node", "npm", "python3"],
];
/** Left out where they are missing, without being listed: buildah does what docker does; `pallas` is what the test links. */
const alternatives = ["docker", "pallas"];

const called = /\b(?:spawn|spawnSync|execFile|execFileSync|run|execute|runCommand|answers)\(\s*"([a-z][\w-]*)",\s*\[/g;
const root = join(import.meta.dirname, "../..");

it("every program that tests and images call by its name is in the list", () => {
  const paths = listPaths(root).filter((path) => /^(?:test|images)\/(?!tools\/).*\.ts$/.test(path));
  const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
  const names = new Set(texts.flatMap((text) => [...text.matchAll(called)].map(([, name = ""]) => name)));
  expect(names.size).toBeGreaterThan(20);
  const known = new Set<string>([...toolPackages.flatMap(({ programs }) => programs), ...given, ...alternatives]);
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
});

it("no package and no program is listed twice", () => {
  const names = toolPackages.flatMap(({ name, programs }): string[] => [`package ${name}`, ...programs]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it("a package is absent when one of its programs is, or its own look says so", async () => {
  const make = (name: string, more: Partial<ToolPackage> = {}): ToolPackage => ({
    name,
    why: "",
    programs: [],
    ...more,
  });
  const absent = await findAbsent([
    make("there", { programs: ["sh", "find"] }),
    make("half", { programs: ["sh", "no-such-program"] }),
    make("seen", { isThere: async () => true }),
    make("unseen", { programs: ["sh"], isThere: async () => false }),
  ]);
  expect(absent.map(({ name }) => name)).toEqual(["half", "unseen"]);
});

it("where nothing can be installed it is said what to install, and what for", () => {
  const [zsh, tmux] = ["zsh", "tmux"].map((wanted) => toolPackages.filter(({ name }) => name === wanted));
  expect(renderMissing([...(zsh ?? []), ...(tmux ?? [])])).toBe(
    [
      "expected root and apt-get to install what is missing here, found no such rights or no apt-get; on Debian run",
      "  sudo apt-get install --no-install-recommends zsh tmux",
      "elsewhere install the like of",
      "  zsh   which takes the completion script for it",
      "  tmux  which is the terminal of pallas up and pallas chat",
    ].join("\n"),
  );
});
