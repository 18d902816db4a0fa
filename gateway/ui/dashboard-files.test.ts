import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { readDashboard } from "./dashboard-files.ts";

async function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

it("UI-1 is undefined where no dashboard was built", async () => {
  expect(await readDashboard(join(tmpdir(), "no-such-dashboard"))).toBeUndefined();
  expect(await readDashboard(await makeFolder({ "assets/main-A.js": "1" }))).toBeUndefined();
});

it("UI-1 holds the page and its assets, each with its compressed forms, and nothing else as a file of its own", async () => {
  const found = await readDashboard(
    await makeFolder({
      "index.html": "page",
      "index.html.br": "br of page",
      "assets/main-A.js": "script",
      "assets/main-A.js.gz": "gz of script",
      "assets/main-B.css": "style",
      "assets/notes.txt": "no type that is served",
      "elsewhere.html": "not below assets",
    }),
  );
  const text = (bytes?: Uint8Array) => bytes && new TextDecoder().decode(bytes);
  expect(text(found?.page.bytes.br)).toBe("br of page");
  expect(text(found?.page.bytes.gzip)).toBeUndefined();
  expect([...(found?.assets.keys() ?? [])].toSorted()).toEqual(["assets/main-A.js", "assets/main-B.css"]);
  expect(text(found?.assets.get("assets/main-A.js")?.bytes.gzip)).toBe("gz of script");
  expect(found?.approvalsApp).toBeUndefined();
});

it("UI-1 makes the plain form of its gzip where only compressed ones were built, as in images", async () => {
  const plain = await makeFolder({ "index.html": "page", "assets/main-A.js": "script" });
  const compressed = await makeFolder({
    "index.html.gz": gzipSync("page"),
    "index.html.br": "br of page",
    "assets/main-A.js.gz": gzipSync("script"),
  });
  const [one, other] = [await readDashboard(plain), await readDashboard(compressed)];
  const told = (file?: { hash: string; bytes: { identity: Uint8Array } }) =>
    file && [file.hash, new TextDecoder().decode(file.bytes.identity)];
  expect(told(other?.page)).toEqual(told(one?.page));
  expect([...(other?.assets.keys() ?? [])]).toEqual(["assets/main-A.js"]);
  expect(told(other?.assets.get("assets/main-A.js"))).toEqual(told(one?.assets.get("assets/main-A.js")));
});

it("holds the text of the page of approvals where it was built", async () => {
  const found = await readDashboard(await makeFolder({ "index.html": "page", "approvals-app.html": "<p>ä" }));
  expect(found?.approvalsApp).toBe("<p>ä");
  expect(found?.assets.size).toBe(0);
});
