// One judgement: the same resources are put to everybody who judges them, and each must say the same.
import { describe, expect, it } from "vitest";
import type { AgentConditionType, InstanceConditionType } from "../crds/conditions.ts";
import { kinds } from "../crds/kinds.ts";
import { Store } from "../lib/kube/store.ts";
import { accept } from "../operator/agent/accept.ts";
import { ConditionSet } from "../operator/conditions.ts";
import { acceptInstance } from "../operator/instance/accept.ts";
import { createNeighbours } from "../operator/neighbours.ts";
import { renderCatalogueEntry } from "../plan/catalogue.ts";
import { checkManifests } from "../plan/check.ts";
import { parseWatched, type WatchedAgent, type WatchedInstance } from "../plan/parse-watched.ts";
import { parseAgent, parseInstance } from "../plan/parse.ts";
import { limitsText, renderLimits, type Rules } from "../plan/rules.ts";
import { agentManifestOf, instanceManifestOf } from "../plan/testing/resources.ts";
import { createLister } from "../registry/catalogue/listing.ts";
import { MemorySource } from "../registry/testing/memory-source.ts";

const metadata = { namespace: "agents", uid: "u", resourceVersion: "1", generation: 1 };
const rules: Rules = {
  mode: "cluster",
  allowedImages: ["registry.example/pallas"],
  authors: { labels: ["team"], annotations: [], priorityClasses: [], networkPolicy: "sameNamespace" },
};
const addresses = { to: [{ ipBlock: { cidr: "203.0.113.0/24" } }] };
const now = new Date("2026-11-22T10:00:00Z");

interface Verdict {
  instance: boolean;
  agent: boolean;
}

type Judge = (instance: ReturnType<typeof instanceManifestOf>, agent: ReturnType<typeof agentManifestOf>) => Verdict;

const byCheck: Judge = (instance, agent) => {
  const manifests = [instance, agent].map((value) => ({ source: undefined, value }));
  const { instances, accepted } = checkManifests(manifests, rules);
  return { instance: instances.length === 1, agent: accepted.length === 1 };
};

const storeOf = <T extends WatchedAgent | WatchedInstance>(object: T): Store<T> => {
  const store = new Store<T>({ indexes: {}, onListenerError: (error) => expect.fail(String(error)) });
  store.upsert(object);
  return store;
};

const byOperator: Judge = (instance, agent) => {
  const [live, ofInstance] = [
    parseWatched(kinds.PallasAgent, { ...agent, metadata: { ...metadata, ...agent.metadata } }, undefined),
    parseWatched(kinds.PallasInstance, { ...instance, metadata: { ...metadata, ...instance.metadata } }, undefined),
  ];
  const conditions = new ConditionSet<InstanceConditionType>([], 1, now);
  acceptInstance(ofInstance, rules, conditions);
  const ofAgent = new ConditionSet<AgentConditionType>([], 1, now);
  accept({
    live,
    rules,
    conditions: ofAgent,
    caches: { instances: { store: storeOf(ofInstance) } },
    neighbours: createNeighbours(storeOf(live)),
  });
  return { instance: conditions.status("Accepted") === "True", agent: ofAgent.status("Accepted") === "True" };
};

/** It has no verdict of its own on instances. */
const byRegistry = (instance: unknown, agent: unknown): boolean => {
  const [readInstance, readAgent] = [parseInstance(instance), parseAgent(agent)];
  const list = createLister({
    source: new MemorySource({
      instances: readInstance.ok ? [readInstance.value] : [],
      agents: readAgent.ok ? [readAgent.value] : [],
    }),
    // As the operator hands them to the registry's process.
    rules: { mode: "cluster", ...limitsText.parse(renderLimits(rules)) },
    renderEntry: (listed, of) => renderCatalogueEntry(listed, of, "http://localhost/mcp"),
  });
  return list().servers.length === 1;
};

const both: Verdict = { instance: true, agent: true };
const neither: Verdict = { instance: false, agent: false };
const instanceOnly: Verdict = { instance: true, agent: false };

const cases: [title: string, instanceSpec: object, agentSpec: object, verdict: Verdict][] = [
  ["the least", {}, {}, both],
  ["an image of an allowed repository", { images: { agent: "registry.example/pallas/agent:2" } }, {}, both],
  ["an image of another repository", { images: { agent: "evil.example/agent:1" } }, {}, neither],
  ["a registry's image of another repository", { images: { registry: "evil.example/registry:1" } }, {}, neither],
  ["a default model of no provider", { defaultModel: "nope.gpt" }, { model: "passthrough" }, neither],
  ["a placeholder in a URL", { servers: [{ name: "x", url: "http://${HOST}/mcp" }] }, {}, neither],
  ["a URL that leads to link-local", { servers: [{ name: "x", url: "http://169.254.169.254/mcp" }] }, {}, neither],
  ["a value that the schema refuses", { registryNamespace: "-" }, {}, neither],
  ["an agent that names a server which is not there", {}, { servers: [{ name: "gone" }] }, both],
  ["an agent that names an agent which is not there", {}, { agents: [{ name: "gone" }] }, both],
  ["a label that authors may set", { agentDefaults: { pod: { labels: { team: "a" } } } }, {}, both],
  ["a label that authors may not set", {}, { pod: { labels: { app: "payments" } } }, instanceOnly],
  ["such a label for all agents", { agentDefaults: { pod: { labels: { app: "payments" } } } }, {}, neither],
  ["a policy for the namespace", {}, { networkPolicy: { to: [{ podSelector: {} }] } }, both],
  ["a policy for addresses", {}, { networkPolicy: addresses }, instanceOnly],
  ["a policy for addresses of all agents", { agentDefaults: { networkPolicy: addresses } }, {}, neither],
  ["replicas that share nothing", {}, { replicas: 2 }, instanceOnly],
  ["a value of an agent that the schema refuses", {}, { scope: "world" }, instanceOnly],
  ["no port where the URL is made with it", { externalUrl: { host: "agents.example.com" } }, {}, instanceOnly],
];

describe("CAT-6 CFG-5 check, operator and registry judge alike", () => {
  it.each(cases)("%s", (_title, instanceSpec, agentSpec, verdict) => {
    const pair = [
      instanceManifestOf(instanceSpec, { namespace: "agents" }),
      agentManifestOf("research", agentSpec, { namespace: "agents" }),
    ] as const;
    expect(byCheck(...pair)).toEqual(verdict);
    expect(byOperator(...pair)).toEqual(verdict);
    expect(byRegistry(...pair)).toBe(verdict.agent);
  });
});
