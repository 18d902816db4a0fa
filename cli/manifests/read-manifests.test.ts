import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { renderWithExcerpt } from "./diagnostic.ts";
import { findManifestFiles, maxFiles, UsageError } from "./find-files.ts";
import { maxFileBytes } from "./manifest-text.ts";
import { readManifests } from "./read-manifests.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-manifests-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (name: string, contents: string | Uint8Array) => writeFile(join(folder, name), contents);
const read = async (...paths: string[]) =>
  readManifests(await findManifestFiles([paths[0] ?? folder, ...paths.slice(1)]));
const said = async () => (await read()).diagnostics.map((diagnostic) => renderWithExcerpt(diagnostic, folder));
/** Root may read every file: there it is done as nobody, who may look into the folder. */
async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  await chmod(folder, 0o755);
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
const agent = (name: string) => `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: ${name} }\n`;

describe("CLI-1 which files are read", () => {
  test("manifests directly in the folder, neither hidden ones nor those below", async () => {
    await mkdir(join(folder, "below"));
    for (const name of ["b.yaml", "a.yml", "c.json", ".hidden.yaml", "notes.md", "below/d.yaml"]) await put(name, "");
    const { files, folders } = await findManifestFiles([folder]);
    expect(files.map(({ path }) => path)).toEqual(["a.yml", "b.yaml", "c.json"].map((name) => join(folder, name)));
    expect(folders).toEqual([folder]);
  });

  test("a file by its name, once, whatever its ending", async () => {
    await put("agents.txt", agent("a"));
    await put("b.yaml", "");
    const { files } = await findManifestFiles([join(folder, "agents.txt"), folder, join(folder, "b.yaml")]);
    expect(files.map(({ path }) => path)).toEqual([join(folder, "agents.txt"), join(folder, "b.yaml")]);
  });

  test("ten thousand files are read, one more is the wrong folder", async () => {
    const names = Array.from({ length: maxFiles }, (_, index) => `${index}.yaml`);
    await Promise.all(names.map((name) => put(name, "")));
    expect((await findManifestFiles([folder])).files).toHaveLength(maxFiles);
    await put("more.yml", "");
    await expect(findManifestFiles([folder])).rejects.toThrow(
      /has 10001 YAML and JSON files, at most 10000 are read; name a folder with the manifests only/,
    );
  });

  test("a path that is not there is a misuse, with the cure", async () => {
    await expect(findManifestFiles([join(folder, "nope")])).rejects.toThrow(UsageError);
    await expect(findManifestFiles([join(folder, "nope")])).rejects.toThrow(
      /nope: cannot be read \(ENOENT\); name a folder or file that is there/,
    );
  });
});

describe("CFG-5 what a file says", () => {
  test("ours are kept, Secrets and ConfigMaps set aside, others passed over with a note", async () => {
    await put(
      "all.yaml",
      `${agent("a")}---
apiVersion: v1
kind: Secret
metadata: { name: keys }
data: { openai: c2VjcmV0 }
stringData: { other: "\${OTHER}" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: prompts, namespace: team }
data: { a.md: You are a. }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: d }
`,
    );
    const { resources, objects, diagnostics } = await read();
    expect(resources.map(({ value }) => value)).toMatchObject([{ kind: "PallasAgent" }]);
    const told = objects.map(({ kind, namespace, name, values, templates }) => ({
      id: `${kind} ${namespace}/${name}`,
      values: [...values].map(([key, value]) => [key, value.toString()]),
      templates: [...templates],
    }));
    expect(told).toEqual([
      { id: "Secret default/keys", values: [["openai", "secret"]], templates: [["other", "${OTHER}"]] },
      { id: "ConfigMap team/prompts", values: [["a.md", "You are a."]], templates: [] },
    ]);
    expect(diagnostics.map((each) => renderWithExcerpt(each, folder))).toEqual([
      "all.yaml:16:1: note: passed over Deployment: read are PallasInstance, PallasAgent, PallasServer, PallasPolicy, Secret and ConfigMap",
    ]);
  });

  test("files that have nothing to do with us are no problems", async () => {
    await put("package.json", '{ "name": "x" }');
    await put("tsconfig.json", '{\n  // comment\n  "a": [1,\n}');
    expect(await said()).toEqual([
      "package.json:1:1: note: passed over, since it has no apiVersion and kind",
      expect.stringMatching(
        /^tsconfig\.json:\d:\d+: note: passed over, since it names no pallas\.helu\.ca and cannot be read/,
      ),
    ]);
  });

  test("problems of a Secret name the key and never the value", async () => {
    await put("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\ndata:\n  openai: not*base64\n");
    await put("t.yaml", "apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData:\n  ../x: a\n  num: 1\n");
    expect(await said()).toEqual([
      "s.yaml:5:11: error: Secret: data.openai: must be base64",
      expect.stringMatching(/^t\.yaml:5:9: error: Secret: stringData\.\.\.\/x: must be a key: letters, digits/),
      "t.yaml:6:8: error: Secret: stringData.num: must be text; quote it",
    ]);
  });

  test("a file that cannot be read is named with the cure", async () => {
    await put("a.yaml", agent("a"));
    await chmod(join(folder, "a.yaml"), 0o000);
    expect(await withoutRoot(said)).toEqual([
      "a.yaml: error: cannot be read (EACCES); correct its permissions, or remove it",
    ]);
  });

  test("a dangling link and a text that is no UTF-8 are named, and the others are read", async () => {
    await symlink(join(folder, "gone"), join(folder, "a.yaml"));
    await put("b.yaml", new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]));
    await put("c.yaml", agent("c"));
    expect(await said()).toEqual([
      "a.yaml: error: cannot be read (ENOENT); correct its permissions, or remove it",
      "b.yaml: error: is not UTF-8 text; save it as UTF-8",
    ]);
    expect((await read()).resources).toHaveLength(1);
  });

  test("a file of 4 MiB is read, one byte more is refused", async () => {
    const head = `${agent("a")}#`;
    await put("a.yaml", head.padEnd(maxFileBytes, "x"));
    expect((await read()).resources).toHaveLength(1);
    await put("a.yaml", head.padEnd(maxFileBytes + 1, "x"));
    expect(await said()).toEqual([
      `a.yaml: error: has 4194305 bytes, at most 4194304 are read; split it, or move long texts to files of their own`,
    ]);
  });
});
