// The images as they are built on this machine: what is in them, that a second build is the same, and that the programs
// start from nothing but their files. Needs root for chroot, and Debian for the base and the engine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { mounts } from "../../crds/names.ts";
import { buildImages, type BuiltImage } from "../../images/build.ts";
import { parseOptions } from "../../images/options.ts";
import { runCommand } from "../../images/run-command.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { needsPlatform } from "../tools/needs.ts";

const root = join(import.meta.dirname, "../..");
const isRoot = process.getuid?.() === 0;
const buildTimeoutMs = 300_000;
const timeoutMs = 60_000;
const nobody = "65532:65532";

interface ImageConfig {
  config: { User: string; Entrypoint: string[]; Env: string[]; WorkingDir: string; Labels: Record<string, string> };
  created: string;
}

interface Unpacked {
  readonly built: BuiltImage;
  readonly config: ImageConfig;
  /** The root file system, all layers. */
  readonly rootfs: string;
  /** Lines of `tar -tv` of our own layer. */
  readonly own: string[];
  /** And of all layers. */
  readonly all: string[];
}

async function unpack(built: BuiltImage, folder: string): Promise<Unpacked> {
  const rootfs = join(folder, "rootfs");
  await mkdir(rootfs, { recursive: true });
  await runCommand("tar", ["-xf", built.archive, "-C", folder], { timeoutMs });
  const manifest: [{ Config: string; Layers: string[] }] = JSON.parse(
    await readFile(join(folder, "manifest.json"), "utf8"),
  );
  const config: ImageConfig = JSON.parse(await readFile(join(folder, manifest[0].Config), "utf8"));
  const listings: string[][] = [];
  for (const layer of manifest[0].Layers) {
    await runCommand("tar", ["-xpf", join(folder, layer), "-C", rootfs, "--numeric-owner"], { timeoutMs });
    const listing = await runCommand("tar", ["--numeric-owner", "-tvf", join(folder, layer)], { timeoutMs });
    listings.push(listing.trim().split("\n"));
  }
  return { built, config, rootfs, own: listings.at(-1) ?? [], all: listings.flat() };
}

describe("SEC-1 the images", needsPlatform(isRoot ? undefined : "chroot needs root"), () => {
  let folder: string;
  let first: BuiltImage[];
  const unpacked = new Map<string, Unpacked>();
  const said: string[] = [];
  const buildInto = async (name: string) => {
    const argv = ["--base", "local", "--out", join(folder, name)];
    return buildImages(await parseOptions({ argv, env: { IMAGE_PREFIX: "pallas" }, root }), (line) => said.push(line));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-images-test-"));
    first = await buildInto("first");
    for (const built of first) {
      const name = built.name.replace(/^pallas\/|:.*$/g, "");
      unpacked.set(name, await unpack(built, join(folder, name)));
    }
  }, buildTimeoutMs);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const image = (name: string): Unpacked => {
    const found = unpacked.get(name);
    if (found === undefined) throw new Error(`expected an image ${name}, found ${[...unpacked.keys()].join(", ")}`);
    return found;
  };
  /** Starts what the image would start, as its user, with its files and its variables and no others. */
  const start = (name: string, env: Record<string, string>) => {
    const { config, rootfs } = image(name);
    const variables = [...config.config.Env.map((line) => line.split("=", 2)), ...Object.entries(env)];
    const child = spawn("/usr/sbin/chroot", [`--userspec=${nobody}`, rootfs, ...config.config.Entrypoint], {
      env: Object.fromEntries(variables),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
    return { child, ended: once(child, "close"), output: () => output };
  };

  describe.each(["operator", "agent", "registry", "gateway"])("%s", (name) => {
    it("names its user by number", () => {
      expect(image(name).config.config.User).toBe(nobody);
    });

    it("has nothing setuid or setgid, and no shell", () => {
      const lines = image(name).all;
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.filter((line) => /^-..[sS]|^-.{5}[sS]/.test(line))).toEqual([]);
      expect(lines.filter((line) => /\/(?:ba|da|z|a)?sh$|\/busybox$/.test(line))).toEqual([]);
    });

    it("has a layer of ours of at most 6 MB beside the search's table, in which everything is root's and nobody else may write", () => {
      const { built, own } = image(name);
      // Of numbers, which hardly pack.
      const tableBytes = name === "gateway" ? 4_500_000 : 0;
      expect(built.layers.at(-1)?.bytes).toBeLessThan(6_000_000 + tableBytes);
      expect(built.packedBytes).toBeLessThan(2_000_000 + tableBytes);
      expect(own.filter((line) => !/^[-d]r[w-][x-]r-[x-]r-[x-] 0\/0 /.test(line))).toEqual([]);
      expect(own.filter((line) => line.endsWith(".map"))).toEqual([]);
    });

    it("says in its labels what it is and from which commit", () => {
      const { Labels } = image(name).config.config;
      const label = (key: string) => Labels[`org.opencontainers.image.${key}`];
      expect(label("title")).toContain(name);
      expect(label("description")).toBeTruthy();
      expect(label("licenses")).toBe("Apache-2.0");
      expect(label("version")).toMatch(/^\d+\.\d+\.\d+/);
      expect(label("revision")).toMatch(/^[0-9a-f]{40}$/);
      expect(Date.parse(label("created") ?? "")).toBe(Date.parse(image(name).config.created));
    });

    it("holds its bill of materials and the licences of everything in it", async () => {
      const app = join(image(name).rootfs, "app");
      const bill: { components: { name: string }[] } = JSON.parse(
        await readFile(join(app, `pallas-${name}.cdx.json`), "utf8"),
      );
      const names = bill.components.map((component) => component.name);
      expect(names).toEqual(expect.arrayContaining(["hono", "pino", "node", "libc6", "libstdc++6"]));
      expect(names).not.toContain("vitest");
      const licences = await readFile(join(app, "THIRD-PARTY-LICENSES.txt"), "utf8");
      expect(licences).toContain("Permission is hereby granted");
    });
  });

  it("a second build gives the same layers and configurations", { timeout: buildTimeoutMs }, async () => {
    const second = await buildInto("second");
    expect(second.map(({ layers }) => layers)).toEqual(first.map(({ layers }) => layers));
    const configs = await Promise.all(
      second.map((built, index) => unpack(built, join(folder, `again-${index}`)).then(({ config }) => config)),
    );
    expect(configs).toEqual(first.map((_, index) => [...unpacked.values()][index]?.config));
  });

  it("the base is the same layer in all of them", () => {
    expect(new Set(first.map(({ layers }) => layers[0]?.digest)).size).toBe(1);
  });

  it.each([
    ["operator", /PALLAS_AGENT_IMAGE/],
    ["registry", /cannot start/],
    ["gateway", /cannot start/],
  ])("the %s says what it lacks when it is started with nothing", async (name, words) => {
    const { ended, output } = start(name, {});
    const [code] = await ended;
    expect(output()).toMatch(words);
    expect(output()).not.toMatch(/Cannot find module|ERR_MODULE/);
    expect(code).toBe(1);
  });

  it("the agent becomes ready with no file but its own and its run configuration", async () => {
    const { rootfs } = image("agent");
    const runConfig = join(rootfs, mounts.runConfig);
    await mkdir(dirname(runConfig), { recursive: true });
    await writeFile(runConfig, JSON.stringify(renderTestConfig()));
    const port = await findFreePorts(2);
    const adminPort = port + 1;
    const agent = start("agent", {
      PALLAS_HISTORIES_DIR: "/tmp/histories",
      PALLAS_HOST: "127.0.0.1",
      PALLAS_PORT: String(port),
      PALLAS_ADMIN_PORT: String(adminPort),
      PALLAS_DRAIN_DELAY_MS: "0",
    });
    try {
      const isReady = async () => {
        const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined);
        expect(response?.status, agent.output()).toBe(200);
      };
      await vi.waitFor(isReady, { timeout: 20_000 });
    } finally {
      agent.child.kill("SIGTERM");
      await agent.ended;
    }
    expect(agent.child.exitCode).toBe(0);
  });
});
