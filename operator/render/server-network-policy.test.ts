// Who may reach a tool server's pods, and whom these may reach, asked of a simulator over pairs of pods.
import { describe, expect, it } from "vitest";
import { labels } from "../../crds/names.ts";
import { judgeServers, serversAround } from "../../plan/judge.ts";
import { renderAgentChildren } from "./agent-children.ts";
import { renderGatewayChildren } from "./gateway-children.ts";
import { renderServerChildren } from "./server-children.ts";
import { mayReach, type Endpoint, type Policy } from "./testing/policy-simulator.ts";
import {
  around,
  makeAgent,
  makeInstance,
  makeServer,
  releaseImages,
  releaseRules,
  resolved,
} from "./testing/resources.ts";

let pods = 0;
const pod = (namespace: string, its: Record<string, string> = {}): Endpoint => ({
  namespace,
  labels: its,
  ip: `10.1.0.${(pods += 1)}`,
});
const member = (component: string, name?: string, instance = "ouranos", namespace = "agents") =>
  pod(namespace, {
    [labels.instance]: instance,
    [labels.component]: component,
    ...(name === undefined ? {} : { [component === "server" ? labels.server : labels.agent]: name }),
  });
const outside = (ip: string): Endpoint => ({ ip });

const packaged = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
const monitoring = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };

/** Of the instance's gateway, of the servers `memory` and `files`, and of the agents `user`, which names `memory` alone, and `idle`. */
function policies(
  spec: object = packaged,
  instanceSpec: object = { gateway: {} },
  others = [makeAgent("idle")],
): Policy[] {
  const instance = makeInstance(instanceSpec);
  const servers = [makeServer("memory", spec), makeServer("files", packaged)];
  const agents = [makeAgent("user", { servers: [{ name: "memory" }] }), ...others];
  const found = serversAround(judgeServers(instance, servers, { has: () => false }, releaseRules));
  const neighbourhood = { ...around(instance, ...agents), servers: found };
  const rendered = [
    ...servers.map((server) =>
      renderServerChildren(resolved(server, instance), releaseImages, {
        callers: agents
          .filter(({ spec: { servers: named = [] } }) => named.some(({ name }) => name === server.metadata.name))
          .map(({ metadata }) => metadata.name),
        metricsFrom: [monitoring],
      }),
    ),
    ...agents.map((agent) => renderAgentChildren(agent, neighbourhood, releaseImages)),
    renderGatewayChildren(instance, releaseImages, releaseRules, [443], [], found.sound.values()),
  ];
  return rendered.flatMap((children) => children?.networkPolicy ?? []);
}

const memory = member("server", "memory");
const files = member("server", "files");
const user = member("agent", "user");
const gateway = member("gateway");
const operator = pod("pallas-system", { "app.kubernetes.io/name": "pallas-operator" });

describe("SEC-3 who may reach a tool server", () => {
  it.each<[string, Endpoint, [mcp: boolean, admin: boolean]]>([
    ["an agent that names it", user, [true, false]],
    ["an agent that does not", member("agent", "idle"), [false, false]],
    ["its instance's gateway", gateway, [true, true]],
    ["an agent of another instance", member("agent", "user", "gaia"), [false, false]],
    ["an agent of that name in another namespace", member("agent", "user", "ouranos", "other"), [false, false]],
    ["the gateway of another instance", member("gateway", undefined, "gaia"), [false, false]],
    ["the operator, wherever it is", operator, [false, true]],
    ["who reads metrics", pod("monitoring"), [false, true]],
    ["another server", files, [false, false]],
    ["a pod labelled as client", pod("agents", { [labels.client]: "true" }), [false, false]],
    ["an address outside", outside("203.0.113.7"), [false, false]],
  ])("%s: %s", (_who, from, expected) => {
    const all = policies();
    expect([8080, 9090].map((port) => mayReach(all, from, memory, port))).toEqual(expected);
    expect(mayReach(all, from, memory, 22)).toBe(false);
  });

  it("is decided at the server too: an agent that may go everywhere reaches none that it does not name", () => {
    const open = [makeAgent("idle", { networkPolicy: { enabled: false } })];
    const all = policies(packaged, { gateway: {} }, open);
    expect(mayReach(all, member("agent", "idle"), pod("agents"), 8080)).toBe(true);
    expect(mayReach(all, member("agent", "idle"), memory, 8080)).toBe(false);
    expect(mayReach(all, user, memory, 8080)).toBe(true);
  });

  it("is nobody where no agent names it and there is no gateway", () => {
    const all = policies(packaged, {});
    for (const from of [user, gateway, outside("203.0.113.7")]) expect(mayReach(all, from, files, 8080)).toBe(false);
    expect(mayReach(all, user, memory, 8080)).toBe(true);
    expect(mayReach(all, operator, files, 9090)).toBe(true);
  });

  it("is no more than the servers that an agent names: nothing else of its namespace opens", () => {
    const all = policies();
    expect(mayReach(all, user, files, 8080)).toBe(false);
    expect(mayReach(all, user, pod("agents"), 8080)).toBe(false);
  });
});

describe("SEC-3 whom a tool server may reach", () => {
  const reaches = (spec: object, to: Endpoint, port: number) => mayReach(policies(spec), memory, to, port);
  const image = { container: { image: "tools.example/a:1", command: ["/server"] } };

  it("is nobody but what it declares, and for a package where that comes from", () => {
    expect(reaches(image, outside("203.0.113.9"), 443)).toBe(false);
    expect(reaches(packaged, outside("203.0.113.9"), 443)).toBe(true);
    expect(reaches({ ...image, egress: [{ host: "203.0.113.9", port: 5432 }] }, outside("203.0.113.9"), 5432)).toBe(
      true,
    );
    expect(reaches({ ...image, egress: [{ host: "203.0.113.9", port: 5432 }] }, outside("203.0.113.8"), 5432)).toBe(
      false,
    );
    for (const to of [user, gateway, files, pod("agents")]) expect(reaches(packaged, to, 8080)).toBe(false);
  });

  it("is never a metadata service, whatever it declares", () => {
    const egress = [{ host: "anything.example.com", port: 80 }];
    expect(reaches({ ...image, egress }, outside("203.0.113.9"), 80)).toBe(true);
    expect(reaches({ ...image, egress }, outside("169.254.169.254"), 80)).toBe(false);
  });
});

describe("SEC-3 a remote server that is called directly", () => {
  const remote = { remote: { url: "http://203.0.113.9:8000/mcp" } };

  it("is reached by the agents that name it and by the gateway, without a pod of its own", () => {
    const all = policies(remote);
    const reached = [user, gateway, member("agent", "idle")].map((from) =>
      mayReach(all, from, outside("203.0.113.9"), 8000),
    );
    expect(reached).toEqual([true, true, false]);
  });
});
