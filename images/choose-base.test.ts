import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chooseBase, hostOf, parsePreset } from "./choose-base.ts";

it("the preset base is pinned by digest", async () => {
  const containerfile = await readFile(join(import.meta.dirname, "Containerfile"), "utf8");
  expect(parsePreset(containerfile)).toMatch(/^\S+@sha256:[0-9a-f]{64}$/);
});

it("a Containerfile without a preset is refused", () => {
  expect(() => parsePreset("ARG BASE\nFROM ${BASE}")).toThrow(/expected a line `ARG BASE=reference`/);
});

it.each([
  ["node:24-slim", "registry-1.docker.io"],
  ["library/node:24-slim", "registry-1.docker.io"],
  ["gcr.io/distroless/nodejs24-debian13:nonroot", "gcr.io"],
  ["localhost/base:1", "localhost"],
  ["127.0.0.1:5000/base:1", "127.0.0.1:5000"],
])("%s is asked for at %s", (reference, host) => {
  expect(hostOf(reference)).toBe(host);
});

it("a base that was asked for is taken, whether its registry answers or not", async () => {
  const said: string[] = [];
  await expect(chooseBase("127.0.0.1:1/base:1", (line) => said.push(line))).resolves.toBe("127.0.0.1:1/base:1");
  expect(said).toEqual([]);
});
