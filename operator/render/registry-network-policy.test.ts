// Who may reach a registry, and whom it may reach, asked of a simulator over pairs of pods.
import { describe, expect, it } from "vitest";
import { defined } from "../../crds/defined.ts";
import { labels } from "../../crds/names.ts";
import { renderRegistryNetworkPolicy, usualApiServerPorts } from "./registry-network-policy.ts";
import { mayReach, type Endpoint, type Policy } from "./testing/policy-simulator.ts";
import { makeInstance } from "./testing/resources.ts";

const pod = (namespace: string, ip: string, instance?: string, component?: string): Endpoint => ({
  namespace,
  ip,
  labels: {
    ...defined({ [labels.instance]: instance, [labels.component]: component }),
  },
});
const outside = (ip: string): Endpoint => ({ ip });
const registry = pod("agents", "10.1.0.1", "ouranos", "registry");

function policiesFor(spec: object = {}, ports = usualApiServerPorts): Policy[] {
  const policy = renderRegistryNetworkPolicy(makeInstance({ ...spec }), ports);
  return policy ? [policy] : [];
}

describe("SEC-3 who may reach a registry", () => {
  it.each([
    ["a pod beside it", pod("agents", "10.1.0.2")],
    ["a pod of another namespace", pod("other", "10.1.0.3")],
    ["somebody outside", outside("203.0.113.7")],
  ])("%s: what it serves, and not its probes", (_who, from) => {
    const reached = [24_200, 9090, 22].map((port) => mayReach(policiesFor(), from, registry, port));
    expect(reached).toEqual([true, false, false]);
  });
});

describe("SEC-3 whom a registry may reach", () => {
  it.each<[string, Endpoint, number, boolean]>([
    ["its agents' admin port", pod("agents", "10.1.0.4", "ouranos", "agent"), 9090, true],
    ["its agents' MCP port", pod("agents", "10.1.0.4", "ouranos", "agent"), 8080, false],
    ["agents of another instance", pod("agents", "10.1.0.5", "gaia", "agent"), 9090, false],
    ["agents of that name in another namespace", pod("other", "10.1.0.6", "ouranos", "agent"), 9090, false],
    ["any other pod", pod("agents", "10.1.0.7"), 9090, false],
    ["the API server behind its Service", outside("10.96.0.1"), 443, true],
    ["the API server as it is", outside("192.0.2.10"), 6443, true],
    ["the API server over IPv6", outside("2001:db8::1"), 6443, true],
    ["another port of it", outside("192.0.2.10"), 2379, false],
    ["the metadata service", outside("169.254.169.254"), 80, false],
    ["the metadata service on an open port", outside("169.254.169.254"), 443, false],
    ["link-local IPv6", outside("fe80::1"), 6443, false],
  ])("%s", (_where, to, port, expected) => {
    expect(mayReach(policiesFor(), registry, to, port)).toBe(expected);
  });

  it("name servers, also those that listen on 5353 behind their Service", () => {
    for (const server of [pod("kube-system", "10.1.0.8"), outside("169.254.20.10")]) {
      for (const port of [53, 5353]) {
        expect([
          mayReach(policiesFor(), registry, server, port, "UDP"),
          mayReach(policiesFor(), registry, server, port),
        ]).toEqual([true, true]);
      }
    }
  });

  it("the API server on the ports that the operator was told, and no other", () => {
    const reached = [8443, 443, 6443].map((port) =>
      mayReach(policiesFor({}, [8443]), registry, outside("192.0.2.10"), port),
    );
    expect(reached).toEqual([true, false, false]);
  });
});

describe("SEC-3 a registry's policy can be switched off", () => {
  it("with that of the instance's agents, and stays where only one agent has none", () => {
    expect(policiesFor({ agentDefaults: { networkPolicy: { enabled: false } } })).toEqual([]);
    expect(policiesFor({ agentDefaults: { networkPolicy: { enabled: true } } })).toHaveLength(1);
    expect(policiesFor()).toHaveLength(1);
  });
});
