// Who may reach a gateway, and whom it may reach, asked of a simulator over pairs of pods.
import { describe, expect, it } from "vitest";
import type { NetworkPolicyPeer } from "../../crds/agent-settings.ts";
import { labels } from "../../crds/names.ts";
import { renderAgentChildren } from "./agent-children.ts";
import { renderGatewayChildren } from "./gateway-children.ts";
import { mayReach, type Endpoint, type Policy } from "./testing/policy-simulator.ts";
import { around, makeAgent, makeInstance, releaseImages, releaseRules } from "./testing/resources.ts";

const pod = (namespace: string, ip: string, instance?: string, component?: string, agent?: string): Endpoint => ({
  namespace,
  ip,
  labels: {
    ...(instance === undefined ? {} : { [labels.instance]: instance }),
    ...(component === undefined ? {} : { [labels.component]: component }),
    ...(agent === undefined ? {} : { [labels.agent]: agent }),
  },
});
const outside = (ip: string): Endpoint => ({ ip });
const gateway = pod("agents", "10.1.0.1", "ouranos", "gateway");
const registry = pod("agents", "10.1.0.2", "ouranos", "registry");
const echo = pod("agents", "10.1.0.3", "ouranos", "agent", "echo");

/** Of the gateway, and of the agent `echo`. */
function policiesFor(
  spec: object = { gateway: {} },
  ports?: readonly number[],
  metricsFrom?: readonly NetworkPolicyPeer[],
): Policy[] {
  const instance = makeInstance(spec);
  const agent = makeAgent("echo");
  const rendered = [
    renderGatewayChildren(instance, releaseImages, releaseRules, ports, metricsFrom)?.networkPolicy,
    renderAgentChildren(agent, around(instance, agent), releaseImages).networkPolicy,
  ];
  return rendered.filter((policy) => policy !== undefined);
}

describe("SEC-3 who may reach a gateway", () => {
  it.each([
    ["a pod beside it", pod("agents", "10.1.0.9")],
    ["a pod of another namespace", pod("other", "10.1.0.9")],
    ["somebody outside", outside("203.0.113.7")],
  ])("%s: what it serves, and not its probes", (_who, from) => {
    const reached = [24_300, 9090, 22].map((port) => mayReach(policiesFor(), from, gateway, port));
    expect(reached).toEqual([true, false, false]);
  });

  it("is its own agents too, on its port alone, and no agent of an instance without one", () => {
    expect([24_300, 9090, 443].map((port) => mayReach(policiesFor(), echo, gateway, port))).toEqual([
      true,
      false,
      false,
    ]);
    expect(mayReach(policiesFor(), echo, pod("agents", "10.1.0.8", "gaia", "gateway"), 24_300)).toBe(false);
    expect(mayReach(policiesFor(), echo, pod("other", "10.1.0.8", "ouranos", "gateway"), 24_300)).toBe(false);
    expect(mayReach(policiesFor({}), echo, gateway, 24_300)).toBe(false);
  });

  it("whoever the operator was told reads its metrics, and nobody beside them", () => {
    const peer = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
    const policies = policiesFor({ gateway: {} }, undefined, [peer]);
    const reached = ["monitoring", "other", "agents"].map((namespace) =>
      [9090, 22].map((port) => mayReach(policies, pod(namespace, "10.1.0.9"), gateway, port)),
    );
    expect(reached).toEqual([
      [true, false],
      [false, false],
      [false, false],
    ]);
  });
});

describe("SEC-3 whom a gateway may reach", () => {
  it.each<[string, Endpoint, number, boolean]>([
    ["its agents' MCP port", echo, 8080, true],
    ["its agents' admin port", echo, 9090, true],
    ["another port of its agents", echo, 22, false],
    ["agents of another instance", pod("agents", "10.1.0.5", "gaia", "agent", "echo"), 8080, false],
    ["agents of that name in another namespace", pod("other", "10.1.0.6", "ouranos", "agent", "echo"), 8080, false],
    ["its registry", registry, 24_200, true],
    ["the registry of another instance", pod("agents", "10.1.0.7", "gaia", "registry"), 24_200, false],
    ["the API server behind its Service", outside("10.96.0.1"), 443, true],
    ["the API server as it is", outside("192.0.2.10"), 6443, true],
    ["the metadata service on an open port", outside("169.254.169.254"), 443, false],
    ["an issuer that nobody named", outside("192.0.2.10"), 8443, false],
  ])("%s", (_where, to, port, expected) => {
    expect(mayReach(policiesFor(), gateway, to, port)).toBe(expected);
  });

  it("the issuer of callers' tokens, where there is one", () => {
    const auth = { jwt: { issuer: "https://id.example.com:8443", audiences: ["pallas"] } };
    expect(mayReach(policiesFor({ gateway: {}, auth }), gateway, outside("192.0.2.10"), 8443)).toBe(true);
  });

  it("where it browses and its embeddings, where they are set", () => {
    const asking = {
      browse: { sources: [{ name: "packages", kind: "npm", url: "https://npm.example.com:8443" }] },
      embeddings: { kind: "openai", baseUrl: "http://192.0.2.20:9000/v1", model: "m" },
    };
    const reached = (spec: object) => [
      mayReach(policiesFor({ gateway: spec }), gateway, outside("192.0.2.10"), 8443),
      mayReach(policiesFor({ gateway: spec }), gateway, outside("192.0.2.20"), 9000),
      mayReach(policiesFor({ gateway: spec }), gateway, outside("192.0.2.21"), 9000),
    ];
    expect(reached(asking)).toEqual([true, true, false]);
    expect(reached({})).toEqual([false, false, false]);
  });

  it("the API server on the ports that the operator was told, and no other", () => {
    const reached = [8443, 443, 6443].map((port) =>
      mayReach(policiesFor({ gateway: {} }, [8443]), gateway, outside("192.0.2.10"), port),
    );
    expect(reached).toEqual([true, false, false]);
  });
});

describe("SEC-3 an agent's policy", () => {
  it("lets in its instance's gateway, and no other and none where there is none", () => {
    const stranger = pod("agents", "10.1.0.8", "gaia", "gateway");
    const elsewhere = pod("other", "10.1.0.8", "ouranos", "gateway");
    for (const port of [8080, 9090]) {
      const reached = [gateway, stranger, elsewhere].map((from) => mayReach(policiesFor(), from, echo, port));
      expect(reached).toEqual([true, false, false]);
      expect(mayReach(policiesFor({}), gateway, echo, port)).toBe(false);
    }
  });
});

describe("SEC-3 a gateway's policy can be switched off", () => {
  it("with that of the instance's agents", () => {
    const off = makeInstance({ gateway: {}, agentDefaults: { networkPolicy: { enabled: false } } });
    expect(renderGatewayChildren(off, releaseImages, releaseRules)).toMatchObject({ networkPolicy: undefined });
  });
});
