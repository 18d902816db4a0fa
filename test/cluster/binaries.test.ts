// The search and the build with a stand-in for the Go command, so that what takes minutes takes milliseconds here.

import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { findBinaries, findInstalledBinaries } from "./binaries.ts";
import { readProgramSources } from "./cluster-sources.ts";
import { isRecentGo } from "./go-build.ts";

const tools = ["etcd", "kube-apiserver", "kubectl"];

// Answers `go env GOVERSION` and `go build -o FILE …`; a build takes long enough for a second one to meet it.
const fakeGo = `#!/bin/sh
if [ "$1" = env ]; then echo "$FAKE_GO_VERSION"; exit 0; fi
echo "$3" >> "$FAKE_GO_LOG"
[ -z "$FAKE_GO_ERROR" ] || { echo "$FAKE_GO_ERROR" >&2; exit 1; }
sleep 0.2
printf '#!/bin/sh\\n' > "$3"
chmod +x "$3"
`;

describe("finding the test API server", () => {
  let root = "";
  let lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const env = (extra: Record<string, string> = {}): NodeJS.ProcessEnv => ({
    PATH: `${join(root, "bin")}:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(root, "cache"),
    FAKE_GO_VERSION: "go1.26.0",
    FAKE_GO_LOG: join(root, "builds"),
    ...extra,
  });
  const putTools = async (folder: string, names: readonly string[]): Promise<string> => {
    await mkdir(folder, { recursive: true });
    for (const name of names) await writeFile(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
    return folder;
  };
  const putGo = async (): Promise<void> => {
    await putTools(join(root, "bin"), []);
    await writeFile(join(root, "bin", "go"), fakeGo);
    await chmod(join(root, "bin", "go"), 0o755);
  };
  const cacheFolder = async (): Promise<string> =>
    join(root, "cache", "pallas", "cluster", (await readProgramSources("api-server")).cacheKey);

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "pallas-binaries-"));
    lines = [];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("KUBEBUILDER_ASSETS wins over the cache", async () => {
    await putTools(await cacheFolder(), tools);
    const assets = await putTools(join(root, "assets"), tools);
    expect(await findBinaries({ env: env({ KUBEBUILDER_ASSETS: assets }), report })).toEqual({
      source: "KUBEBUILDER_ASSETS",
      etcd: join(assets, "etcd"),
      kubeApiserver: join(assets, "kube-apiserver"),
      kubectl: join(assets, "kubectl"),
      kubeControllerManager: undefined,
    });
  });

  it("an incomplete KUBEBUILDER_ASSETS is an error that names what lacks", async () => {
    const assets = await putTools(join(root, "assets"), ["etcd", "kubectl"]);
    const search = findBinaries({ env: env({ KUBEBUILDER_ASSETS: assets }), report });
    await expect(search).rejects.toThrow("found no kube-apiserver; add what is missing or unset the variable");
  });

  it("the cache is used without Go", async () => {
    const folder = await putTools(await cacheFolder(), [...tools, "kube", "kube-controller-manager"]);
    const found = await findBinaries({ env: env({ PATH: join(root, "empty") }), report });
    expect(found).toMatchObject({ source: "cache", kubeControllerManager: join(folder, "kube-controller-manager") });
    expect(lines).toEqual([]);
  });

  it("nothing cached and no Go gives one sentence that says what to install", async () => {
    const search = { env: env({ PATH: join(root, "empty") }), report };
    const found = await findBinaries(search);
    expect("missing" in found ? found.missing : "").toMatch(
      /^the test API server is not built and Go does not run here .*; install Go 1\.26 or later/,
    );
    expect(await findInstalledBinaries(search)).toBeUndefined();
  });

  it("a Go that is too old is named with its version", async () => {
    await putGo();
    const found = await findBinaries({ env: env({ FAKE_GO_VERSION: "go1.25.9" }), report });
    expect("missing" in found ? found.missing : "").toContain("found go1.25.9; install Go 1.26 or later");
  });

  it("two searches at a time build once, and both find the result", async () => {
    await putGo();
    const [first, second] = await Promise.all([
      findBinaries({ env: env(), report }),
      findBinaries({ env: env(), report }),
    ]);
    const folder = await cacheFolder();
    for (const found of [first, second]) expect(found).toMatchObject({ source: "build", etcd: join(folder, "etcd") });
    expect((await readFile(join(root, "builds"), "utf8")).trim().split("\n")).toHaveLength(2); // etcd and kube
    expect(lines.filter((line) => line.includes("once, about five minutes"))).toHaveLength(1);
    expect(lines).toContain(`process ${process.pid} is building the test API server; waiting for it`);
    expect(await readdir(join(folder, ".."))).toEqual([(await readProgramSources("api-server")).cacheKey]);
  });

  it("a failed build leaves nothing behind and says why", async () => {
    await putGo();
    const found = await findBinaries({ env: env({ FAKE_GO_ERROR: "module not found" }), report });
    expect("missing" in found ? found.missing : "").toContain("could not be built: module not found");
    expect(await readdir(join(await cacheFolder(), ".."))).toEqual([]);
  });

  it.each([
    ["go1.25.11", false],
    ["go1.26", true],
    ["go1.26.8", true],
    ["go1.100.0", true],
    ["go2.0", true],
    ["devel", false],
  ])("%s is recent: %s", (version, recent) => {
    expect(isRecentGo(version)).toBe(recent);
  });
});
