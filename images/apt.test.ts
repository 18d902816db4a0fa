import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { installPackages, type AptPlaces } from "./apt.ts";

let folder: string;
let places: AptPlaces;

/** In apt-get's place: notes its call, and fails those that `faults` has a line for. */
const fake = `#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> "$CALLS"
[ -e "$POLICY" ] && echo "no services" >> "$CALLS"
read -r fate < "$FAULTS"
tail -n +2 "$FAULTS" > "$FAULTS.rest"
mv "$FAULTS.rest" "$FAULTS"
[ "$fate" != fails ] || { echo "E: it fails" >&2; exit 100; }
`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-apt-"));
  places = { listsDir: join(folder, "lists"), policyPath: join(folder, "policy-rc.d"), retryMs: 1 };
  await mkdir(places.listsDir);
  await writeFile(join(folder, "apt-get"), fake, { mode: 0o755 });
  await failing();
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(delimiter));
  vi.stubEnv("CALLS", join(folder, "calls"));
  vi.stubEnv("FAULTS", join(folder, "faults"));
  vi.stubEnv("POLICY", places.policyPath);
  return async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  };
});

/** What becomes of the calls in turn; later ones go well. */
const failing = (...faults: ("goes" | "fails")[]) =>
  writeFile(join(folder, "faults"), faults.map((fault) => `${fault}\n`).join(""));
const haveLists = () => writeFile(join(places.listsDir, "debian_main_binary-amd64_Packages.lz4"), "");
const said: string[] = [];
const install = () => installPackages(["zsh", "fish"], (line) => said.push(line), places);
const calls = async () => (await readFile(join(folder, "calls"), "utf8")).trimEnd().split("\n");
/** The commands alone. */
const commands = async () =>
  (await calls()).filter((call) => call !== "no services").map((call) => / (update|install)\b/.exec(call)?.[1]);

describe("installing packages", () => {
  it("asks nobody, waits for locks, tries downloads again and takes nothing that is only recommended", async () => {
    await haveLists();
    await install();
    expect((await calls())[0]).toBe(
      "noninteractive --quiet -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install -y --no-install-recommends zsh fish",
    );
  });

  it("fetches the package lists only where there are none", async () => {
    await install();
    expect(await commands()).toEqual(["update", "install"]);
  });

  it("fetches them anew where the installation fails, and tries again", async () => {
    await haveLists();
    await failing("fails");
    await install();
    expect(await commands()).toEqual(["install", "update", "install"]);
    expect(said.at(-1)).toMatch(/^expected apt-get to install zsh, fish, found it failing; trying again/);
  });

  it("goes on where the lists cannot be fetched, since a mirror may be away that is not needed", async () => {
    await haveLists();
    await failing("fails", "fails", "goes");
    await install();
    expect(await commands()).toEqual(["install", "update", "install"]);
    expect(said.at(-1)).toMatch(/update` to succeed, found E: it fails$/);
  });

  it("gives up after four attempts with the reason", async () => {
    await haveLists();
    await failing(...Array.from({ length: 7 }, () => "fails" as const));
    const failed = await install().catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: expect.stringContaining("found it failing 4 times") });
    expect(failed).toMatchObject({ cause: { message: expect.stringContaining("E: it fails") } });
    expect(await commands()).toEqual(["install", "update", "install", "update", "install", "update", "install"]);
  });

  it("forbids services to start meanwhile, and leaves a policy of the machine alone", async () => {
    await haveLists();
    await install();
    expect(await calls()).toContain("no services");
    expect(existsSync(places.policyPath)).toBe(false);
    await writeFile(places.policyPath, "theirs", { mode: 0o700 });
    await install();
    expect(await readFile(places.policyPath, "utf8")).toBe("theirs");
    expect((await stat(places.policyPath)).mode & 0o777).toBe(0o700);
  });
});
