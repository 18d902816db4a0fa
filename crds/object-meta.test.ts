import { describe, expect, it } from "vitest";
import { objectMeta } from "./object-meta.ts";

const read = (metadata: object) => objectMeta.safeParse({ name: "a", ...metadata });

describe("SEC-2 the namespace of a manifest", () => {
  it("is default where none is given, as with kubectl", () => {
    expect(read({}).data?.namespace).toBe("default");
    expect(read({ namespace: "" }).data?.namespace).toBe("default");
    expect(read({ namespace: "agents" }).data?.namespace).toBe("agents");
  });

  it("is a DNS label of at most 63 characters", () => {
    const accepted = ["a", "9", "a-b", "a".repeat(63)];
    const refused = ["a".repeat(64), "A", "a.b", "a/b", "-a", "a-", "../x", "a\n"];
    expect(accepted.filter((namespace) => !read({ namespace }).success)).toEqual([]);
    expect(refused.filter((namespace) => read({ namespace }).success)).toEqual([]);
  });
});

describe("CFG-5 metadata that the API server filled is left alone", () => {
  it("so that what kubectl get prints can be checked", () => {
    const filled = {
      uid: "8e1c",
      resourceVersion: "12",
      generation: 3,
      creationTimestamp: "2026-11-21T10:00:00Z",
      managedFields: [{ manager: "kubectl", fieldsV1: {} }],
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1", controller: true }],
    };
    expect(read(filled)).toMatchObject({ success: true, data: filled });
  });

  it("a misspelt key is refused all the same", () => {
    expect(read({ lables: {} }).success).toBe(false);
  });
});

describe("CFG-5 labels and annotations, as the API server takes them", () => {
  it("annotations have 256 KiB together, keys among them", () => {
    const annotated = (length: number) => read({ annotations: { k: "x".repeat(length), l: "é" } }).success;
    expect([annotated(256 * 1024 - 4), annotated(256 * 1024 - 3)]).toEqual([true, false]);
  });

  it("the domain of a label's key has at most 253 characters", () => {
    const labelled = (length: number) => read({ labels: { [`${"a".repeat(length)}/team`]: "x" } }).success;
    expect([labelled(253), labelled(254)]).toEqual([true, false]);
  });
});
