import { describe, expect, it } from "vitest";
import { maxManifestChars, readManifest, renderManifest } from "./manifest-text.ts";

const place = { instance: "ouranos", namespace: "team" };
const draft = {
  name: "reader",
  spec: { description: "yes", instruction: "You read.\n\n- all: of it\n", servers: [{ name: "bank" }], replicas: 2 },
};
const manifest = (more: string, spec = "spec: {}") =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\n${more}\n${spec}\n`;
const problemOf = (text: string): string | undefined => {
  const read = readManifest(text, place);
  return read.ok ? undefined : read.problem;
};

describe("the manifest of a draft", () => {
  it("reads back as what was written", () => {
    const text = renderManifest(draft, place);
    expect(text).toContain("instanceRef:\n    name: ouranos");
    expect(text).toContain("namespace: team");
    expect(readManifest(text, place)).toEqual({ ok: true, draft });
  });

  it("may leave out what is not to be chosen here", () => {
    expect(readManifest(manifest("metadata: { name: a }"), place)).toEqual({
      ok: true,
      draft: { name: "a", spec: {} },
    });
    expect(readManifest(manifest("metadata: {}"), place)).toEqual({ ok: true, draft: { name: "", spec: {} } });
  });

  it("says where it cannot be read", () => {
    expect(problemOf("a: [1\nb: 2")).toMatch(/^Line 2, column \d+: /);
    expect(problemOf("just text")).toContain("Expected a manifest");
    expect(problemOf("a: &x 1\nb: *x")).toBeDefined();
  });

  it.each([
    ["kind: Pod\napiVersion: v1", "Expected apiVersion"],
    [manifest("metadata: { name: a }", ""), "Expected metadata and spec"],
    [manifest("metadata: { name: 7 }"), "metadata.name"],
    [manifest("metadata: { name: a, labels: { x: y } }"), "metadata.labels"],
    [manifest("metadata: { name: a }\nstatus: {}"), "status"],
    [manifest("metadata: { name: a, namespace: other }"), "the namespace team"],
    [manifest("metadata: { name: a }", "spec: { instanceRef: { name: other } }"), "the instance ouranos"],
  ])("is refused where it says what would not be sent: %s", (text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  it(`may have ${maxManifestChars} characters`, () => {
    const head = manifest("metadata: { name: a }");
    const filled = head.padEnd(maxManifestChars, "#");
    expect(problemOf(filled)).toBeUndefined();
    expect(problemOf(`${filled}#`)).toContain("at most");
  });
});
