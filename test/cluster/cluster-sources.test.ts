import { describe, expect, it } from "vitest";

import { parseKubernetesVersion, readClusterSources, renderCacheKey } from "./cluster-sources.ts";

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
    const sources = await readClusterSources();
    expect(sources.kubernetesVersion).toMatch(/^v1\.\d+\.\d+$/);
    expect(sources.cacheKey).toContain(`${sources.kubernetesVersion}-`);
    const kube = sources.programs.find((program) => program.output === "kube");
    expect(kube?.arguments.join(" ")).toContain(`version.gitVersion=${sources.kubernetesVersion}`);
  });

  it("a go.mod without a pinned Kubernetes is an error that says what to do", () => {
    expect(() => parseKubernetesVersion("require k8s.io/api v0.36.3")).toThrow("pin one");
  });
});
