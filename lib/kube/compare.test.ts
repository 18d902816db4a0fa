import { describe, expect, test } from "vitest";
import { differences } from "./compare.ts";
import { isSameQuantity } from "./quantity.ts";

const paths = (desired: unknown, live: unknown) => differences(desired, live).map((difference) => difference.path);

describe("what the server adds is no difference", () => {
  test("defaulted fields", () => {
    expect(paths({ spec: { replicas: 1 } }, { spec: { replicas: 1, revisionHistoryLimit: 10 }, status: {} })).toEqual(
      [],
    );
  });

  test("elements that others put into a list merged by key", () => {
    const ours = { name: "main", image: "a" };
    const sidecar = { name: "mesh", image: "b" };
    expect(
      paths({ containers: [ours] }, { containers: [sidecar, { ...ours, terminationMessagePath: "/dev/x" }] }),
    ).toEqual([]);
  });

  test("another form of the same quantity", () => {
    const desired = { resources: { limits: { cpu: "1000m", memory: "1024Mi" }, requests: { cpu: 0.5 } } };
    expect(paths(desired, { resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } } })).toEqual(
      [],
    );
  });

  test("an empty value of an environment variable", () => {
    expect(paths({ env: [{ name: "A", value: "" }] }, { env: [{ name: "A" }] })).toEqual([]);
    expect(paths({ data: { value: "" } }, { data: {} })).toEqual(["data.value"]);
  });

  test("an empty list or null where nothing is", () => {
    expect(paths({ a: [], b: null, c: undefined }, {})).toEqual([]);
  });

  test.each<[string, unknown, unknown]>([
    ["fieldRef", { apiVersion: "v1", fieldPath: "x" }, { fieldPath: "x" }],
    ["sources", [{ token: { path: "t", expirationSeconds: 3600 } }], [{ token: { path: "t" } }]],
    ["ingress", [{ ports: [{ port: 1, protocol: "TCP" }] }], [{ ports: [{ port: 1 }] }]],
  ])("what it fills into a %s, which is one value", (name, live, desired) => {
    expect(paths({ [name]: desired }, { [name]: live })).toEqual([]);
  });

  test("what it leaves out of something that is one value: empty texts, lists and label maps", () => {
    expect(
      paths({ tolerations: [{ key: "", operator: "Exists" }] }, { tolerations: [{ operator: "Exists" }] }),
    ).toEqual([]);
    expect(paths({ podSelector: { matchLabels: {}, matchExpressions: [] } }, { podSelector: {} })).toEqual([]);
  });
});

describe("an edit by hand is a difference", () => {
  test.each<[string, unknown, unknown, string[]]>([
    ["a changed value", { spec: { replicas: 2 } }, { spec: { replicas: 3 } }, ["spec.replicas"]],
    ["a removed value", { labels: { a: "x" } }, { labels: {} }, ["labels.a"]],
    ["a removed object", { labels: { a: "x" } }, {}, ["labels"]],
    ["a removed false", { allowed: false }, {}, ["allowed"]],
    ["a removed empty object", { emptyDir: {} }, {}, ["emptyDir"]],
    ["a removed element", { env: [{ name: "A", value: "1" }] }, { env: [] }, ["env[0]"]],
    ["a changed element", { env: [{ name: "A", value: "1" }] }, { env: [{ name: "A", value: "2" }] }, ["env[0].value"]],
    [
      "elements in another order",
      { env: [{ name: "A" }, { name: "B" }] },
      { env: [{ name: "B" }, { name: "A" }] },
      ["env[1]"],
    ],
    ["an element added to a list that is one value", { args: ["a"] }, { args: ["a", "b"] }, ["args"]],
    [
      "a rule added to a role",
      { rules: [{ verbs: ["get"] }] },
      { rules: [{ verbs: ["get"] }, { verbs: ["*"] }] },
      ["rules"],
    ],
    [
      "a port added to a policy",
      { ingress: [{ ports: [{ port: 1 }] }] },
      { ingress: [{ ports: [{ port: 1 }, { port: 2 }] }] },
      ["ingress[0].ports"],
    ],
    ["a quantity in a place for texts", { value: "1000m" }, { value: "1" }, ["value"]],
    ["a label added to a selector", { selector: { a: "x" } }, { selector: { a: "x", b: "y" } }, ["selector.b"]],
    ["an empty label added to a selector", { selector: { a: "x" } }, { selector: { a: "x", b: "" } }, ["selector.b"]],
    ["an empty label removed from a selector", { selector: { a: "" } }, { selector: {} }, ["selector.a"]],
    [
      "a condition added to a selector",
      { podSelector: {} },
      { podSelector: { matchLabels: { a: "x" } } },
      ["podSelector.matchLabels"],
    ],
    [
      "a namespace added to a peer",
      { ingress: [{ from: [{ podSelector: {} }] }] },
      { ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] },
      ["ingress[0].from[0].namespaceSelector"],
    ],
    [
      "a field added to an owner reference",
      { ownerReferences: [{ name: "o", uid: "u" }] },
      { ownerReferences: [{ name: "o", uid: "u", blockOwnerDeletion: true }] },
      ["ownerReferences[0].blockOwnerDeletion"],
    ],
    [
      "another value than the default of one",
      { fieldRef: { fieldPath: "x" } },
      { fieldRef: { fieldPath: "x", apiVersion: "v2" } },
      ["fieldRef.apiVersion"],
    ],
    ["something in a list that is to be empty", { egress: [] }, { egress: [{}] }, ["egress"]],
    [
      "a text where an empty one is to be",
      { env: [{ name: "A", value: "" }] },
      { env: [{ name: "A", value: "x" }] },
      ["env[0].value"],
    ],
    ["another amount", { limits: { cpu: "1" } }, { limits: { cpu: "1001m" } }, ["limits.cpu"]],
  ])("%s", (_title, desired, live, expected) => {
    expect(paths(desired, live)).toEqual(expected);
  });

  test("at most 20 are collected", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    expect(paths(many(20), {})).toHaveLength(20);
    expect(paths(many(21), {})).toHaveLength(20);
  });
});

describe("quantities", () => {
  test.each([
    ["1", "1000m", true],
    ["1Gi", "1073741824", true],
    ["1.5Gi", "1536Mi", true],
    ["1e3", "1k", true],
    ["0.1", "100m", true],
    ["1G", "1Gi", false],
    ["-1", "1", false],
    ["abc", "abc", false],
    ["1".repeat(65), "1".repeat(65), false],
  ])("%s and %s", (a, b, same) => {
    expect(isSameQuantity(a, b)).toBe(same);
  });
});
