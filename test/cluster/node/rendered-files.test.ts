// What is written for programs, as far as it can be wrong without a program that reads it.

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { parseMountPoints } from "./cluster-mounts.ts";
import { writeImageArchive } from "./image-archive.ts";
import { keptClusterDir, renderExports } from "./kept-cluster.ts";
import { renderNodePaths } from "./node-paths.ts";

describe("the folder of a node cluster", () => {
  it("has a name short enough for the sockets in it", () => {
    const longest = `/${"x".repeat(107 - "//run/containerd.sock.ttrpc".length)}`;
    expect(renderNodePaths(longest).socket).toBe(`${longest}/run/containerd.sock`);
    expect(() => renderNodePaths(`${longest}x`)).toThrow("expected socket paths of at most 107 bytes, found 108");
  });

  it.each([
    [{ XDG_STATE_HOME: "/state", HOME: "/home/a" }, "/state/pallas/cluster"],
    [{ XDG_STATE_HOME: "relative", HOME: "/home/a" }, "/home/a/.local/state/pallas/cluster"],
    [{ HOME: "/home/a" }, "/home/a/.local/state/pallas/cluster"],
  ])("of a kept one lies in the user's state: %j", (env, dir) => {
    expect(keptClusterDir(env)).toBe(dir);
  });

  it("mounts in it are found the deepest first, those beside it are not", () => {
    const mountInfo = [
      "22 1 0:20 / /proc rw - proc proc rw",
      "30 1 0:21 / /c/run/netns rw shared:1 - tmpfs tmpfs rw",
      "31 1 0:21 / /c/run/netns/deep rw - tmpfs tmpfs rw",
      "32 1 0:21 / /cc rw - tmpfs tmpfs rw",
    ].join("\n");
    expect(parseMountPoints(mountInfo, "/c")).toEqual(["/c/run/netns/deep", "/c/run/netns"]);
  });
});

describe("the export lines", () => {
  it("a shell reads as they are meant, whatever the names", () => {
    const description = {
      kubeconfigPath: "/it's here/kubeconfig",
      kubectlPath: "/a b/bin/kubectl",
      helmPath: "/a b/bin/helm",
      cacheDir: "/cache",
      loadImage: { command: "'/a b/bin/ctr' images import" },
      nodeAddress: "10.0.0.1",
      logsDir: undefined,
    };
    const script = `${renderExports(description)}\nprintf '%s\\n' "$KUBECONFIG" "\${PATH%%:*}" "$PALLAS_E2E_LOAD_IMAGE"`;
    const shown = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(shown.trimEnd().split("\n")).toEqual(["/it's here/kubeconfig", "/a b/bin", description.loadImage.command]);
  });
});

describe("an image archive", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "pallas-archive-test-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it("of equal folders is equal, byte for byte", async () => {
    const write = async (name: string): Promise<Buffer> => {
      const rootDir = await mkdtemp(join(dir, "root-"));
      await writeFile(join(rootDir, "b"), "2");
      await writeFile(join(rootDir, "a"), "1");
      const archivePath = join(dir, name);
      await writeImageArchive({ reference: "localhost/x:1", rootDir, archivePath, config: { User: "65532" } });
      return readFile(archivePath);
    };
    expect((await write("first.tar")).equals(await write("second.tar"))).toBe(true);
  });
});
