// An agent that is given the registry of its gateway: whether it may, and what is in its configuration.
import { describe, expect, it } from "vitest";
import { checkManifests } from "./check.ts";
import { destinationsOf } from "./egress.ts";
import { resolveAgent, type Neighbourhood } from "./resolve.ts";
import { renderResolved } from "./resolved.ts";
import {
  agentManifestOf,
  instanceManifestOf,
  sampleAgent,
  sampleInstance,
  sampleNeighbourhood,
  sampleServer,
} from "./testing/resources.ts";
import { clusterPeerUrls } from "./urls.ts";

const agentWith = (tools?: object) => sampleAgent("a", { servers: [{ name: "registry", ...(tools && { tools }) }] });
const around = (spec: object, servers: string[] = [], faulty: string[] = []): Neighbourhood => ({
  ...sampleNeighbourhood(sampleInstance(spec), agentWith()),
  servers: {
    sound: new Map(servers.map((name) => [name, sampleServer(name, { remote: { url: "http://pallas/mcp" } })])),
    faulty: new Map(faulty.map((name) => [name, "is not valid"])),
  },
});
const resolvedOf = (of: Neighbourhood, agent = agentWith()) => renderResolved(agent, of, clusterPeerUrls("default"));
const urlsOf = (of: Neighbourhood) => resolvedOf(of).config.servers.map(({ url }) => url);

describe("DSC-1 an agent is given the registry of its gateway", () => {
  it("by a server of that name, without rules, since the gateway judges these", () => {
    const of = around({ gateway: {} });
    expect(resolveAgent(agentWith(), of)).toEqual([]);
    const { servers } = resolvedOf(of).config;
    expect(servers).toMatchObject([
      {
        name: "registry",
        registry: true,
        url: "http://ouranos-gateway.default.svc:24300/registry/mcp",
        headers: [],
        forwardInboundAuth: false,
      },
    ]);
    expect(resolvedOf(of, agentWith({ allow: ["memory__*"], deny: ["*__drop"] })).hash).toBe(resolvedOf(of).hash);
  });

  it("on the port of the gateway's Service", () => {
    expect(urlsOf(around({ gateway: { service: { port: 8443 } } }))).toEqual([
      "http://ouranos-gateway.default.svc:8443/registry/mcp",
    ]);
  });

  it("which opens nothing beside the gateway in its policy", () => {
    const of = around({ gateway: {} });
    expect(destinationsOf(resolvedOf(of).config, of.instance)).toEqual([]);
  });

  it("but a server of that name is the server", () => {
    const inline = { servers: [{ name: "registry", url: "http://own/mcp" }] };
    expect(urlsOf(around({ gateway: {}, ...inline }))).toEqual(["http://own/mcp"]);
    expect(urlsOf(around({ gateway: {} }, ["registry"]))).toEqual(["http://pallas/mcp"]);
    expect(urlsOf(around(inline))).toEqual(["http://own/mcp"]);
    expect(resolveAgent(agentWith(), around({ gateway: {} }, [], ["registry"]))).toMatchObject([
      { reason: "ServerNotAccepted" },
    ]);
  });

  it("and without a gateway it is told what to do", () => {
    expect(resolveAgent(agentWith(), around({}))).toEqual([
      {
        reason: "ServerNotFound",
        path: "spec.servers[0].name",
        message:
          'server "registry" does not exist, and instance "ouranos" has no gateway, whose registry it would be; set spec.gateway of the instance, or declare a server of that name',
      },
    ]);
    const check = (instance: object) =>
      checkManifests(
        [instance, agentManifestOf("a", { servers: [{ name: "registry" }] })].map((value) => ({ source: "", value })),
        { mode: "local" },
      ).problems;
    expect(check(instanceManifestOf())).toMatchObject([{ reason: "ServerNotFound" }]);
    expect(check(instanceManifestOf({ gateway: {} }))).toEqual([]);
  });

  it("and an agent of that name beside it is told apart", () => {
    const agent = sampleAgent("a", { servers: [{ name: "registry" }], agents: [{ name: "registry" }] });
    const of = sampleNeighbourhood(sampleInstance({ gateway: {} }), agent, sampleAgent("registry"));
    expect(resolveAgent(agent, of)).toMatchObject([
      { reason: "DuplicateName", message: expect.stringContaining("give the agent another name") },
    ]);
  });
});
