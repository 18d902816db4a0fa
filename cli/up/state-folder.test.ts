import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LocalObject } from "../manifests/local-objects.ts";
import { readYamlDocuments } from "../manifests/yaml-documents.ts";
import { temporaryFolder } from "../testing/manifests.ts";
import { applyObjectFiles } from "./run-files.ts";
import { LockedError, lockStateFolder, openStateFolder, stateFolderPath } from "./state-folder.ts";

describe("CLI-1 where state is kept", () => {
  test("PALLAS_STATE_DIR, else below the user's state folder, by the folders of the manifests", () => {
    expect(stateFolderPath(["/a"], { PALLAS_STATE_DIR: "/state" })).toBe("/state");
    const path = stateFolderPath(["/a"], { XDG_STATE_HOME: "/x" });
    expect(path).toMatch(/^\/x\/pallas\/[0-9a-f]{16}$/);
    expect(stateFolderPath(["/a", "/b"], { XDG_STATE_HOME: "/x" })).not.toBe(path);
    expect(stateFolderPath(["/a"], {})).toMatch(/\/\.local\/state\/pallas\/[0-9a-f]{16}$/);
  });

  test("folder and files are for this user only, and no namespace leads out of it", async () => {
    const path = join(await temporaryFolder(), "state");
    const folder = await openStateFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await folder.replace(folder.runConfig("../../x/a"), "{}");
    const file = join(path, "run-configs", "_.._.._x_a.json");
    expect(folder.secrets("..")).toBe(join(path, "secrets", "_.."));
    expect(folder.runConfig("../a")).toBe(join(path, "run-configs", "_.._a.json"));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe("CLI-1 one pallas up per folder", () => {
  test("the second is told the process that holds it; after a release it gets it", async () => {
    const folder = await openStateFolder(await temporaryFolder());
    const release = await lockStateFolder(folder);
    await expect(lockStateFolder(folder)).rejects.toThrow(LockedError);
    await expect(lockStateFolder(folder)).rejects.toThrow(
      new RegExp(`pallas up runs on these manifests already \\(process ${process.pid}\\); stop it first`),
    );
    await release();
    await (
      await lockStateFolder(folder)
    )();
  });

  test("a lock whose process is gone, or whose number another process has now, is taken over", async () => {
    const folder = await openStateFolder(await temporaryFolder());
    const child = spawn("true");
    await once(child, "exit");
    const locks = async () => {
      const [name = "", ...others] = await readdir(join(folder.path, "locks"));
      expect(others).toEqual([]);
      return name;
    };
    await (
      await lockStateFolder(folder)
    )();
    for (const stale of [`${child.pid} 1\n`, `${process.ppid} 1\n`, ""]) {
      await writeFile(join(folder.path, "locks", await locks()), stale);
      const release = await lockStateFolder(folder);
      expect(await readFile(join(folder.path, "locks", await locks()), "utf8")).toMatch(new RegExp(`^${process.pid} `));
      await release();
    }
  });

  test("of ten that take over a stale lock at once, one gets it", async () => {
    const folder = await openStateFolder(await temporaryFolder());
    await mkdir(join(folder.path, "locks"));
    await writeFile(join(folder.path, "locks", "7"), "999999999 1\n");
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockStateFolder(folder)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("CFG-6 Secrets and texts as files", () => {
  const object = (
    kind: LocalObject["kind"],
    values: Record<string, string>,
    templates: Record<string, string> = {},
  ) => {
    const [part] = readYamlDocuments("a: 1");
    if (part?.ok !== true) throw new Error("expected a document");
    const { document } = part;
    const bytes = Object.entries(values).map(([key, value]): [string, Buffer] => [key, Buffer.from(value)]);
    return {
      kind,
      namespace: "n",
      name: "o",
      values: new Map(bytes),
      templates: new Map(Object.entries(templates)),
      file: "f",
      document,
    };
  };

  test("placeholders are filled in, and a key with an unset variable holds what is missing, which agents refuse", async () => {
    const folder = await openStateFolder(await temporaryFolder());
    const secret = object(
      "Secret",
      { plain: "p", old: "x" },
      { token: "a-${A}-${A}$", old: "b ${UNSET} ${A} ${OTHER}" },
    );
    await applyObjectFiles(folder, [secret, object("ConfigMap", { "k.md": "${A} stays" })], { A: "1" });
    const read = (path: string) => readFile(path, "utf8").catch(() => undefined);
    const secrets = await Promise.all(
      ["plain", "token", "old"].map((key) => read(join(folder.secrets("n"), "o", key))),
    );
    expect(secrets).toEqual(["p", "a-1-1$", "${UNSET}${OTHER}"]);
    expect(await read(join(folder.texts("n"), "o", "k.md"))).toBe("${A} stays");
    expect((await stat(join(folder.secrets("n"), "o", "plain"))).mode & 0o777).toBe(0o600);
  });

  test("what has not changed is not touched, what is gone is removed", async () => {
    const folder = await openStateFolder(await temporaryFolder());
    const path = (key: string) => join(folder.secrets("n"), "o", key);
    await applyObjectFiles(folder, [object("Secret", { a: "1", b: "1" })], {});
    const before = await stat(path("a"));
    await applyObjectFiles(folder, [object("Secret", { a: "1", c: "1" })], {});
    expect((await stat(path("a"))).ino).toBe(before.ino);
    await expect(stat(path("b"))).rejects.toThrow("ENOENT");
    expect(await readFile(path("c"), "utf8")).toBe("1");
  });
});
