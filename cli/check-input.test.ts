// What `-f` may name beside files: standard input and pipes are read up to the limit, and what is neither is refused at once.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { findManifestFiles, UsageError } from "./manifests/find-files.ts";
import { maxFileBytes } from "./manifests/manifest-text.ts";
import { agentYaml, instanceYaml, recordTerminal, writeFolder } from "./testing/manifests.ts";

const program = resolve("cli/main.ts");
const sound = instanceYaml() + agentYaml("a");
const ofInput = (path: string, input: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "check", "-f", path], {
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};
async function run(folder: string, path = folder) {
  const terminal = recordTerminal(folder);
  const code = await check({ paths: [path], isLocal: false, json: false, env: {} }, terminal);
  return { code, said: terminal.complaints };
}

describe("CLI-1 pallas check reads standard input", () => {
  test.each(["-", "/dev/stdin"])("as %s, and names it in what it says", (path) => {
    expect(ofInput(path, sound)).toEqual({
      status: 0,
      stdout: "1 file read: 1 valid instance and 1 valid agent, no errors\n",
      stderr: "",
    });
    const { status, stderr } = ofInput(path, instanceYaml() + agentYaml("a", "sevrers: []"));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^standard input:14:3: error: PallasAgent default\/a: spec.sevrers: /),
    ]);
  });

  test("and takes an empty one for a problem", () => {
    expect(ofInput("-", "")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no PallasInstance and no PallasAgent and no PallasServer"),
    });
  });

  test("up to the size of a file, and not one byte more", () => {
    expect(ofInput("-", `${sound}#`.padEnd(maxFileBytes, "x")).status).toBe(0);
    const { status, stderr } = ofInput("-", `${sound}#`.padEnd(maxFileBytes + 1, "x"));
    expect([status, stderr]).toEqual([1, expect.stringContaining(`at most ${maxFileBytes} are read`)]);
  });

  test("as a shell's <(…)", async () => {
    const folder = await writeFolder({ "a.yaml": sound });
    const command = `"$0" "${program}" check -f <(cat "${join(folder, "a.yaml")}")`;
    const { stdout } = await promisify(execFile)("bash", ["-c", command, process.execPath]);
    expect(stdout).toContain("1 valid instance and 1 valid agent, no errors");
  });

  test("which other commands refuse", async () => {
    await expect(findManifestFiles(["-"])).rejects.toThrow(
      new UsageError("-f -: is read by pallas check only; name a folder or file"),
    );
  });
});

describe("CLI-1 what is no file is refused at once, in one sentence", () => {
  const refused = "is not a regular file but a FIFO, a device or the like, which is not read";

  test("in a folder, beside sound manifests", async () => {
    const folder = await writeFolder({ "a.yaml": sound });
    execFileSync("mkfifo", [join(folder, "fifo.yaml")]);
    await symlink("/dev/zero", join(folder, "zero.yaml"));
    await writeFile(join(folder, "sparse.yaml"), "");
    await truncate(join(folder, "sparse.yaml"), 2 ** 31);
    const { code, said } = await run(folder);
    expect(code).toBe(1);
    expect(said).toEqual([
      expect.stringContaining(`fifo.yaml: error: ${refused}`),
      expect.stringContaining("sparse.yaml: error: has 2147483648 bytes, at most 4194304 are read"),
      expect.stringContaining(`zero.yaml: error: ${refused}`),
    ]);
  });

  test("by its own name", async () => {
    const folder = await writeFolder({});
    execFileSync("mkfifo", [join(folder, "fifo")]);
    for (const path of [join(folder, "fifo"), "/dev/zero"]) await expect(run(folder, path)).rejects.toThrow(refused);
  });
});
