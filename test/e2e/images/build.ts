// The images that end-to-end tests run beside those of Pallas, made once per set of sources and kept in the cache folder.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { layOutBase } from "../../../images/base.ts";
import { chooseBase } from "../../../images/choose-base.ts";
import { openEngine } from "../../../images/engine.ts";
import { cacheFolder } from "../../cache-folder.ts";
import { requirePrograms } from "../../cluster/programs.ts";
import { findPython } from "../../python/environment.ts";
import { layOutPython } from "./python-root.ts";

const root = join(import.meta.dirname, "../../..");
const tag = "e2e";
export const testRepository = "pallas-e2e";
export const peersImage = `${testRepository}/peers:${tag}`;
export const clientImage = `${testRepository}/client:${tag}`;
/** An MCP server of the Go SDK's examples, without anything else. */
export const goServerImage = `${testRepository}/go-server:${tag}`;
const images = { peers: peersImage, client: clientImage, "go-server": goServerImage } as const;

/** Program in the peers' image and its source. */
const peers: Readonly<Record<string, string>> = {
  model: "test/models/main.ts",
  "tool-server": "examples/quickstart/tool-server.ts",
};
/** Everything that is in the images. */
const sources = ["test/models", "test/python", "test/e2e/images", "examples/quickstart", "images"];

const cache = cacheFolder(["e2e"]);
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Archives to load into a cluster. Throws where there is no Python: the client of these tests is in Python. */
export async function buildTestImages(): Promise<string[]> {
  const python = await findPython();
  if (python === undefined) throw new Error("expected Python, in which the client of the end-to-end tests is written");
  const folder = join(cache, await renderKey(python.identity));
  const archives = Object.keys(images).map((name) => join(folder, `${name}.tar`));
  if (archives.every((archive) => existsSync(archive))) return archives;
  say("making the images of the end-to-end tests");
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "partial-"));
  try {
    const context = join(work, "context");
    await bundlePeers(join(context, "peers"));
    await mkdir(join(context, "base"), { recursive: true });
    const base = await chooseBase(undefined, say);
    if (base === "local") await layOutBase({ root, folder: join(context, "base"), work });
    await layOutPython(python, join(context, "client"));
    await mkdir(join(context, "go-server"));
    await copyFile(join((await requirePrograms("go-sdk")).dir, "memory"), join(context, "go-server/memory"));
    const [made, containerfile] = [join(work, "made"), join(import.meta.dirname, "Containerfile")];
    await mkdir(made);
    await using engine = await openEngine(work, say);
    const options = { version: tag, revision: tag, source: undefined, epochSeconds: 0 };
    for (const [target, name] of Object.entries(images)) {
      const archive = join(made, `${target}.tar`);
      await engine.build({ containerfile, context, target, base, name, archive, options });
    }
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return archives;
}

async function bundlePeers(folder: string): Promise<void> {
  await bundle({
    absWorkingDir: root,
    entryPoints: { ...peers },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
}

async function renderKey(identity: string): Promise<string> {
  const listed = await Promise.all(
    sources.map(async (folder) => {
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
    }),
  );
  const hash = createHash("sha256").update(identity);
  for (const name of [...listed.flat(), "package-lock.json"]) hash.update(await readFile(join(root, name)));
  return hash.digest("hex").slice(0, 16);
}
