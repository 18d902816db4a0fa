import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { needs, needsPlatform } from "./needs.ts";

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pallas-needs-"));
  said = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  vi.stubEnv("PATH", ["", join(folder, "nowhere"), folder].join(delimiter));
  vi.stubEnv("CI", "");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const place = (name: string) => {
  writeFileSync(join(folder, name), "");
  chmodSync(join(folder, name), 0o755);
};

it("a test runs where its programs are on PATH, in CI too", () => {
  for (const name of ["tmux", "zsh"]) place(name);
  vi.stubEnv("CI", "true");
  expect(needs("tmux", "zsh")).toEqual({ skip: false, meta: {} });
  expect(said).toEqual([]);
});

it("a test is left out where one is missing, with what and the cure, aloud and in the report", () => {
  place("prometheus");
  const missing =
    "expected promtool, zsh on this machine, found none; `make tools` installs it (Debian: prometheus, zsh)";
  expect(needs("prometheus", "promtool", "zsh")).toEqual({ skip: true, meta: { missing } });
  expect(said).toEqual([`\n*** TESTS LEFT OUT: ${missing} ***\n\n`]);
});

it("in CI a missing program is an error", () => {
  vi.stubEnv("CI", "true");
  expect(() => needs("tmux")).toThrow(/^expected tmux on this machine, found none; `make tools` installs it/);
});

it("a folder and a file that may not be run are no programs", () => {
  mkdirSync(join(folder, "tmux"));
  place("zsh");
  chmodSync(join(folder, "zsh"), 0o644);
  expect(needs("tmux", "zsh").meta.missing).toMatch(/^expected tmux, zsh /);
});

it("what a platform cannot show is skipped in CI too", () => {
  vi.stubEnv("CI", "true");
  expect(needsPlatform("there is no /proc")).toEqual({ skip: true, meta: { platform: "there is no /proc" } });
  expect(needsPlatform(undefined)).toEqual({ skip: false, meta: {} });
});
