// Drift between the schema and what is made of it: every field a user can set must change something that is rendered,
// judged or served, or say here why it does not. A field that nothing reads would be ignored in silence.
import { describe, expect, it } from "vitest";
import { agentManifest } from "../crds/agent.ts";
import { instanceManifest, type PallasInstance } from "../crds/instance.ts";
import { serverManifest, type PallasServer } from "../crds/server.ts";
import { renderAgentChildren } from "../operator/render/agent-children.ts";
import { renderGatewayChildren } from "../operator/render/gateway-children.ts";
import { renderInstanceChildren } from "../operator/render/instance-children.ts";
import { renderServerChildren } from "../operator/render/server-children.ts";
import { renderCatalogueEntry } from "../plan/catalogue.ts";
import { neighbourhood } from "../plan/check.ts";
import { judgeAgent, judgeInstance, judgeServers } from "../plan/judge.ts";
import { dependenciesOf } from "../plan/order.ts";
import { resolveAgent } from "../plan/resolve.ts";
import { resolveServer } from "../plan/server.ts";
import { renderToolServerEntry } from "../plan/server-entry.ts";
import { agentManifestOf, instanceManifestOf, sampleAgent, serverManifestOf } from "../plan/testing/resources.ts";
import { publishedAgentUrl, registryUrl } from "../plan/urls.ts";
import { renderStatusPage } from "../registry/status/page.ts";
import { fullAgentSpecs, fullInstanceSpecs, fullServerSpecs } from "./drift/full-resources.ts";
import { leaves, pathsOf } from "./drift/leaves.ts";
import { valueAt, withValue } from "./integration/schema-cases/manifest-path.ts";

/** Fields that change nothing yet, and why. */
const excused: Record<string, string> = {
  "PallasServer spec.listed": "who may see its tools without an agent is the gateway's affair",
  "PallasServer spec.pin": "what becomes of a changed tool is the gateway's affair",
};
const agentField = (path: string) => path.replace("PallasInstance spec.agentDefaults.", "PallasAgent spec.");
const isExcused = (path: string) => excused[path] !== undefined || excused[agentField(path)] !== undefined;

const metadata = {
  uid: "u",
  namespace: "agents",
  generation: 1,
  resourceVersion: "1",
  creationTimestamp: "2026-11-21T10:00:00Z",
};
const manifests = fullServerSpecs.map((serverSpec, variant) => ({
  PallasInstance: instanceManifestOf(fullInstanceSpecs[variant % fullInstanceSpecs.length], metadata),
  PallasAgent: agentManifestOf("tech-research", fullAgentSpecs[variant % fullAgentSpecs.length], metadata),
  PallasServer: serverManifestOf("memory", serverSpec, metadata),
}));
type Manifests = (typeof manifests)[number];

const images = { agent: "a:1", registry: "r:1", gateway: "g:1", bridge: "b:1" };

/** What is made of a tool server in its instance, and where else is it of no account. */
function outputsOfServer(server: PallasServer, instance: PallasInstance): object {
  if (server.spec.instanceRef.name !== instance.metadata.name) return {};
  const resolved = resolveServer(server, instance, "http://bridge/mcp");
  // Without the resources themselves, which are in it too.
  const { server: _server, instance: _instance, ...derived } = resolved;
  return { derived, entry: renderToolServerEntry(resolved, "", ""), children: renderServerChildren(resolved, images) };
}

/** Everything that is made of the resources, as one text. Undefined when the schema refuses one of them. */
function outputsOf(pair: Record<keyof Manifests, unknown>): string | undefined {
  const instance = instanceManifest.safeParse(pair.PallasInstance);
  const agent = agentManifest.safeParse(pair.PallasAgent);
  const server = serverManifest.safeParse(pair.PallasServer);
  if (!instance.success || !agent.success || !server.success) return undefined;
  const others = ["archive", "editor"].map((name) => sampleAgent(name, {}, metadata));
  const around = neighbourhood(instance.data, [agent.data, ...others]);
  const problems = [
    ...judgeInstance(instance.data, { mode: "cluster" }),
    ...judgeAgent(agent.data, instance.data, { mode: "cluster" }),
    ...resolveAgent(agent.data, around),
    ...[...judgeServers(instance.data, [server.data], around.agents, { mode: "cluster" }).values()].flat(),
  ];
  // A value that is merely broken says nothing about what a sound one would change.
  if (problems.some(({ reason }) => reason === "InvalidField")) return undefined;
  return JSON.stringify([
    problems,
    renderAgentChildren(agent.data, around, images),
    renderInstanceChildren(instance.data, images, { mode: "cluster" }),
    renderGatewayChildren(instance.data, images, { mode: "cluster" }),
    renderCatalogueEntry(agent.data, instance.data, publishedAgentUrl(agent.data, instance.data)),
    registryUrl(instance.data, "agents"),
    renderStatusPage({
      state: { phase: "live", since: 0 },
      instances: [instance.data],
      agents: [],
      entryOf: () => undefined,
      servers: [],
      now: 0,
    }),
    dependenciesOf(agent.data),
    outputsOfServer(server.data, instance.data),
  ]);
}

/** Other values that the field might take; those the schema refuses are passed over. */
function otherValues(value: unknown, words: readonly string[]): unknown[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1, value - 1, value / 2];
  if (typeof value !== "string") return [];
  if (value.startsWith("http")) return [`${value}x`, value.replace("://", "://b")];
  const texts = [
    `${value}x`,
    `x${value}`,
    `${value}0`,
    value.replace(/[0-9]/, "7"),
    value.replace(/[0-9]$/, "9"),
    "9Gi",
    "10.9.0.0/16",
    "UDP",
  ];
  return [...words, ...texts].filter((text) => text !== value);
}

function changesSomething({ kind, schemaPath, words }: (typeof leaves)[number]): boolean | "not set" {
  const places = manifests.flatMap((pair) => pathsOf(pair[kind], schemaPath).map((path) => ({ pair, path })));
  if (places.length === 0) return "not set";
  return places.some(({ pair, path }) => {
    // What the agent says itself hides what the instance says for all.
    const own = schemaPath.startsWith("spec.agentDefaults.")
      ? agentManifestOf("tech-research", { instanceRef: { name: "ouranos" } }, metadata)
      : pair.PallasAgent;
    const base = { ...pair, PallasAgent: own };
    const before = outputsOf(base);
    return otherValues(valueAt(pair[kind], path), words).some((value) => {
      const after = outputsOf({ ...base, [kind]: withValue(pair[kind], path, value) });
      return after !== undefined && after !== before;
    });
  });
}

describe("CFG-5 every field of the schema", { timeout: 60_000 }, () => {
  it("is looked at here at all", () => {
    expect(leaves.length).toBeGreaterThan(150);
    expect(manifests.map((pair) => outputsOf(pair) !== undefined)).toEqual(fullServerSpecs.map(() => true));
  });

  it("changes something that is rendered, judged or served, or says why not", () => {
    const silent = leaves
      .map((leaf) => [`${leaf.kind} ${leaf.schemaPath}`, changesSomething(leaf)] as const)
      .filter(([path, changes]) => changes !== true && !isExcused(path));
    expect(silent).toEqual([]);
  });

  it("is not excused any more once it does", () => {
    const working = leaves
      .filter((leaf) => excused[`${leaf.kind} ${leaf.schemaPath}`] !== undefined && changesSomething(leaf) === true)
      .map(({ schemaPath }) => schemaPath);
    expect(working).toEqual([]);
  });
});
