import { execFileSync } from "node:child_process";
import { mkdir, realpath, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { maxEnvFileBytes, readLocalEnvironment } from "./environment.ts";
import { UsageError } from "./find-files.ts";

async function folderWith(text?: string): Promise<{ folder: string; file: string }> {
  const folder = await realpath(await temporaryFolder());
  const file = join(folder, ".env");
  if (text !== undefined) await writeFile(file, text);
  return { folder, file };
}

describe("CFG-6 .env beside the manifests", () => {
  test("existing variables win, and the first folder wins over later ones", async () => {
    const { folder } = await folderWith('A=file\nB="two words" # comment\nexport C=3\n');
    const { folder: other } = await folderWith("C=later\nD=4\n");
    const { variables, diagnostics } = await readLocalEnvironment([folder, other], { A: "process" });
    expect(variables).toEqual({ A: "process", B: "two words", C: "3", D: "4" });
    expect(diagnostics).toEqual([]);
  });

  test("one that cannot be read is a warning", async () => {
    const { folder, file } = await folderWith();
    await symlink(".env", file);
    const { diagnostics } = await readLocalEnvironment([folder], {});
    expect(diagnostics).toMatchObject([{ severity: "warning", message: expect.stringContaining("ELOOP") }]);
  });
});

describe("SEC-8 .env of a stranger's folder", () => {
  test("sets for processes what is on the list, and no variable that decides what they do", async () => {
    const hostile = {
      NODE_OPTIONS: "--import file:///evil.mjs",
      LD_PRELOAD: "/evil.so",
      PATH: "/evil",
      https_proxy: "http://evil:1",
      ALL_PROXY: "http://evil:1",
      NODE_EXTRA_CA_CERTS: "/evil.pem",
      PALLAS_ALLOWED_HOSTS: "evil.example",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://evil:4318",
      OPENSSL_CONF: "/evil.cnf",
    };
    const text = Object.entries({ ...hostile, AWS_REGION: "eu", PALLAS_LOG_LEVEL: "DEBUG", MY_KEY: "k" })
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
    const { folder, file } = await folderWith(text);
    const existing = { PATH: "/bin", HTTPS_PROXY: "http://mine:1" };
    const { variables, forProcesses, diagnostics } = await readLocalEnvironment([folder], existing);
    expect(forProcesses).toEqual({ ...existing, AWS_REGION: "eu", PALLAS_LOG_LEVEL: "DEBUG" });
    expect(variables).toMatchObject({ ...hostile, ...existing, MY_KEY: "k" });
    const names = Object.keys(hostile).sort().join(", ");
    expect(diagnostics).toEqual([
      { severity: "warning", file, message: expect.stringMatching(`^${names}: not set for processes; .env fills in`) },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain("evil");
  });

  test("is refused where it is a pipe, a folder, or leads out of its folder, and read where it stays in it", async () => {
    const refusal = async (folder: string) => {
      const error: unknown = await readLocalEnvironment([folder], {}).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UsageError);
      return error instanceof Error ? error.message : "";
    };
    const pipe = await folderWith();
    execFileSync("mkfifo", [pipe.file]);
    expect(await refusal(pipe.folder)).toMatch(/\.env: is not a regular file; replace it/);
    const directory = await folderWith();
    await mkdir(directory.file);
    expect(await refusal(directory.folder)).toMatch(/\.env: is not a regular file; replace it/);
    const outside = await folderWith();
    await symlink(pipe.file, outside.file);
    expect(await refusal(outside.folder)).toBe(
      `${outside.file}: is a link to ${pipe.file}, out of its folder; copy that file here if it is meant`,
    );
    const inside = await folderWith();
    await writeFile(join(inside.folder, "real.env"), "A=1\n");
    await symlink("real.env", inside.file);
    expect((await readLocalEnvironment([inside.folder], {})).variables).toEqual({ A: "1" });
  });

  test("has 64 KiB and not a byte more, however large it says it is", async () => {
    const { folder, file } = await folderWith(`A=${"x".repeat(maxEnvFileBytes - 2)}`);
    expect((await readLocalEnvironment([folder], {})).variables["A"]).toHaveLength(maxEnvFileBytes - 2);
    await writeFile(file, `A=${"x".repeat(maxEnvFileBytes - 1)}`);
    await expect(readLocalEnvironment([folder], {})).rejects.toThrow(`has more than ${maxEnvFileBytes} bytes`);
    await truncate(file, 2 ** 31);
    await expect(readLocalEnvironment([folder], {})).rejects.toThrow(`has more than ${maxEnvFileBytes} bytes`);
  });
});
