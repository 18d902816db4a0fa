// Who may reach whom by the rendered policies, asked of a simulator over pairs of pods.
import { describe, expect, it } from "vitest";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { renderAgentChildren } from "./agent-children.ts";
import { mayReach, type Endpoint, type Policy } from "./testing/policy-simulator.ts";
import { around, makeAgent, makeInstance, releaseImages } from "./testing/resources.ts";

const childrenOf = (agent: PallasAgent, instance: PallasInstance, others: PallasAgent[]) =>
  renderAgentChildren(agent, around(instance, agent, ...others), releaseImages);

function policiesOf(instance: PallasInstance, ...agents: PallasAgent[]): Policy[] {
  return agents.flatMap((agent) => {
    const { networkPolicy } = childrenOf(
      agent,
      instance,
      agents.filter((other) => other !== agent),
    );
    return networkPolicy ? [networkPolicy] : [];
  });
}

let pods = 0;
const pod = (namespace: string, labels: Record<string, string> = {}): Endpoint => ({
  namespace,
  labels,
  ip: `10.1.0.${(pods += 1)}`,
});
const agentPod = (name: string, instance = "ouranos", namespace = "agents") =>
  pod(namespace, {
    "pallas.helu.ca/agent": name,
    "pallas.helu.ca/instance": instance,
    "pallas.helu.ca/component": "agent",
  });
const registryPod = (instance: string, namespace = "agents") =>
  pod(namespace, { "pallas.helu.ca/instance": instance, "pallas.helu.ca/component": "registry" });
const operatorPod = pod("pallas-system", { "app.kubernetes.io/name": "pallas-operator" });
const outside = (ip: string): Endpoint => ({ ip });

describe("SEC-3 who may call an agent", () => {
  const policies = policiesOf(
    makeInstance(),
    makeAgent("research"),
    makeAgent("lead", { agents: [{ name: "research" }] }),
    makeAgent("waiter", { dependsOn: ["research"] }),
  );
  const client = { "pallas.helu.ca/client": "true" };

  it.each<[string, Endpoint, { mcp: boolean; admin: boolean }]>([
    ["an agent that lists it", agentPod("lead"), { mcp: true, admin: false }],
    ["an agent that only waits for it", agentPod("waiter"), { mcp: false, admin: false }],
    ["an agent of that name of another instance", agentPod("lead", "gaia"), { mcp: false, admin: false }],
    ["an agent of that name of another namespace", agentPod("lead", "ouranos", "other"), { mcp: false, admin: false }],
    ["the instance's registry", registryPod("ouranos"), { mcp: false, admin: true }],
    ["another instance's registry", registryPod("gaia"), { mcp: false, admin: false }],
    ["a registry of another namespace", registryPod("ouranos", "other"), { mcp: false, admin: false }],
    ["the operator, wherever it is", operatorPod, { mcp: false, admin: true }],
    ["a pod labelled as client", pod("agents", client), { mcp: true, admin: false }],
    ["a pod labelled as client elsewhere", pod("other", client), { mcp: false, admin: false }],
    ["any other pod", pod("agents", { app: "web" }), { mcp: false, admin: false }],
    ["an address outside", outside("203.0.113.7"), { mcp: false, admin: false }],
  ])("%s: %s", (_who, from, { mcp, admin }) => {
    const to = agentPod("research");
    expect({ mcp: mayReach(policies, from, to, 8080), admin: mayReach(policies, from, to, 9090) }).toEqual({
      mcp,
      admin,
    });
    expect(mayReach(policies, from, to, 22)).toBe(false);
  });

  it("peers in from, with their ports, or all ports where they name none", () => {
    const from = [
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } }, ports: [{ port: 9090 }] },
      { ipBlock: { cidr: "203.0.113.0/24", except: ["203.0.113.9/32"] } },
      {
        podSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
        ports: [{ port: 8000, endPort: 8100 }],
      },
    ];
    const open = policiesOf(makeInstance(), makeAgent("research", { networkPolicy: { from } }));
    const reach = (who: Endpoint) => [8080, 9090, 22].map((port) => mayReach(open, who, agentPod("research"), port));
    expect(reach(pod("monitoring"))).toEqual([false, true, false]);
    expect(reach(outside("203.0.113.7"))).toEqual([true, true, true]);
    expect(reach(outside("203.0.113.9"))).toEqual([false, false, false]);
    expect(reach(pod("agents", { app: "web" }))).toEqual([true, false, false]);
    expect(reach(pod("other", { app: "web" }))).toEqual([false, false, false]);
  });
});

describe("SEC-3 where an agent may go", () => {
  const instance = makeInstance({
    defaultModel: "llama.qwen",
    providers: [
      { name: "llama", kind: "openai-compatible", baseUrl: "http://llama.models.svc:8080/v1" },
      { name: "anthropic" },
    ],
    servers: [
      { name: "beside", url: "http://argos:8000/mcp" },
      { name: "short", url: "http://neo4j.graphs/mcp" },
      { name: "whole", url: "http://files.storage.svc.cluster.local:1/mcp" },
      { name: "literal", url: "http://10.9.8.7:9000/mcp" },
      { name: "literal6", url: "http://[2001:db8::5]:9001/mcp" },
      { name: "away", url: "https://mcp.example.com/mcp" },
      { name: "unused", url: "http://secret.vault.svc/mcp" },
    ],
  });
  const servers = ["beside", "short", "whole", "literal", "literal6", "away"].map((name) => ({ name }));
  const policies = policiesOf(
    instance,
    makeAgent("lead", { servers, agents: [{ name: "research" }], dependsOn: ["archive"] }),
    makeAgent("research"),
    makeAgent("archive"),
  );
  const to = (endpoint: Endpoint, port: number, protocol: "TCP" | "UDP" = "TCP") =>
    mayReach(policies, agentPod("lead"), endpoint, port, protocol);

  it.each<[string, Endpoint, number, boolean]>([
    ["an agent it calls", agentPod("research"), 8080, true],
    ["metrics of an agent it calls", agentPod("research"), 9090, false],
    ["an agent it only waits for", agentPod("archive"), 8080, false],
    ["the model's namespace, on the port of its pods", pod("models"), 3000, true],
    ["a Service beside it", pod("agents", { app: "argos" }), 80, true],
    ["a Service by its short name", pod("graphs"), 7687, true],
    ["a Service by its whole name", pod("storage"), 5000, true],
    ["the namespace of a server that it does not use", pod("vault"), 8200, false],
    ["an address", outside("10.9.8.7"), 9000, true],
    ["that address on another port", outside("10.9.8.7"), 9001, false],
    ["the address beside it", outside("10.9.8.8"), 9000, false],
    ["an IPv6 address", outside("2001:db8::5"), 9001, true],
    ["the outside on a port that it needs", outside("198.51.100.1"), 443, true],
    ["the outside over IPv6", outside("2001:db8::77"), 443, true],
    ["the outside on another port", outside("198.51.100.1"), 22, false],
    ["link-local addresses", outside("169.254.1.1"), 443, false],
    ["the metadata service", outside("169.254.169.254"), 80, false],
    ["another cloud's metadata service", outside("100.100.100.200"), 443, false],
    ["link-local IPv6", outside("fe80::1"), 443, false],
    ["the metadata service over IPv6", outside("fd00:ec2::254"), 443, false],
    ["the metadata service behind NAT64", outside("64:ff9b::169.254.169.254"), 443, false],
  ])("%s", (_where, endpoint, port, expected) => {
    expect(to(endpoint, port)).toBe(expected);
  });

  it("name servers everywhere, over both protocols, and nothing else over UDP", () => {
    for (const server of [pod("kube-system"), outside("169.254.20.10"), outside("10.96.0.10")]) {
      // 5353 is where OpenShift's listen, behind their Service.
      for (const port of [53, 5353]) expect([to(server, port, "TCP"), to(server, port, "UDP")]).toEqual([true, true]);
      expect(to(server, 443, "UDP")).toBe(false);
    }
  });

  it("an agent that uses nothing reaches nothing but name servers", () => {
    const alone = policiesOf(makeInstance(), makeAgent("echo"));
    expect(alone[0]?.spec.egress).toEqual([
      {
        ports: [
          { protocol: "UDP", port: 53 },
          { protocol: "TCP", port: 53 },
          { protocol: "UDP", port: 5353 },
          { protocol: "TCP", port: 5353 },
        ],
      },
    ]);
  });

  it("a vendor's own address, and the instance's proxy", () => {
    const agent = makeAgent("claude", { model: "anthropic.claude-opus-5" });
    const proxied = makeInstance({
      providers: [{ name: "anthropic" }],
      proxy: { https: "http://proxy.egress.svc:3128" },
    });
    const [direct, viaProxy] = [policiesOf(instance, agent), policiesOf(proxied, agent)];
    const vendor = outside("198.51.100.1");
    expect(mayReach(direct, agentPod("claude"), vendor, 443)).toBe(true);
    expect(mayReach(direct, agentPod("claude"), pod("egress"), 3128)).toBe(false);
    expect(mayReach(viaProxy, agentPod("claude"), pod("egress"), 3128)).toBe(true);
  });

  it("peers in to, of this agent or of agentDefaults", () => {
    const peer = [{ ipBlock: { cidr: "192.0.2.0/24" }, ports: [{ port: 5432 }, { port: 123, protocol: "UDP" }] }];
    const own = policiesOf(makeInstance(), makeAgent("echo", { networkPolicy: { to: peer } }));
    const shared = policiesOf(makeInstance({ agentDefaults: { networkPolicy: { to: peer } } }), makeAgent("echo"));
    expect(own).toEqual(shared);
    const reach = (port: number, protocol: "TCP" | "UDP") =>
      mayReach(own, agentPod("echo"), outside("192.0.2.1"), port, protocol);
    expect([reach(5432, "TCP"), reach(123, "UDP"), reach(123, "TCP")]).toEqual([true, true, false]);
  });
});

describe("SEC-5 what nothing may be sent to stays closed, whoever opens more", () => {
  const everywhere = [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "::/0" }, ports: [{ port: 443 }] }];
  const [own, shared] = [
    policiesOf(makeInstance(), makeAgent("echo", { networkPolicy: { to: everywhere } })),
    policiesOf(makeInstance({ agentDefaults: { networkPolicy: { to: everywhere } } }), makeAgent("echo")),
  ];

  it.each<[string, boolean]>([
    ["198.51.100.1", true],
    ["169.253.255.255", true],
    ["169.254.169.254", false],
    ["168.63.129.16", false],
    ["2001:db8::1", true],
    ["fe80::1", false],
    ["fd00:ec2::23", false],
    ["64:ff9b::a9fe:a9fe", false],
    ["2002:a9fe:a9fe::1", false],
  ])("%s: %s", (ip, expected) => {
    for (const policies of [own, shared]) expect(mayReach(policies, agentPod("echo"), outside(ip), 443)).toBe(expected);
  });

  it("and an author's own exceptions stay, each range but once", () => {
    const blocksOf = (cidr: string, except: string[]) =>
      policiesOf(makeInstance(), makeAgent("echo", { networkPolicy: { to: [{ ipBlock: { cidr, except } }] } }))
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
    expect(blocksOf("168.0.0.0/6", ["169.0.0.0/8", "168.63.129.0/30"])).toEqual([
      { cidr: "168.0.0.0/6", except: ["169.0.0.0/8", "168.63.129.0/30", "168.63.129.16/32"] },
    ]);
    expect(blocksOf("192.0.2.0/24", ["192.0.2.1/32"])).toEqual([{ cidr: "192.0.2.0/24", except: ["192.0.2.1/32"] }]);
    expect(blocksOf("192.0.2.0/24", [])).toEqual([{ cidr: "192.0.2.0/24" }]);
  });

  it("while callers from there are let in as they are written", () => {
    const policies = policiesOf(makeInstance(), makeAgent("echo", { networkPolicy: { from: everywhere } }));
    expect(mayReach(policies, outside("169.254.1.1"), agentPod("echo"), 8080)).toBe(true);
  });
});

describe("SEC-3 the policy itself", () => {
  it("is not there when it is switched off, for one agent or for all", () => {
    const off = { networkPolicy: { enabled: false } };
    expect(policiesOf(makeInstance(), makeAgent("echo", off))).toEqual([]);
    expect(policiesOf(makeInstance({ agentDefaults: off }), makeAgent("echo"))).toEqual([]);
    const on = makeAgent("echo", { networkPolicy: { enabled: true } });
    expect(policiesOf(makeInstance({ agentDefaults: off }), on)).toHaveLength(1);
  });

  it("OPR-2 changes with its callers, while the pods stay", () => {
    const [instance, agent] = [makeInstance(), makeAgent("research")];
    const before = childrenOf(agent, instance, []);
    const after = childrenOf(agent, instance, [makeAgent("lead", { agents: [{ name: "research" }] })]);
    expect(after.networkPolicy).not.toEqual(before.networkPolicy);
    expect(after.deployment).toEqual(before.deployment);
  });

  it("does not depend on the order in which callers were made", () => {
    const callers = ["zeta", "alpha"].map((name) => makeAgent(name, { agents: [{ name: "research" }] }));
    const rendered = [callers, callers.toReversed()].map(
      (others) => childrenOf(makeAgent("research"), makeInstance(), others).networkPolicy,
    );
    expect(rendered[0]).toEqual(rendered[1]);
  });
});
