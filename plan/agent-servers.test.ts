// What an agent makes of the PallasServers that it names: whether it may, and what of them is in its configuration.
import { describe, expect, it } from "vitest";
import type { PallasServer } from "../crds/server.ts";
import { parseRunConfig } from "../crds/run-config.ts";
import { destinationsOf } from "./egress.ts";
import { judgeServers, serversAround } from "./judge.ts";
import { resolveAgent, type Neighbourhood } from "./resolve.ts";
import { renderResolved } from "./resolved.ts";
import { serialiseConfig } from "./run-config.ts";
import { defaultLimits, sampleAgent, sampleInstance, sampleNeighbourhood, sampleServer } from "./testing/resources.ts";
import { clusterPeerUrls } from "./urls.ts";

const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
const remote = { url: "https://mcp.tools.example/mcp" };
const secretHeaders = [{ name: "X-Key", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } }];
const instance = sampleInstance({ servers: [{ name: "argos", url: "http://argos/mcp" }] });

const aroundOf = (servers: PallasServer[], unreadable?: Map<string, string>, of = instance): Neighbourhood => ({
  ...sampleNeighbourhood(of, sampleAgent("research"), sampleAgent("deep-memory")),
  servers: serversAround(judgeServers(of, servers, new Set(), { mode: "cluster", ...defaultLimits }), unreadable),
});
const using = (name: string, rest: object = {}) => sampleAgent("research", { servers: [{ name, ...rest }] });
const problemsOf = (around: Neighbourhood, name: string) => resolveAgent(using(name), around);
const configOf = (server: PallasServer, rest: object = {}) => {
  const name = server.spec.serverName ?? server.metadata.name;
  return renderResolved(using(name, rest), aroundOf([server]), clusterPeerUrls("default")).config;
};

describe("DSC-6 an agent names a PallasServer as it names a server of its instance", () => {
  it("by its serverName, else by its name", () => {
    const around = aroundOf([sampleServer("memory", npm), sampleServer("m2", { ...npm, serverName: "graph.v2" })]);
    expect(["argos", "memory", "graph.v2"].flatMap((name) => problemsOf(around, name))).toEqual([]);
    expect(problemsOf(around, "m2")).toEqual([
      {
        reason: "ServerNotFound",
        path: "spec.servers[0].name",
        message: 'server "m2" does not exist; instance "ouranos" has the servers "argos", "memory", "graph.v2"',
      },
    ]);
  });

  it("one that is not started among them", () => {
    expect(problemsOf(aroundOf([sampleServer("memory", { ...npm, active: false })]), "memory")).toEqual([]);
  });

  it("a faulty one is no server, and the agent says which it is and why", () => {
    const around = aroundOf([sampleServer("m", { local: { command: "node" }, serverName: "memory" })]);
    expect(problemsOf(around, "memory")).toEqual([
      {
        reason: "ServerNotAccepted",
        path: "spec.servers[0].name",
        message: expect.stringContaining(
          'server "memory" is PallasServer "m", which is not valid: spec.local: is a program of one machine',
        ),
      },
    ]);
  });

  it("so is one that cannot be read", () => {
    const problems = problemsOf(aroundOf([], new Map([["memory", "m"]])), "memory");
    expect(problems).toMatchObject([
      { reason: "ServerNotAccepted", message: expect.stringContaining('PallasServer "m", which cannot be read') },
    ]);
  });

  it("of two that want one name, whoever has it serves its agents", () => {
    const early = sampleServer("b", { ...npm, serverName: "memory" }, { creationTimestamp: "2026-01-01T00:00:00Z" });
    const late = sampleServer("memory", { remote }, { creationTimestamp: "2026-01-02T00:00:00Z" });
    for (const both of [
      [early, late],
      [late, early],
    ]) {
      const around = aroundOf(both);
      expect(problemsOf(around, "memory")).toEqual([]);
      expect(around.servers?.sound.get("memory")).toBe(early);
    }
  });

  it("a server of the instance's own spec keeps its name", () => {
    const around = aroundOf([sampleServer("argos", npm)]);
    expect(problemsOf(around, "argos")).toEqual([]);
    const { config } = renderResolved(using("argos"), around, clusterPeerUrls("default"));
    expect(config.servers.map(({ url }) => url)).toEqual(["http://argos/mcp"]);
  });

  it("AGT-1 its tools have another prefix than an agent's", () => {
    const around = aroundOf([sampleServer("m", { ...npm, serverName: "deep_memory" })]);
    const agent = sampleAgent("research", { servers: [{ name: "deep_memory" }], agents: [{ name: "deep-memory" }] });
    expect(resolveAgent(agent, around)).toMatchObject([
      { reason: "DuplicateName", message: expect.stringContaining("set another serverName on it") },
    ]);
  });
});

describe("DSC-6 what an agent runs on of a PallasServer", () => {
  const tools = { allow: ["read_*"], deny: ["read_all"] };

  it("of one behind a bridge: the bridge's URL, and the agent's own rules", () => {
    const config = configOf(sampleServer("memory", { ...npm, tools, timeout: "5s" }), { tools: { allow: ["a"] } });
    expect(config.servers).toEqual([
      {
        name: "memory",
        url: "http://memory-server.default.svc:8080/mcp",
        prefix: "memory",
        headers: [],
        forwardInboundAuth: false,
        instructions: true,
        timeoutMs: 5000,
        allow: ["a"],
        deny: [],
      },
    ]);
  });

  it("of one that is called directly: its URL and headers, and what it offers beside the agent's own rules", () => {
    const headers = [{ name: "X-Team", value: "blue" }];
    const server = sampleServer("memory", { remote: { ...remote, headers, forwardInboundAuth: true }, tools });
    const config = configOf(server, { tools: { deny: ["b"] } });
    expect(config.servers).toMatchObject([
      { url: remote.url, headers, forwardInboundAuth: true, timeoutMs: 60_000, allow: [], deny: ["b"], offered: tools },
    ]);
    expect(parseRunConfig(serialiseConfig(config))).toEqual(config);
  });

  it("of one with a secret: nothing of the secret", () => {
    const [server] = configOf(sampleServer("memory", { remote: { ...remote, headers: secretHeaders } })).servers;
    expect(server).toMatchObject({ url: "http://memory-server.default.svc:8080/mcp", headers: [] });
    expect(JSON.stringify(server)).not.toContain("keys");
  });

  it.each<[string, object]>([
    ["its title", { title: "Memory" }],
    ["its description and tags", { description: "x", tags: ["a"] }],
    ["whether it is started", { active: false }],
    ["whether it is listed", { listed: true }],
    ["its version", { package: { ...npm.package, version: "2.0.0" } }],
    ["its variables", { env: [{ name: "A", value: "1" }] }],
    ["its processes", { sessions: { max: 2 } }],
    ["where it may go", { egress: [{ host: "a.example" }] }],
    ["what its bridge offers", { tools }],
    ["its resources and pod", { resources: { limits: { memory: "2Gi" } }, pod: { nodeSelector: { a: "b" } } }],
    ["how it is pinned", { pin: "block" }],
  ])("OPR-2 an edit of %s changes no byte of it", (_, change) => {
    const before = serialiseConfig(configOf(sampleServer("memory", npm)));
    expect(serialiseConfig(configOf(sampleServer("memory", { ...npm, ...change })))).toBe(before);
  });

  it.each<[string, object, object]>([
    ["the deadline of its calls", npm, { timeout: "5s" }],
    ["its URL", { remote }, { remote: { url: "https://other.example/mcp" } }],
    ["what it offers when called directly", { remote }, { tools }],
    ["the way to it", { remote }, { remote: { ...remote, headers: secretHeaders } }],
  ])("OPR-2 an edit of %s changes it", (_, spec, change) => {
    const before = serialiseConfig(configOf(sampleServer("memory", spec)));
    expect(serialiseConfig(configOf(sampleServer("memory", { ...spec, ...change })))).not.toBe(before);
  });

  it("SEC-3 it may connect to the bridge, and where it calls directly", () => {
    expect(destinationsOf(configOf(sampleServer("memory", npm)), instance)).toEqual([
      { kind: "namespace", namespace: "default" },
    ]);
    expect(destinationsOf(configOf(sampleServer("memory", { remote })), instance)).toEqual([
      { kind: "outside", port: 443 },
    ]);
  });
});
