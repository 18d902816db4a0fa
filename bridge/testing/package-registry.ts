// A registry of npm for tests, with the packages that it is given: real npm asks it over real HTTP.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

export interface PublishedPackage {
  readonly name: string;
  readonly versions: readonly string[];
  /** Default: one with the package's name. */
  readonly bin?: string | Readonly<Record<string, string>>;
}

export interface PackageRegistry {
  readonly url: string;
  /** Paths that were asked for, in their order. */
  readonly requests: readonly string[];
  /** With another package of the same name in its place. */
  publish(one: PublishedPackage): Promise<void>;
}

/** Answers `initialize` and lists a tool by which it says its version, its parent and its arguments. */
const serverText = `#!/usr/bin/env node
const { version } = require("./package.json");
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "published", version } });
  } else if (method === "tools/list") say(id, { tools: [{ name: "about", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") {
    const about = { version, parent: process.ppid, args: process.argv.slice(2), path: process.env.PATH };
    say(id, { content: [{ type: "text", text: JSON.stringify(about) }] });
  } else if (id !== undefined) say(id, {});
});
`;

/** Ends with the test. One that is `silent` takes requests and never answers. */
export async function startRegistry(
  packages: readonly PublishedPackage[],
  { silent = false } = {},
): Promise<PackageRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-registry-"));
  const requests: string[] = [];
  const files = new Map<string, string | Buffer>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    requests.push(path);
    if (silent) return;
    const file = files.get(path);
    if (file === undefined) response.writeHead(404, { "content-type": "application/json" }).end("{}");
    else response.writeHead(200).end(file);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port, found none");
  const url = `http://127.0.0.1:${address.port}/`;
  const publish = async ({ name, versions, bin = "server.js" }: PublishedPackage) => {
    const manifests = await Promise.all(
      versions.map(async (version) => {
        const archive = await packVersion(folder, { name, version, bin });
        const path = `/${name}/-/${version}.tgz`;
        files.set(path, archive);
        const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
        return [version, { name, version, bin, dist: { tarball: new URL(path, url).href, integrity } }];
      }),
    );
    const latest = versions.at(-1);
    files.set(`/${name}`, JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(manifests) }));
  };
  await Promise.all(packages.map(publish));
  return { url, requests, publish };
}

async function packVersion(folder: string, manifest: { name: string; version: string; bin: object | string }) {
  const place = join(folder, manifest.name, manifest.version);
  await mkdir(join(place, "package"), { recursive: true });
  await writeFile(join(place, "package/package.json"), JSON.stringify(manifest));
  await writeFile(join(place, "package/server.js"), serverText, { mode: 0o755 });
  await run("tar", ["-czf", "package.tgz", "package"], { cwd: place });
  return readFile(join(place, "package.tgz"));
}
