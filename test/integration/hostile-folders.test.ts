// A stranger's folder is data (SEC-8): each kind of hostile folder is given to `up`, `agent`, `check` and `import`, as built.
// All end soon with a sentence or two, run nothing of it, write nothing into it, and do not grow with what it holds.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { needsPlatform } from "../tools/needs.ts";
import { pallas, startMs } from "./local/local.ts";

/** What hangs is ended then; how long a command takes by the clock is the machine's business. */
const deadlineMs = 30_000;
/** Of a processor, for its whole life: on a machine that does nothing else it ends within this time. */
const maxCpuMs = 2_000;
/** A program of ours alone has about 120 MiB. */
const maxMemoryKiB = 500 * 1024;

const instance = (spec = "") =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasInstance\nmetadata: { name: i }\nspec:\n  registryNamespace: com.example\n  defaultModel: passthrough\n${spec}---\n`;
const agent = (name = "a", spec = "") =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: ${name} }\nspec:\n  instanceRef: { name: i }\n${spec}---\n`;
const server = (spec: string) =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasServer\nmetadata: { name: s }\nspec:\n  instanceRef: { name: i }\n  ${spec}\n---\n`;
const sound = instance() + agent();
const fifo = (path: string) => void execFileSync("mkfifo", [path]);
/** References that are nine to the ninth scalars when they are written out. */
const aliasBomb = `a: &a [${"x, ".repeat(9)}]\n${Array.from("bcdefghi")
  .map((name, index) => `${name}: &${name} [${`*${"abcdefghi"[index]}, `.repeat(9)}]\n`)
  .join("")}`;

type Make = (folder: string) => void | Promise<void>;

/** What is refused where `.env` stands beside sound manifests. */
const envKinds: readonly [string, Make][] = [
  ["a FIFO", (folder) => fifo(join(folder, ".env"))],
  ["a folder", (folder) => void mkdir(join(folder, ".env"))],
  ["a link to a device that never ends", (folder) => symlink("/dev/zero", join(folder, ".env"))],
  ["a link to a terminal", (folder) => symlink("/dev/tty", join(folder, ".env"))],
  ["a link out of the folder", (folder) => symlink("/etc/passwd", join(folder, ".env"))],
  ["a link to the variables of a process", (folder) => symlink("/proc/self/environ", join(folder, ".env"))],
  ["2 GiB, sparse", (folder) => createSparse(join(folder, ".env"))],
  ["one byte too long", (folder) => writeFile(join(folder, ".env"), `A=${"x".repeat(64 * 1024 - 1)}`)],
];

/** Folders in which nothing can run. */
const manifestKinds: readonly [string, Make][] = [
  ["a FIFO", (folder) => fifo(join(folder, "a.yaml"))],
  ["a link to a device that never ends", (folder) => symlink("/dev/zero", join(folder, "a.yaml"))],
  ["a link to itself", (folder) => symlink("a.yaml", join(folder, "a.yaml"))],
  ["2 GiB, sparse", (folder) => createSparse(join(folder, "a.yaml"))],
  [
    "an alias bomb",
    (folder) =>
      writeFile(join(folder, "a.yaml"), `${aliasBomb}apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\n`),
  ],
  [
    "200,000 lists in each other",
    (folder) => writeFile(join(folder, "a.yaml"), `apiVersion: pallas.helu.ca/v1alpha1\nspec: ${"[".repeat(200_000)}`),
  ],
  [
    "200,000 objects in each other as JSON",
    (folder) =>
      writeFile(join(folder, "a.json"), `{"apiVersion":"pallas.helu.ca/v1alpha1","spec":${'{"a":'.repeat(200_000)}`),
  ],
  [
    "a prototype",
    (folder) => writeFile(join(folder, "a.yaml"), `${instance()}${agent("a", "  __proto__: { model: x.y }\n")}`),
  ],
  [
    "a tag that makes code",
    (folder) =>
      writeFile(
        join(folder, "a.yaml"),
        `${instance()}${agent("a", '  instruction: !!js/function \'function () { require("fs").writeFileSync("PWNED", "") }\'\n')}`,
      ),
  ],
  ["no text", (folder) => writeFile(join(folder, "a.yaml"), Buffer.from([0xff, 0xfe, 0, 0xc0, 0xaf]))],
  [
    "terminal escapes in names",
    (folder) => writeFile(join(folder, "a.yaml"), `${instance()}${agent('"\\e]0;owned\\a"')}`),
  ],
  [
    "terminal escapes in the name of a file",
    (folder) => writeFile(join(folder, "\u001b]0;owned\u0007.yaml"), "kind: ["),
  ],
  ["a name that leads out", (folder) => writeFile(join(folder, "a.yaml"), `${instance()}${agent("../../evil")}`)],
  [
    "a Secret whose name leads out",
    (folder) =>
      writeFile(
        join(folder, "a.yaml"),
        "apiVersion: v1\nkind: Secret\nmetadata: { name: ../../evil }\nstringData: { a: b }\n",
      ),
  ],
  [
    "a cycle of agents",
    (folder) =>
      writeFile(
        join(folder, "a.yaml"),
        instance() + agent("a", "  agents: [{ name: b }]\n") + agent("b", "  agents: [{ name: a }]\n"),
      ),
  ],
  [
    "a metadata address",
    (folder) =>
      writeFile(
        join(folder, "a.yaml"),
        instance('  providers: [{ name: openai, baseUrl: "http://169.254.169.254/v1" }]\n') +
          agent("a", "  model: openai.x\n"),
      ),
  ],
  [
    "10,001 files",
    async (folder) =>
      void (await Promise.all(
        Array.from({ length: 10_001 }, (_, index) => writeFile(join(folder, `${index}.yaml`), "")),
      )),
  ],
  [
    "a program in place of a tool server, with terminal escapes in what it is given",
    (folder) =>
      writeFile(
        join(folder, "a.yaml"),
        `${instance()}${server('local: { command: touch, args: [PWNED, "\\e]0;owned\\a"] }')}`,
      ),
  ],
  ["nothing", () => undefined],
];

async function createSparse(path: string): Promise<void> {
  await writeFile(path, "");
  await truncate(path, 2 ** 31);
}

async function makeFolder(make: Make, manifests?: string): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), "pallas-hostile-"));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "folder");
  await mkdir(folder);
  if (manifests !== undefined) await writeFile(join(folder, "sound.yaml"), manifests);
  await make(folder);
  return folder;
}

interface Outcome {
  code: number | null;
  output: string;
  peakKiB: number;
  cpuMs: number;
}

/** Clock ticks of Linux for programs, of 10 ms. */
const tickMs = 10;

/** What it has used so far; nothing where it has ended, or this is no Linux. */
function observeUse(pid: number | undefined): Pick<Outcome, "peakKiB" | "cpuMs"> {
  try {
    const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { peakKiB, cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
  } catch {
    return { peakKiB: 0, cpuMs: 0 };
  }
}

const isRoot = process.getuid?.() === 0;
/** Takes from root what lets it read everything, so that it finds what other users do. */
const ordinary = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

async function run(folder: string, args: readonly string[], prefix: readonly string[] = []): Promise<Outcome> {
  const env = { ...process.env, PALLAS_STATE_DIR: join(folder, "../state"), HOME: join(folder, "..") };
  const [program = process.execPath, ...rest] = [...prefix, process.execPath, pallas, ...args];
  const child = spawn(program, rest, {
    cwd: folder,
    env,
    timeout: deadlineMs,
    killSignal: "SIGKILL",
  });
  child.stdin.end();
  let output = "";
  let used = { peakKiB: 0, cpuMs: 0 };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const looking = setInterval(() => {
    const { peakKiB, cpuMs } = observeUse(child.pid);
    used = { peakKiB: Math.max(used.peakKiB, peakKiB), cpuMs: Math.max(used.cpuMs, cpuMs) };
  }, 50);
  await once(child, "close");
  clearInterval(looking);
  return { code: child.exitCode, output, ...used };
}

const commands = (folder: string, port: number): Readonly<Record<string, readonly string[]>> => ({
  up: ["up", "-f", folder, "--port", String(port)],
  agent: ["agent", "a", "-f", folder, "--port", String(port)],
  check: ["check", "-f", folder],
  import: ["import", folder, "-o", join(folder, "../imported")],
});

const listing = async (folder: string): Promise<string[]> => (await readdir(folder)).toSorted();

/** It ended by itself with a problem that is a few lines of plain text, and the folder is as before. */
function expectPlainEnd({ code, output, peakKiB, cpuMs }: Outcome): void {
  expect(code).toBeOneOf([1, 2]);
  expect(output).not.toBe("");
  expect(output.split("\n").length).toBeLessThan(12);
  // oxlint-disable-next-line no-control-regex
  expect(output).not.toMatch(/\u001b|\u0007|^\s+at |node:internal/m);
  expect(peakKiB).toBeLessThan(maxMemoryKiB);
  expect(cpuMs).toBeLessThan(maxCpuMs);
}

describe("SEC-8 manifests of a stranger", () => {
  test.each(manifestKinds)("%s: refused by every command", { timeout: 5 * deadlineMs }, async (_, make) => {
    const folder = await makeFolder(make);
    const before = await listing(folder);
    const all = Object.values(commands(folder, await findFreePorts(1)));
    for (const outcome of await Promise.all(all.map((args) => run(folder, args)))) expectPlainEnd(outcome);
    expect(await listing(folder)).toEqual(before);
  });

  const needsOrdinaryUser = needsPlatform(
    isRoot && process.platform !== "linux" ? "a user who may not read everything" : undefined,
  );
  test("a folder that may not be read: refused by every command", needsOrdinaryUser, async () => {
    const folder = await makeFolder((path) => chmod(path, 0));
    onTestFinished(() => chmod(folder, 0o700));
    for (const args of Object.values(commands(folder, await findFreePorts(1)))) {
      const outcome = await run("/", args, ordinary);
      expect(outcome.code).not.toBe(0);
      expectPlainEnd(outcome);
      expect(outcome.output).toContain("EACCES");
    }
  });
});

describe("SEC-8 .env of a stranger", () => {
  test.each(envKinds)("%s: refused by what reads it", { timeout: 5 * deadlineMs }, async (_, make) => {
    const folder = await makeFolder(make, sound);
    const before = await listing(folder);
    const { up, agent: one, check, import: imported } = commands(folder, await findFreePorts(1));
    for (const args of [up, one]) {
      const outcome = await run(folder, args ?? []);
      expectPlainEnd(outcome);
      expect(outcome.output).toMatch(/\.env: (is not a regular file|is a link to|has more than 65536 bytes)/);
    }
    // A cluster has no such file, and here is no project to import.
    expect((await run(folder, check ?? [])).code).toBe(0);
    expectPlainEnd(await run(folder, imported ?? []));
    expect(await listing(folder)).toEqual(before);
  });

  const loaded = {
    NODE_OPTIONS: "--import ./evil.mjs",
    NODE_PATH: ".",
    LD_PRELOAD: "./evil.so",
    LD_LIBRARY_PATH: ".",
    PATH: ".",
    OPENSSL_CONF: "./evil.cnf",
    SSL_CERT_FILE: "./evil.pem",
    NODE_EXTRA_CA_CERTS: "./evil.pem",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    HTTPS_PROXY: "http://evil.example:1",
    http_proxy: "http://evil.example:1",
    ALL_PROXY: "http://evil.example:1",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://evil.example:4318",
    PALLAS_ALLOWED_HOSTS: "evil.example",
    PALLAS_RUN_CONFIG: "./evil.json",
  };

  test("variables that change a process are in none, and told once", { timeout: 3 * startMs }, async () => {
    // A placeholder of the same name is filled in, and is still no variable of the process.
    const header = `  servers: [{ name: s, url: "http://127.0.0.1:9/mcp", headers: [{ name: X, value: "\${NODE_OPTIONS} \${LD_PRELOAD}" }] }]\n`;
    const folder = await makeFolder(
      async (path) => {
        const text = Object.entries(loaded).map(([name, value]) => `${name}="${value}"\n`);
        await writeFile(join(path, ".env"), text.join(""));
        await writeFile(join(path, "evil.mjs"), 'import { writeFileSync } from "node:fs"; writeFileSync("PWNED", "");');
      },
      instance(header) + agent("a", "  servers: [{ name: s }]\n"),
    );
    const before = await listing(folder);
    const port = await findFreePorts(3);
    for (const args of [commands(folder, port)["up"] ?? [], commands(folder, port)["agent"] ?? []]) {
      const env = { ...process.env, PALLAS_STATE_DIR: join(folder, "../state") };
      const child = spawn(process.execPath, [pallas, ...args], { cwd: folder, env });
      onTestFinished(() => void child.kill("SIGKILL"));
      const closed = once(child, "close");
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      }
      await expect.poll(() => output, { timeout: startMs }).toMatch(/(registry|a) ready: /);
      for (const pid of childrenOf(child.pid ?? 0)) {
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        for (const [name, value] of Object.entries(loaded)) expect(variables).not.toContain(`${name}=${value}`);
      }
      child.kill("SIGINT");
      await closed;
      expect(output.match(/not set for processes/g)).toHaveLength(1);
      expect(output).not.toMatch(/ld\.so|cannot be preloaded|evil/);
    }
    expect(await listing(folder)).toEqual(before);
    expect(existsSync(join(folder, "PWNED"))).toBe(false);
  });
});

/** Process ids; there is at least one. */
function childrenOf(pid: number): number[] {
  const found = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  expect(found.length).toBeGreaterThan(0);
  return found;
}
