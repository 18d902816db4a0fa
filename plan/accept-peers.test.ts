import { describe, expect, it } from "vitest";
import { networkPolicyProblems } from "./accept-peers.ts";
import { sampleAgent } from "./testing/resources.ts";

const problems = (networkPolicy: object) =>
  networkPolicyProblems("spec.networkPolicy", sampleAgent("a", { networkPolicy }).spec.networkPolicy);
const places = (networkPolicy: object) =>
  problems(networkPolicy).map(({ path }) => path.replace("spec.networkPolicy.", ""));

describe("CFG-5 SEC-3 peers that the API server would refuse", () => {
  const cidr = "10.0.0.0/8";

  it.each<[string, object, string[]]>([
    ["nobody", {}, [""]],
    ["ports of nobody", { ports: [{ port: 1 }] }, [""]],
    ["addresses and pods at once", { ipBlock: { cidr }, podSelector: {} }, [""]],
    ["a range that is none", { ipBlock: { cidr: "10.0.0.0/33" } }, [".ipBlock.cidr"]],
    [
      "an exception outside the range",
      { ipBlock: { cidr, except: ["10.1.0.0/16", "11.0.0.0/16"] } },
      [".ipBlock.except[1]"],
    ],
    ["an exception that is the range", { ipBlock: { cidr, except: [cidr] } }, [".ipBlock.except[0]"]],
    ["ports the wrong way round", { podSelector: {}, ports: [{ port: 2, endPort: 1 }] }, [".ports[0].endPort"]],
    [
      "In without values",
      { podSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      [".podSelector.matchExpressions[0].values"],
    ],
    [
      "Exists with values",
      { namespaceSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] } },
      [".namespaceSelector.matchExpressions[0].values"],
    ],
    [
      "a label's key that is none",
      { podSelector: { matchExpressions: [{ key: "a b", operator: "Exists" }] } },
      [".podSelector.matchExpressions[0].key"],
    ],
  ])("%s", (_what, peer, expected) => {
    expect(places({ from: [peer] })).toEqual(expected.map((place) => `from[0]${place}`));
    expect(places({ to: [{ podSelector: {} }, peer] })).toEqual(expected.map((place) => `to[1]${place}`));
  });

  it.each<[string, object]>([
    ["all pods of the namespace", { podSelector: {} }],
    ["all pods of the cluster", { namespaceSelector: {} }],
    ["everybody", { ipBlock: { cidr: "0.0.0.0/0" } }],
    ["a range with exceptions", { ipBlock: { cidr, except: ["10.1.0.0/16"] }, ports: [{ port: 1, endPort: 1 }] }],
    ["pods of some namespaces", { podSelector: {}, namespaceSelector: { matchLabels: { a: "b" } } }],
  ])("%s: no problem", (_what, peer) => {
    expect(problems({ from: [peer], to: [peer] })).toEqual([]);
  });
});

describe("SEC-5 places that nobody may open", () => {
  const at = (cidr: string, except?: string[]) => ({ ipBlock: { cidr, ...(except ? { except } : {}) } });

  it.each(["169.254.169.254/32", "169.254.0.0/16", "168.63.129.16/32", "fe80::/64", "fd00:ec2::23/128"])(
    "%s, by itself",
    (cidr) => {
      expect(problems({ to: [{ podSelector: {} }, at(cidr)] })).toEqual([
        {
          reason: "InvalidField",
          path: "spec.networkPolicy.to[1].ipBlock.cidr",
          message: `found ${cidr}, link-local or metadata addresses, which nothing may be sent to; remove it`,
        },
      ]);
    },
  );

  it.each(["169.254.0.0/15", "0.0.0.0/0", "::/0", "168.63.129.17/32"])("but not %s, which holds others too", (cidr) => {
    expect(problems({ to: [at(cidr)] })).toEqual([]);
  });

  it("while they may call", () => {
    expect(problems({ from: [at("169.254.1.0/24")] })).toEqual([]);
  });
});
