// In processes of their own, since the console and Node's warnings belong to the whole process.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const sources = (name: string) => JSON.stringify(join(import.meta.dirname, name));

async function run(levels: Record<string, string>, script: string) {
  const source = `
    import { captureLibraryOutput } from ${sources("library-output.ts")};
    import { createLogger } from ${sources("log.ts")};
    captureLibraryOutput(createLogger({ logger: "pallas.x", ...${JSON.stringify(levels)} }));
    ${script}`;
  const args = ["--input-type=module", "--eval", source];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  expect(stderr).toBe("");
  const lines: Record<string, unknown>[] = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { lines, stdout };
}

describe("LOG-1 what libraries print", () => {
  it("becomes lines of the logger library, as do Node's warnings", async () => {
    const { lines } = await run(
      {},
      `console.log("hello", { token: "s3cret" }); console.error(new Error("bad"));
       console.debug("detail"); process.emitWarning("old API");`,
    );
    expect(lines).toMatchObject([
      { level: "INFO", logger: "library", message: "hello" },
      { level: "ERROR", logger: "library", err: { message: "bad" } },
      { level: "WARNING", logger: "library", message: "node warns", err: { message: "old API" } },
    ]);
  });

  it("BRR-4 holds no object and no bearer token, and is cut at 500 characters", async () => {
    const { lines, stdout } = await run(
      {},
      `console.warn("Authorization: Bearer s3cret-s3cret", { prompt: "s3cret" }); console.warn("x".repeat(501));`,
    );
    expect(stdout).not.toContain("s3cret");
    expect(lines[1]?.["message"]).toBe("x".repeat(500));
  });

  it("obeys the level of libraries", async () => {
    const { lines } = await run({ rootLevel: "error" }, `console.warn("quiet"); console.error("loud");`);
    expect(lines).toMatchObject([{ message: "loud" }]);
  });
});
