import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseOptions } from "./options.ts";

const root = join(import.meta.dirname, "..");
const parse = (env: Record<string, string>, argv: string[] = []) => parseOptions({ argv, env, root });

describe("parseOptions", () => {
  it("without a word takes the version and time of this commit", async () => {
    const options = await parse({});
    expect(options).toMatchObject({ prefix: "pallas", tag: options.version, base: undefined, source: undefined });
    expect(options.revision).toMatch(/^[0-9a-f]{40}$/);
    expect(options.epochSeconds).toBeGreaterThan(1_700_000_000);
  });

  it("takes prefix, tag, source and time from the environment, base and folder from arguments", async () => {
    const env = { IMAGE_PREFIX: "registry.example:5000/team/pallas", IMAGE_TAG: "v1.2.3", SOURCE_DATE_EPOCH: "5" };
    await expect(
      parse({ ...env, IMAGE_SOURCE: "https://git.example/pallas" }, ["--base", "local", "--out", "/o"]),
    ).resolves.toMatchObject({
      prefix: "registry.example:5000/team/pallas",
      tag: "v1.2.3",
      epochSeconds: 5,
      source: "https://git.example/pallas",
      base: "local",
      out: "/o",
    });
  });

  it.each([
    [{ IMAGE_PREFIX: "Pallas/" }, /IMAGE_PREFIX/],
    [{ IMAGE_TAG: "a b" }, /IMAGE_TAG/],
    [{ SOURCE_DATE_EPOCH: "yesterday" }, /SOURCE_DATE_EPOCH/],
    [{ IMAGE_SOURCE: "here" }, /IMAGE_SOURCE/],
  ])("%o is refused by name", async (env, words) => {
    await expect(parse(env)).rejects.toThrow(words);
  });

  it("an unknown argument is refused", async () => {
    await expect(parse({}, ["--bse", "local"])).rejects.toThrow(/--bse/);
  });
});
