import { describe, expect, it } from "vitest";
import { parseBridgeConfig } from "../crds/bridge-config.ts";
import { bridgeFiles, resolveServer } from "./server.ts";
import { serialiseConfig } from "./run-config.ts";
import { sampleInstance, sampleServer } from "./testing/resources.ts";

const bridgeUrl = "http://memory-server.default.svc:8080/mcp";
const resolved = (spec: object, instance: object = {}) =>
  resolveServer(sampleServer("memory", spec), sampleInstance(instance), bridgeUrl);
const bridgeOf = (spec: object, instance: object = {}) => {
  const { bridge } = resolved(spec, instance);
  if (bridge === undefined) throw new Error("expected a bridge, found none");
  return bridge;
};
const targetOf = (published: object) => bridgeOf({ package: published }).config.target;
const commandOf = (published: object) => {
  const target = targetOf(published);
  return target.kind === "command" ? target.command : undefined;
};
const secretKeyRef = { name: "keys", key: "token" };
const npm = { kind: "npm", name: "@acme/server-memory", version: "1.2.3" };
const pypi = { kind: "pypi", name: "mcp-server-time", version: "2026.1" };

describe("DSC-6 how a package is run", () => {
  it.each<[string, object, string[]]>([
    ["pypi", { ...pypi, args: ["--zone", "UTC"] }, ["uvx", "mcp-server-time==2026.1", "--zone", "UTC"]],
    [
      "pypi with a program of another name",
      { ...pypi, command: "mcp-time" },
      ["uvx", "--from", "mcp-server-time==2026.1", "mcp-time"],
    ],
    [
      "pypi with requirements",
      { ...pypi, with: ["mcp<2", "anyio>=4,<5"] },
      ["uvx", "--with", "mcp<2", "--with", "anyio>=4,<5", "mcp-server-time==2026.1"],
    ],
    ["pypi in its latest version", { kind: "pypi", name: "mcp-server-git" }, ["uvx", "mcp-server-git"]],
  ])("of %s", (_, published, command) => {
    expect(commandOf(published)).toEqual(command);
  });

  it("of npm: installed by the bridge in the version that is named, its program named where it is another", () => {
    const { name, version } = npm;
    expect(targetOf({ ...npm, args: ["--a", "b c"] })).toEqual({
      kind: "npm",
      package: { name, version },
      args: ["--a", "b c"],
      env: [],
    });
    expect(targetOf({ ...npm, command: "mem" })).toMatchObject({
      package: { name, version, program: "mem" },
      args: [],
    });
    expect(targetOf({ kind: "npm", name: "server-x" })).toMatchObject({ package: { name: "server-x" } });
  });
});

describe("DSC-6 a server elsewhere", () => {
  const remote = { url: "https://tools.example/mcp", forwardInboundAuth: true };

  it("without secrets is called directly, with its headers", () => {
    const headers = [{ name: "X-Team", value: "blue" }];
    const { address, bridge, kind } = resolved({ remote: { ...remote, headers } });
    expect(address).toEqual({ url: remote.url, headers, forwardInboundAuth: true });
    expect([kind, bridge]).toEqual(["remote", undefined]);
  });

  it("with one is called through a bridge, which alone has it and sends on the caller's token", () => {
    const headers = [
      { name: "X-Team", value: "blue" },
      { name: "X-Key", valueFrom: { secretKeyRef } },
    ];
    const { address, bridge } = resolved({ remote: { ...remote, headers } });
    expect(address).toEqual({ url: bridgeUrl, headers: [], forwardInboundAuth: true });
    expect(bridge?.config.target).toEqual({
      kind: "remote",
      url: remote.url,
      headers: [
        { name: "X-Team", value: "blue" },
        { name: "X-Key", secret: secretKeyRef },
      ],
      forwardInboundAuth: true,
    });
  });
});

describe("DSC-6 an image", () => {
  const spec = {
    container: { image: "registry.example/memory:1", command: ["/memory"], args: ["-v"] },
    env: [
      { name: "MODE", value: "rw" },
      { name: "TOKEN", valueFrom: { secretKeyRef } },
    ],
  };

  it("has its variables and Secrets in its own container, and nothing of them in the bridge's file", () => {
    const { config, container, resources } = bridgeOf({ ...spec, resources: { limits: { memory: "2Gi" } } });
    expect(container).toEqual({
      image: "registry.example/memory:1",
      command: ["/memory"],
      args: ["-v"],
      env: [
        { name: "MODE", value: "rw" },
        { name: "TOKEN", secret: secretKeyRef },
      ],
      resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "2Gi" } },
    });
    expect(config.target).toEqual({ kind: "pipes", folder: "/var/run/pallas/pipes" });
    expect(bridgeFiles(config)).toEqual([]);
    expect(serialiseConfig(config)).not.toContain("TOKEN");
    expect(resources).toEqual({ requests: { cpu: "25m", memory: "64Mi" }, limits: { memory: "256Mi" } });
  });
});

describe("DSC-6 the file of a bridge", () => {
  it("has the defaults that the schema's descriptions name, and is read as it was written", () => {
    const { config, resources, pod } = bridgeOf({ package: npm });
    expect(config).toEqual({
      schema: 1,
      server: { name: "memory", namespace: "default", instance: "ouranos", version: "1.0.0" },
      target: { kind: "npm", package: { name: "@acme/server-memory", version: "1.2.3" }, args: [], env: [] },
      sessions: { processes: "perSession", max: 16, idleTtlMs: 600_000 },
      tools: { allow: [], deny: [] },
      timeoutMs: 60_000,
      ports: { http: 8080, admin: 9090 },
      http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 32 * 2 ** 20 },
      drainTimeoutMs: 600_000,
      logLevel: "INFO",
    });
    expect(parseBridgeConfig(serialiseConfig(config))).toEqual(config);
    expect(resources).toEqual({ requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "1Gi" } });
    expect(pod).toEqual({ labels: {}, annotations: {}, nodeSelector: {} });
  });

  it("has what was written in their place, and what its instance says", () => {
    const { name, address, tools, timeoutMs, bridge } = resolved(
      {
        serverName: "graph.v2",
        local: { command: "node", args: ["server.js"], cwd: "tools" },
        env: [{ name: "A", value: "1" }],
        sessions: { processes: "shared", max: 2, idleTtl: "30s" },
        tools: { allow: ["read_*"], deny: ["read_all"] },
        timeout: "5s",
        resources: { limits: { memory: "128Mi" } },
        pod: { nodeSelector: { zone: "a" } },
      },
      {
        version: "2.0.0",
        logLevel: "DEBUG",
        http: { allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"] },
      },
    );
    expect([name, timeoutMs, tools]).toEqual(["graph.v2", 5000, { allow: ["read_*"], deny: ["read_all"] }]);
    expect(address).toEqual({ url: bridgeUrl, headers: [], forwardInboundAuth: false });
    expect(bridge?.config).toMatchObject({
      server: { name: "graph.v2", resource: "memory", version: "2.0.0" },
      target: { command: ["node", "server.js"], cwd: "tools", env: [{ name: "A", value: "1" }] },
      sessions: { processes: "shared", max: 2, idleTtlMs: 30_000 },
      tools: { allow: ["read_*"], deny: ["read_all"] },
      timeoutMs: 5000,
      // A sixteenth of its memory.
      http: { allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"], bodyLimitBytes: 8 * 2 ** 20 },
      logLevel: "DEBUG",
    });
    expect(bridge?.pod.nodeSelector).toEqual({ zone: "a" });
  });

  it("names the resource only where agents know it by another name", () => {
    expect(bridgeOf({ package: npm }).config.server).not.toHaveProperty("resource");
    expect(bridgeOf({ package: npm, serverName: "memory" }).config.server).not.toHaveProperty("resource");
  });

  it("names each key of a Secret once", () => {
    const env = ["A", "B"].map((name) => ({ name, valueFrom: { secretKeyRef } }));
    expect(bridgeFiles(bridgeOf({ package: npm, env }).config)).toEqual([secretKeyRef]);
    const headers = [{ name: "X", valueFrom: { secretKeyRef } }];
    expect(bridgeFiles(bridgeOf({ remote: { url: "https://a.example", headers } }).config)).toEqual([secretKeyRef]);
  });

  it("has the hash of what it says: the same while nothing of it changes", () => {
    const plain = bridgeOf({ package: npm });
    expect(bridgeOf({ package: npm, title: "Memory", listed: true, tags: ["a"] }).hash).toBe(plain.hash);
    expect(bridgeOf({ package: { ...npm, version: "1.2.4" } }).hash).not.toBe(plain.hash);
  });
});
