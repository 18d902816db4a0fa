import { describe, expect, it } from "vitest";
import { authorProblems, type AuthorLimits } from "./author-limits.ts";
import { defaultLimits, sampleAgent, sampleInstance } from "./testing/resources.ts";

const problems = (spec: object, limits: Partial<AuthorLimits> = {}) =>
  authorProblems("spec", sampleAgent("a", spec).spec, { authors: { ...defaultLimits.authors, ...limits } });
const messages = (...args: Parameters<typeof problems>) =>
  problems(...args).map(({ path, message }) => [path, message]);
const places = (...args: Parameters<typeof problems>) => problems(...args).map(({ path }) => path);

describe("SEC-2 what authors may set on their pods", () => {
  const labels = { app: "payments", team: "blue", "example.com/tier": "gold" };

  it("is nothing by default, and the message says who can change that", () => {
    const pod = {
      labels: { app: "payments" },
      annotations: { "a/b": "c" },
      priorityClassName: "system-cluster-critical",
    };
    expect(messages({ pod })).toEqual([
      [
        "spec.pod.labels",
        '"app" is not among those that authors may set (none); remove it, or have it added to PALLAS_AUTHOR_LABELS of the operator',
      ],
      [
        "spec.pod.annotations",
        '"a/b" is not among those that authors may set (none); remove it, or have it added to PALLAS_AUTHOR_ANNOTATIONS of the operator',
      ],
      [
        "spec.pod.priorityClassName",
        '"system-cluster-critical" is not among those that authors may set (none); remove it, or have it added to PALLAS_AUTHOR_PRIORITY_CLASSES of the operator',
      ],
    ]);
  });

  it.each<[string, string[], number]>([
    ["a key", ["team"], 2],
    ["a beginning of it only", ["tea", "example.com/"], 3],
    ["beginnings with an asterisk", ["example.com/*", "te*"], 1],
    ["another case of letters", ["Team"], 3],
    ["an asterisk that is not last", ["*m", "*/tier"], 3],
    ["all", ["*"], 0],
  ])("%s: %j leaves %i problems", (_what, allowed, count) => {
    expect(problems({ pod: { labels } }, { labels: allowed })).toHaveLength(count);
    expect(problems({ pod: { annotations: labels } }, { annotations: allowed })).toHaveLength(count);
  });

  it("each list is for itself", () => {
    const pod = { labels: { team: "a" }, annotations: { team: "a" }, priorityClassName: "team" };
    expect(places({ pod }, { labels: ["*"] })).toEqual(["spec.pod.annotations", "spec.pod.priorityClassName"]);
    expect(places({ pod }, { annotations: ["*"] })).toEqual(["spec.pod.labels", "spec.pod.priorityClassName"]);
    expect(places({ pod }, { priorityClasses: ["team"] })).toEqual(["spec.pod.labels", "spec.pod.annotations"]);
  });

  it("may be empty, and where pods run is theirs to choose", () => {
    const pod = { labels: {}, annotations: {}, priorityClassName: "", nodeSelector: { disk: "ssd" }, tolerations: [] };
    expect(problems({ pod })).toEqual([]);
  });
});

describe("SEC-3 what authors may open", () => {
  const peers = {
    own: { podSelector: { matchLabels: { app: "web" } } },
    others: { podSelector: {}, namespaceSelector: {} },
    anyPodOf: { namespaceSelector: { matchLabels: { a: "b" } } },
    addresses: { ipBlock: { cidr: "203.0.113.0/24" } },
  };

  it.each<[AuthorLimits["networkPolicy"], string[]]>([
    ["none", ["own", "others", "anyPodOf", "addresses", "enabled"]],
    ["sameNamespace", ["others", "anyPodOf", "addresses", "enabled"]],
    ["any", ["enabled"]],
    ["off", []],
  ])("with %s not: %j", (networkPolicy, expected) => {
    const refused = (policy: object) => problems({ networkPolicy: policy }, { networkPolicy }).length > 0;
    const found = Object.entries(peers).flatMap(([name, peer]) => {
      const [from, to] = [refused({ from: [peer] }), refused({ to: [peer] })];
      expect(from).toBe(to);
      return from ? [name] : [];
    });
    expect([...found, ...(refused({ enabled: false }) ? ["enabled"] : [])]).toEqual(expected);
    expect(refused({ enabled: true })).toBe(false);
  });

  it("is by default pods of their own namespace, and the message says what is missing", () => {
    const networkPolicy = { enabled: false, from: [peers.own, peers.addresses], to: [peers.others] };
    expect(messages({ networkPolicy })).toEqual([
      [
        "spec.networkPolicy.enabled",
        'needs "off" where authors have "sameNamespace"; remove it, or have PALLAS_AUTHOR_NETWORK_POLICY of the operator set to "off"',
      ],
      [
        "spec.networkPolicy.from[1]",
        'needs "any" where authors have "sameNamespace"; remove it, or have PALLAS_AUTHOR_NETWORK_POLICY of the operator set to "any"',
      ],
      [
        "spec.networkPolicy.to[0]",
        'needs "any" where authors have "sameNamespace"; remove it, or have PALLAS_AUTHOR_NETWORK_POLICY of the operator set to "any"',
      ],
    ]);
  });

  it("is everything where nobody says what an operator allows", () => {
    const spec = { pod: { labels: { app: "x" } }, networkPolicy: { enabled: false, to: [peers.addresses] } };
    expect(authorProblems("spec", sampleAgent("a", spec).spec, {})).toEqual([]);
  });

  it("holds for what an instance sets for all of its agents", () => {
    const agentDefaults = { pod: { labels: { app: "x" } }, networkPolicy: { enabled: false } };
    const { spec } = sampleInstance({ agentDefaults });
    expect(
      authorProblems("spec.agentDefaults", spec.agentDefaults ?? {}, defaultLimits).map(({ path }) => path),
    ).toEqual(["spec.agentDefaults.pod.labels", "spec.agentDefaults.networkPolicy.enabled"]);
  });
});
