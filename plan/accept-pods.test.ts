import { describe, expect, it } from "vitest";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const places = (pod: object) => {
  const ofAgent = acceptAgent(sampleAgent("a", { pod }), sampleInstance()).map(({ path }) => path);
  const ofInstance = acceptInstance(sampleInstance({ agentDefaults: { pod } }), "cluster").map(({ path }) => path);
  expect(ofInstance).toEqual(ofAgent.map((path) => path.replace("spec.", "spec.agentDefaults.")));
  return ofAgent.map((path) => path.replace("spec.pod.", ""));
};
const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" };

describe("CFG-5 pods that the API server would refuse", () => {
  it.each<[string, object, string[]]>([
    ["no key and no operator", { effect: "NoSchedule" }, ["operator"]],
    ["a value for Exists", { key: "a", operator: "Exists", value: "b" }, ["value"]],
    ["seconds without NoExecute", { key: "a", effect: "NoSchedule", tolerationSeconds: 1 }, ["tolerationSeconds"]],
    ["every taint", { operator: "Exists" }, []],
    ["one taint for a while", { key: "a", value: "b", effect: "NoExecute", tolerationSeconds: 0 }, []],
  ])("a toleration with %s", (_what, toleration, expected) => {
    expect(places({ tolerations: [toleration] })).toEqual(expected.map((field) => `tolerations[0].${field}`));
  });

  it.each<[string, object[], string[]]>([
    ["fewest domains where any will do", [{ ...spread, minDomains: 2 }], ["[0].minDomains"]],
    ["the same twice", [spread, { ...spread, maxSkew: 2 }], ["[1]"]],
    [
      "a selector that is none",
      [{ ...spread, labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] } }],
      ["[0].labelSelector.matchExpressions[0].values"],
    ],
    ["both ways of one key", [spread, { ...spread, whenUnsatisfiable: "DoNotSchedule", minDomains: 2 }], []],
  ])("spread constraints with %s", (_what, topologySpreadConstraints, expected) => {
    expect(places({ topologySpreadConstraints })).toEqual(expected.map((at) => `topologySpreadConstraints${at}`));
  });
});
