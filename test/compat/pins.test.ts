// What the suite installs is what it was when its versions were pinned: each package of others has a digest.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { publishedServers } from "./published-servers.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");

const lockSchema = z.object({
  packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional() })),
});

const readDependencies = (set: string) =>
  z.object({ dependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(read(`${set}/package.json`)))
    .dependencies;

test.each(["servers", "clients"])("npm's %s are pinned to one version, and all they need with digests", (set) => {
  const versions = Object.values(readDependencies(set));
  expect(versions.length).toBeGreaterThan(0);
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const { packages } = lockSchema.parse(JSON.parse(read(`${set}/package-lock.json`)));
  const loose = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && integrity === undefined);
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(loose.map(([path]) => path)).toEqual([]);
});

test("npm's servers are those that are started", () => {
  const names = publishedServers.filter(({ from }) => from === "npm").map(({ program }) => program);
  expect(Object.keys(readDependencies("servers")).toSorted()).toEqual(names.toSorted());
});

const environments = ["servers", "fastmcp", "langchain", "hosts", "llama-index", "mcp-use", "contextforge"];

test.each(environments)("Python's %s are pinned with digests", (wanted) => {
  const text = read(`../python/requirements-${wanted}.txt`).replaceAll(/^#.*\n/gm, "");
  const pins = text.split(/\n(?=\S)/);
  expect(pins.length).toBeGreaterThan(20);
  expect(pins.filter((pin) => !/^[\w.[\],-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}/s.test(pin))).toEqual([]);
});
