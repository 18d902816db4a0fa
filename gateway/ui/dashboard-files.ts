// The built dashboard, read whole at the gateway's start: each file plain and compressed, by its path below the page, with the
// entity tags that clients ask by. Where only the compressed forms were built, the plain one is made of its gzip. What is not in it is not served, so that no path of a request ever reaches a disk.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Encoding } from "../../lib/process/content-encoding.ts";
import { digest } from "../../lib/process/entity-tag.ts";

/** Many times what a build holds, maps of its sources included. */
const maxTotalBytes = 64 * 1024 * 1024;

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  map: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
};

const endings: Readonly<Record<Exclude<Encoding, "identity">, string>> = { br: ".br", gzip: ".gz" };

export interface DashboardFile {
  readonly contentType: string;
  /** Of the plain bytes, without quotes. */
  readonly hash: string;
  readonly bytes: Readonly<{ identity: Uint8Array<ArrayBuffer> } & Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>;
}

export interface Dashboard {
  readonly page: DashboardFile;
  /** By their paths below the page, such as `assets/main-ABC.js`; their names change with their bytes. */
  readonly assets: ReadonlyMap<string, DashboardFile>;
  /** Approvals as one page, for hosts of MCP Apps; undefined where it was not built. */
  readonly approvalsApp: string | undefined;
}

/** Undefined where none was built. Throws where a part of it cannot be read or it is larger than any build. */
export async function readDashboard(folder: string): Promise<Dashboard | undefined> {
  const found = await readFolder(folder);
  const page = toFile("index.html", found);
  if (page === undefined) return undefined;
  const assets = new Map<string, DashboardFile>();
  for (const path of new Set([...found.keys()].map(plainPath))) {
    const file = path.startsWith("assets/") ? toFile(path, found) : undefined;
    if (file !== undefined) assets.set(path, file);
  }
  const app = found.get("approvals-app.html");
  return { page, assets, approvalsApp: app && new TextDecoder().decode(app) };
}

type Found = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

async function readFolder(folder: string): Promise<Found> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  let totalBytes = 0;
  for (const path of await listFiles(folder)) {
    const bytes = new Uint8Array(await readFile(join(folder, path)));
    totalBytes += bytes.byteLength;
    if (totalBytes > maxTotalBytes) {
      throw new Error(`expected a dashboard of at most ${maxTotalBytes} bytes in ${folder}, found more: build it anew`);
    }
    found.set(path, bytes);
  }
  return found;
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath.slice(folder.length), name).replaceAll("\\", "/"))
      .map((path) => path.replace(/^\//, ""));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Of a compressed form the path of what it is a form of. */
const plainPath = (path: string): string => path.replace(/\.(?:br|gz)$/, "");

/** Undefined where there is none of this path, or of no type that is served. */
function toFile(path: string, found: Found): DashboardFile | undefined {
  const contentType = contentTypes[path.slice(path.lastIndexOf(".") + 1)];
  const br = found.get(`${path}${endings.br}`);
  const gzip = found.get(`${path}${endings.gzip}`);
  const identity = found.get(path) ?? (gzip && new Uint8Array(gunzipSync(gzip, { maxOutputLength: maxTotalBytes })));
  if (identity === undefined || contentType === undefined) return undefined;
  return { contentType, hash: digest(identity), bytes: { identity, ...(br && { br }), ...(gzip && { gzip }) } };
}
