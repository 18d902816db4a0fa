import { describe, expect, it } from "vitest";
import type { PallasServer } from "../crds/server.ts";
import { serversByName } from "./accept-server.ts";
import { judgeServers } from "./judge.ts";
import type { Rules } from "./rules.ts";
import { defaultLimits, sampleInstance, sampleServer } from "./testing/resources.ts";
import { formatProblem } from "./validation-error.ts";

const nobody = new Set<string>();
const cluster: Rules = { mode: "cluster", ...defaultLimits };
const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
const container = { container: { image: "registry.example/tools/memory:1", command: ["/memory"] } };

const judged = (spec: object, rules: Rules = cluster, instance = sampleInstance()) =>
  [...judgeServers(instance, [sampleServer("memory", spec)], nobody, rules).values()].flat();
const told = (...args: Parameters<typeof judged>) => judged(...args).map(formatProblem);
const places = (...args: Parameters<typeof judged>) => judged(...args).map(({ reason, path }) => [reason, path]);
const secret = { secretKeyRef: { name: "keys", key: "token" } };

describe("DSC-6 a sound tool server", () => {
  it.each<[string, object]>([
    ["of a package", { ...npm, env: [{ name: "TOKEN", valueFrom: secret }], egress: [{ host: "api.example.com" }] }],
    ["elsewhere", { remote: { url: "https://tools.example/mcp", headers: [{ name: "X-Key", valueFrom: secret }] } }],
    ["at an address", { ...npm, egress: [{ host: "10.0.0.7", port: 80 }, { host: "2001:db8::7" }] }],
  ])("%s has no problems", (_, spec) => {
    expect(told(spec)).toEqual([]);
  });
});

describe("DSC-6 what a cluster or a machine cannot run is refused there", () => {
  it("a program of one machine in a cluster, with the cure", () => {
    const spec = { local: { command: "node" } };
    expect(places(spec)).toEqual([["LocalOnly", "spec.local"]]);
    expect(told(spec)[0]).toContain("use package or container, or remote");
    expect(told(spec, { mode: "local" })).toEqual([]);
  });

  it("an image in local mode, with the cure", () => {
    expect(places(container, { mode: "local" })).toEqual([["InvalidField", "spec.container"]]);
    expect(told(container, { mode: "local" })[0]).toContain("name its URL in remote");
  });
});

describe("CFG-6 placeholders of a tool server are for local mode only", () => {
  it.each<[string, object, string]>([
    ["its URL", { remote: { url: "${BASE}/mcp" } }, "spec.remote.url"],
    [
      "a header",
      { remote: { url: "http://a.example", headers: [{ name: "X", value: "${KEY}" }] } },
      "spec.remote.headers[0].value",
    ],
    ["a variable", { ...npm, env: [{ name: "A", value: "x${KEY}" }] }, "spec.env[0].value"],
  ])("in %s", (_, spec, path) => {
    expect(places(spec)).toEqual([["PlaceholderInCluster", path]]);
    expect(told(spec, { mode: "local" })).toEqual([]);
  });

  it("an argument is taken as it is written", () => {
    expect(told({ package: { ...npm.package, args: ["${KEY}"] } })).toEqual([]);
  });
});

describe("SEC-5 a tool server leads nowhere nobody may go", () => {
  it.each<[object, string]>([
    [{ remote: { url: "http://169.254.169.254/mcp" } }, "spec.remote.url"],
    [{ remote: { url: "http://metadata.google.internal/mcp" } }, "spec.remote.url"],
    [{ remote: { url: "http://a.example:99999/mcp" } }, "spec.remote.url"],
    [{ remote: { url: "http://a.example", headers: [{ name: "hOst", value: "b" }] } }, "spec.remote.headers[0].name"],
    [{ ...npm, egress: [{ host: "a.example" }, { host: "169.254.169.254" }] }, "spec.egress[1].host"],
    [{ ...npm, egress: [{ host: "fd00:ec2::254" }] }, "spec.egress[0].host"],
    [{ ...npm, egress: [{ host: "metadata.google.internal" }] }, "spec.egress[0].host"],
    [{ ...npm, egress: [{ host: "1::2::3" }] }, "spec.egress[0].host"],
  ])("%j", (spec, path) => {
    expect(places(spec)).toEqual([["InvalidField", path]]);
  });
});

describe("SEC-2 what authors of a tool server may set", () => {
  it("an image only from the repositories that are allowed, and none where none is", () => {
    expect(places(container)).toEqual([["InvalidField", "spec.container.image"]]);
    expect(told(container)[0]).toContain("PALLAS_ALLOWED_IMAGES");
    expect(told(container, { ...cluster, allowedImages: ["registry.example/tools"] })).toEqual([]);
    expect(places(container, { ...cluster, allowedImages: ["registry.example/tool"] })).toHaveLength(1);
  });

  it("of its pod what an agent's author may", () => {
    const pod = { labels: { team: "a" }, annotations: { note: "b" }, priorityClassName: "high" };
    expect(places({ ...npm, pod })).toEqual([
      ["InvalidField", "spec.pod.labels"],
      ["InvalidField", "spec.pod.annotations"],
      ["InvalidField", "spec.pod.priorityClassName"],
    ]);
    const seccomp = { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } };
    expect(places({ ...npm, pod: seccomp }, { mode: "cluster" })).toEqual([["InvalidField", "spec.pod.annotations"]]);
  });

  it("no key of a Secret that would be a folder", () => {
    const valueFrom = { secretKeyRef: { name: "keys", key: ".." } };
    expect(places({ ...npm, env: [{ name: "A", valueFrom }] })).toEqual([
      ["InvalidField", "spec.env[0].valueFrom.secretKeyRef.key"],
    ]);
    expect(places({ remote: { url: "http://a.example", headers: [{ name: "A", valueFrom }] } })).toEqual([
      ["InvalidField", "spec.remote.headers[0].valueFrom.secretKeyRef.key"],
    ]);
  });

  it("no request above its limit", () => {
    const resources = { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } };
    expect(places({ ...npm, resources })).toEqual([["InvalidField", "spec.resources.requests.memory"]]);
  });
});

describe("DSC-6 variables that Pallas sets", () => {
  const named = (name: string) => ({ env: [{ name, value: "/x" }] });
  it.each(["HOME", "TMPDIR", "XDG_CACHE_HOME", "npm_config_cache", "NPM_CONFIG_CACHE", "UV_CACHE_DIR", "UV_TOOL_DIR"])(
    "%s is refused of a package and an image",
    (name) => {
      const rules: Rules = { mode: "cluster" };
      expect(places({ ...npm, ...named(name) }, rules)).toEqual([["InvalidField", "spec.env[0].name"]]);
      expect(places({ ...container, ...named(name) }, rules)).toEqual([["InvalidField", "spec.env[0].name"]]);
    },
  );

  it("PATH is refused of a package, whose runner is found by it, and may be set of an image", () => {
    expect(places({ ...npm, ...named("PATH") })).toEqual([["InvalidField", "spec.env[0].name"]]);
    expect(told({ ...container, ...named("PATH") }, { mode: "cluster" })).toEqual([]);
  });

  it.each(["NPM_CONFIG_REGISTRY", "UV_DEFAULT_INDEX", "NODE_OPTIONS", "HOMEPAGE", "MY_HOME"])("%s is free", (name) => {
    expect(told({ ...npm, ...named(name) })).toEqual([]);
  });

  it("all are free of a program of one's own machine", () => {
    expect(told({ local: { command: "node" }, ...named("HOME") }, { mode: "local" })).toEqual([]);
  });
});

describe("DSC-6 the name of a tool server is its own in the instance", () => {
  const made = (name: string, creationTimestamp: string, spec: object = {}): PallasServer =>
    sampleServer(name, { ...npm, ...spec }, { creationTimestamp });
  const refused = (...servers: PallasServer[]) =>
    [...judgeServers(sampleInstance(), servers, nobody, cluster)].flatMap(([{ metadata }, problems]) =>
      problems.map(({ reason, path }) => [metadata.name, reason, path]),
    );

  it("the earlier one keeps it, whatever the order they come in", () => {
    const early = made("b", "2026-01-01T00:00:00Z", { serverName: "memory" });
    const late = made("memory", "2026-01-02T00:00:00Z");
    for (const both of [
      [early, late],
      [late, early],
    ]) {
      expect(refused(...both)).toEqual([["memory", "DuplicateName", "metadata.name"]]);
    }
    expect(serversByName([late, early]).get("memory")).toBe(early);
  });

  it("of one moment the first by name", () => {
    const at = "2026-01-01T00:00:00Z";
    const [a, b] = [made("a", at, { serverName: "memory" }), made("b", at, { serverName: "memory" })];
    expect(refused(b, a)).toEqual([["b", "DuplicateName", "spec.serverName"]]);
  });

  it("is neither the name nor the prefix of one in spec.servers of the instance", () => {
    const url = "http://a.example/mcp";
    const instance = sampleInstance({
      servers: [
        { name: "memory", url },
        { name: "x", prefix: "graph", url },
      ],
    });
    expect(told(npm, cluster, instance)).toEqual([
      'metadata.name: instance "ouranos" has a server "memory" in spec.servers already; set another spec.serverName, or remove one of the two',
    ]);
    expect(told({ ...npm, serverName: "graph" }, cluster, instance)).toEqual([
      'spec.serverName: instance "ouranos" has the prefix "graph", of its server "x" in spec.servers already; set another spec.serverName, or remove one of the two',
    ]);
    expect(told({ ...npm, serverName: "x2" }, cluster, instance)).toEqual([]);
  });

  it("gives its pods no name that an agent of the instance has", () => {
    const judge = (agents: string[]) =>
      [...judgeServers(sampleInstance(), [sampleServer("memory", npm)], new Set(agents), cluster).values()].flat();
    expect(judge(["memory"])).toEqual([]);
    expect(judge(["memory-server"])).toMatchObject([{ reason: "DuplicateName", path: "metadata.name" }]);
  });
});
