import { describe, expect, it } from "vitest";

import { parseVersion, readProgramSources, renderCacheKey } from "./cluster-sources.ts";

const inputs = [
  { name: "kube/go.mod", text: "module a" },
  { name: "kube/main.go", text: "package main" },
];

describe("the cache key of the test API server", () => {
  it("equal sources give an equal key that names version and platform", () => {
    const key = renderCacheKey("v1.36.3", "linux-x64", inputs);
    expect(key).toMatch(/^v1\.36\.3-linux-x64-[0-9a-f]{12}$/);
    expect(renderCacheKey("v1.36.3", "linux-x64", structuredClone(inputs))).toBe(key);
  });

  it.each([
    ["a file's text", [inputs[0], { name: "kube/main.go", text: "package main // new" }]],
    ["a file's name", [inputs[0], { name: "kube/other.go", text: "package main" }]],
    [
      "where one file ends and the next begins",
      [
        { name: "kube/go.mod", text: "module" },
        { name: " akube/main.go", text: "package main" },
      ],
    ],
    ["a file more", [...inputs, { name: "flags", text: "" }]],
  ])("a change of %s gives another key, so a stale binary is never found", (_, changed) => {
    const present = changed.filter((input) => input !== undefined);
    expect(renderCacheKey("v1.36.3", "linux-x64", present)).not.toBe(renderCacheKey("v1.36.3", "linux-x64", inputs));
  });

  it("the version is the one that go.mod pins, and it is stamped into the binary", async () => {
    const sources = await readProgramSources("api-server");
    expect(sources.version).toMatch(/^v1\.\d+\.\d+$/);
    expect(sources.cacheKey).toContain(`${sources.version}-`);
    const kube = sources.programs.find((program) => program.output === "kube");
    expect(kube?.arguments.join(" ")).toContain(`version.gitVersion=${sources.version}`);
  });

  it("a go.mod without a pinned version is an error that says what to do", () => {
    const pin = { file: "kube/go.mod", module: "k8s.io/kubernetes" };
    expect(() => parseVersion("require k8s.io/api v0.36.3", pin)).toThrow("pin one");
    expect(parseVersion("require (\n\tk8s.io/kubernetes v1.36.3 // indirect\n)", pin)).toBe("v1.36.3");
  });
});

describe("the sets of programs", () => {
  it("the node is of the API server's version, as a kubelet must not be newer than its server", async () => {
    const [server, node] = await Promise.all([readProgramSources("api-server"), readProgramSources("node")]);
    expect(node.version).toBe(server.version);
  });

  it("each set has a key of its own, named after the set and its version", async () => {
    const sets = await Promise.all(
      (["node", "chart", "probe", "go-sdk"] as const).map((set) => readProgramSources(set)),
    );
    const start = (version: string): RegExp => new RegExp(`^${version}-${process.platform}-${process.arch}-`);
    expect(sets[0]?.cacheKey).toMatch(start(`node-${sets[0]?.version}`));
    expect(sets[1]?.cacheKey).toMatch(start(String.raw`chart-v3\.\d+\.\d+`));
    expect(sets[2]?.cacheKey).toMatch(start("probe"));
    expect(sets[3]?.cacheKey).toMatch(start(String.raw`go-sdk-v1\.\d+\.\d+`));
  });
});
