import { describe, expect, it } from "vitest";
import { imageProblems, repositoryOf } from "./accept-images.ts";
import { sampleInstance } from "./testing/resources.ts";

describe("SEC-2 images an instance may name", () => {
  it.each([
    ["host:5000/team/agent:1", "host:5000/team/agent"],
    ["host:5000/team/agent", "host:5000/team/agent"],
    [`team/agent:1@sha256:${"a".repeat(64)}`, "team/agent"],
    ["agent", "agent"],
  ])("reads the repository of %s", (image, repository) => {
    expect(repositoryOf(image)).toBe(repository);
  });

  it.each([
    ["registry.example/pallas/agent:2", true],
    ["registry.example/pallas/deeper/agent:2", true],
    ["registry.example/pallas-evil/agent:2", false],
    ["registry.example.evil/pallas/agent:2", false],
  ])("judges %s by whole path segments: %s", (agent, allowed) => {
    const problems = imageProblems(sampleInstance({ images: { agent } }), {
      allowedImages: ["registry.example/pallas"],
    });
    expect(problems.map(({ path }) => path)).toEqual(allowed ? [] : ["spec.images.agent"]);
  });

  it("lets the release's own image stand where none is named", () => {
    expect(imageProblems(sampleInstance({ images: { agent: "" } }), { allowedImages: [] })).toEqual([]);
  });

  it("refuses every image where no repository is allowed, and none where it is not known which are", () => {
    const instance = sampleInstance({ images: { agent: "a/agent:1", registry: "a/registry:1" } });
    const paths = imageProblems(instance, { allowedImages: [] }).map(({ path }) => path);
    expect(paths).toEqual(["spec.images.agent", "spec.images.registry"]);
    expect(imageProblems(instance, {})).toEqual([]);
  });
});
