// The Python environments of the Daedalus tests, with a script in Python's place that notes how it is called.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findPython, openEnvironment } from "../python/environment.ts";

const versions = [1, 2] as const;

/** As `python3` it notes its arguments; `-m venv DIR` copies it to where an environment has its interpreter. */
const fakePython = `#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  -c*) echo "fake Python" ;;
  "-m venv "*) /bin/mkdir -p "$3/bin" && /bin/cp "$0" "$3/bin/python" ;;
  "-m pip "*) [ ! -e "$CALLS.broken" ] || { echo "no network" >&2; exit 1; } ;;
esac
`;

let folder: string;
let env: NodeJS.ProcessEnv;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-python-"));
  await mkdir(join(folder, "bin"));
  await usePython(fakePython);
  env = {
    PATH: join(folder, "bin"),
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    CALLS: join(folder, "calls"),
  };
  lines = [];
  return () => rm(folder, { recursive: true, force: true });
});

async function usePython(script: string): Promise<void> {
  await writeFile(join(folder, "bin", "python3"), script);
  await chmod(join(folder, "bin", "python3"), 0o755);
}

const report = (line: string): void => void lines.push(line);

async function requirePython() {
  const python = await findPython({ env, report });
  if (python === undefined) throw new Error(`expected the script to pass for Python: ${lines.join("\n")}`);
  return python;
}

const countInstallations = async (): Promise<number> =>
  (await readFile(join(folder, "calls"), "utf8")).split("\n").filter((call) => call.startsWith("-m pip ")).length;

const listCache = (): Promise<string[]> => readdir(join(folder, "cache", "pallas", "python"));

describe("a Python that cannot make environments", () => {
  const withoutEnsurepip = "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'ensurepip'\" >&2\nexit 1\n";

  test("leaves tests out with one line that says what was found and what to install", async () => {
    await usePython(withoutEnsurepip);
    expect(await findPython({ env, report })).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /TESTS LEFT OUT: expected python3 ≥ 3\.11.*No module named 'ensurepip' \(.*\); install Python/,
    );
  });

  test("is the same as none at all", async () => {
    expect(await findPython({ env: { ...env, PATH: join(folder, "cache") }, report })).toBeUndefined();
    expect(lines[0]).toMatch(/TESTS LEFT OUT: .*found: none on PATH/);
  });

  test("is an error in CI", async () => {
    await usePython(withoutEnsurepip);
    await expect(findPython({ env: { ...env, CI: "true" }, report })).rejects.toThrow(/^expected python3 ≥ 3\.11/);
    expect(lines).toEqual([]);
  });
});

describe("an environment", () => {
  test("is made once for callers at the same time and found by later ones", async () => {
    const python = await requirePython();
    const opened = await Promise.all([1, 2, 3].map(() => openEnvironment(python, 1, { env, report })));
    expect(new Set(opened)).toEqual(new Set([await openEnvironment(python, 1, { env, report })]));
    expect(await countInstallations()).toBe(1);
    expect(await listCache()).toHaveLength(1);
  });

  test("is another for another Python and for another generation of the SDK", async () => {
    const python = await requirePython();
    const other = { ...python, identity: `${python.identity}, but newer` };
    const opened = await Promise.all([
      openEnvironment(python, 1, { env, report }),
      openEnvironment(python, 2, { env, report }),
      openEnvironment(other, 1, { env, report }),
    ]);
    expect(new Set(opened).size).toBe(3);
  });

  test("that pip could not fill is an error, leaves nothing behind, and is tried again", async () => {
    const python = await requirePython();
    await writeFile(join(folder, "calls.broken"), "");
    await expect(openEnvironment(python, 1, { env, report })).rejects.toThrow(/requirements-1\.txt .*, but it failed/);
    expect(await listCache()).toEqual([]);
    await rm(join(folder, "calls.broken"));
    await openEnvironment(python, 1, { env, report });
    expect(await countInstallations()).toBe(2);
  });

  test("is rid of what a killed installation left", async () => {
    const python = await requirePython();
    const interpreter = await openEnvironment(python, 1, { env, report });
    const [name = ""] = await listCache();
    const left = join(folder, "cache", "pallas", "python", `${name}.partial-abc123`);
    await mkdir(left);
    await rm(interpreter);
    await rm(join(folder, "cache", "pallas", "python", name), { recursive: true });
    await openEnvironment(python, 1, { env, report });
    expect(await listCache()).toEqual([name]);
  });
});

describe.each(versions)("the requirements of the Python SDK %i.x", (major) => {
  test("pin every package to one version, the SDK to its generation", async () => {
    const text = await readFile(join(import.meta.dirname, `../python/requirements-${major}.txt`), "utf8");
    const pins = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(pins.filter((pin) => !/^[\w.-]+==[\d.]+$/.test(pin))).toEqual([]);
    expect(pins.filter((pin) => pin.startsWith(`mcp==${major}.`))).toHaveLength(1);
  });
});
