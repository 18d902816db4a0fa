import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findInterpreter } from "./interpreter.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "pallas-interpreter-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A script in Python's place that runs, or fails with a word. */
function place(path: string, problem?: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    problem === undefined ? `#!/bin/sh\necho ${path}\n` : `#!/bin/sh\necho '${problem}' >&2\nexit 1\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

const find = (minor: number, folders: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  findInterpreter(minor, { PATH: folders.map((each) => join(folder, each)).join(delimiter), HOME: folder, ...more });

it("takes python3 of the first folder on PATH that has one", async () => {
  place("b/python3.14");
  const python3 = place("b/python3");
  place("c/python3");
  expect(await find(11, ["nowhere", "b", "c"])).toEqual({ executable: python3, identity: "b/python3\n" });
});

it("passes over one that is too old or does not run, for the oldest of those asked for", async () => {
  place("a/python3", "Python 3.9.2");
  place("a/python3.12");
  const wanted = place("a/python3.13");
  place("a/python3.14");
  place("a/python3-config");
  expect(await find(13, ["a"])).toMatchObject({ executable: wanted });
});

it("finds behind pyenv's shims, which fail but for what is selected, the versions that it has", async () => {
  const hidden = place(".pyenv/versions/3.13.0/bin/python3");
  place(".pyenv/versions/3.9.0/bin/python3", "Python 3.9.0");
  place(".pyenv/shims/python3.13", "pyenv: python3.13: command not found");
  expect(await find(13, [".pyenv/shims"])).toMatchObject({ executable: hidden });
});

it("finds pyenv elsewhere by PYENV_ROOT, and by its shims", async () => {
  const hidden = place("opt/pyenv/versions/3.13.0/bin/python3");
  expect(await find(13, [], { PYENV_ROOT: join(folder, "opt/pyenv") })).toMatchObject({ executable: hidden });
  expect(await find(13, ["opt/pyenv/shims"])).toMatchObject({ executable: hidden });
});

it("says why the first was none", async () => {
  const first = place("a/python3", "Python 3.9.2");
  place("b/python3", "no");
  expect(await find(11, ["a", "b"])).toEqual({
    missing: `expected python3 ≥ 3.11 with venv and ensurepip, found: Python 3.9.2 (${first}); install Python (Debian: python3-venv)`,
  });
  expect(await find(11, [])).toMatchObject({ missing: expect.stringContaining("found: none on PATH;") });
});
