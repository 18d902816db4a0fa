import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseImageStart } from "./image-start.ts";

const containerfile = readFileSync(join(import.meta.dirname, "../../images/Containerfile"), "utf8");

it.each(["operator", "agent-runtime", "registry"])("the %s is started as its image starts it", (program) => {
  const { flags } = parseImageStart(containerfile, program);
  expect(flags).toContainEqual(expect.stringMatching(/^--max-semi-space-size=\d+$/));
});

it("each stage has its own flags and environment", () => {
  const text = [
    "FROM base AS one",
    "ENV A=1",
    "ENV B=2",
    'ENTRYPOINT ["node", "--x", "--y=2", "/app/one.js"]',
    "",
    "FROM base AS two",
    'ENTRYPOINT ["node", "/app/two.js"]',
  ].join("\n");
  expect(parseImageStart(text, "one")).toEqual({ flags: ["--x", "--y=2"], env: { A: "1", B: "2" } });
  expect(parseImageStart(text, "two")).toEqual({ flags: [], env: {} });
  expect(() => parseImageStart(text, "three")).toThrow(
    "expected a stage of images/Containerfile to start three.js by node",
  );
});
