import { describe, expect, it } from "vitest";
import type { PallasServer } from "../crds/server.ts";
import { parseGatewayConfig } from "../crds/gateway-config.ts";
import { gatewayDestinations } from "./egress.ts";
import { resolveGateway, gatewayFiles } from "./gateway.ts";
import { serialiseConfig } from "./run-config.ts";
import { sampleInstance, sampleServer } from "./testing/resources.ts";

const metadata = { namespace: "agents" };
const resolved = (gateway: object, spec: object = {}) => {
  const found = resolveGateway(sampleInstance({ ...spec, gateway }, metadata));
  if (!found) throw new Error("expected a gateway, found none");
  return found;
};
const tokenFrom = (key: string) => ({ secretKeyRef: { name: "tokens", key } });

describe("MGM-1 what a gateway runs on", () => {
  it("is nothing where the instance has none", () => {
    expect(resolveGateway(sampleInstance())).toBeUndefined();
  });

  it("has every default filled in", () => {
    expect(resolved({})).toMatchObject({
      replicas: 1,
      service: { type: "ClusterIP", port: 24_300 },
      resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
      config: {
        instance: { name: "ouranos", namespace: "agents" },
        audience: "pallas:agents/ouranos",
        management: "approve",
        access: [],
        ports: { http: 24_300, admin: 9090 },
        http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 32 * 2 ** 20 },
        drainTimeoutMs: 600_000,
        logLevel: "INFO",
      },
    });
  });

  it("keeps the order of access, with all agents and servers where none are named", () => {
    const access = [
      { role: "approver", serviceAccount: { name: "on-call" } },
      { role: "viewer", claim: { name: "groups", value: "blue" }, agents: ["research-*"], servers: [] },
      { agent: "clerk", tokenFrom: tokenFrom("clerk") },
    ];
    expect(resolved({ access }).config.access).toEqual([
      { who: { serviceAccount: "on-call" }, as: { role: "approver", agents: ["*"], servers: ["*"] } },
      {
        who: { claim: { name: "groups", value: "blue" } },
        as: { role: "viewer", agents: ["research-*"], servers: [] },
      },
      { who: { tokens: { name: "tokens", key: "clerk" } }, as: { agent: "clerk" } },
    ]);
  });

  it("UI-1 has people sign in at the dashboard with the issuer only where the instance says so, always with openid", () => {
    const signIn = (oidc: object) => resolved({ ui: { oidc } }).config.ui;
    expect(signIn({ clientId: "pallas" })).toEqual({ oidc: { clientId: "pallas", scopes: ["openid"] } });
    expect(signIn({ clientId: "pallas", scopes: ["groups", "openid"] })).toEqual({
      oidc: { clientId: "pallas", scopes: ["openid", "groups"] },
    });
    expect(resolved({ ui: {} }).config).toEqual(resolved({}).config);
    const { config } = resolved({ ui: { oidc: { clientId: "pallas" } } });
    expect(parseGatewayConfig(serialiseConfig(config)).ui).toEqual(config.ui);
  });

  it("DSC-11 keeps arguments of calls only where the instance says so", () => {
    expect(resolved({ log: { arguments: "redacted" } }).config.log).toEqual({ arguments: "redacted" });
    for (const log of [{}, { arguments: "off" }]) expect(resolved({ log }).config).toEqual(resolved({}).config);
    expect(parseGatewayConfig(serialiseConfig(resolved({ log: { arguments: "redacted" } }).config)).log).toEqual({
      arguments: "redacted",
    });
  });

  it("DSC-7 names where it browses and what it pins, and nothing of it where nothing is set", () => {
    const sources = [{ name: "packages", kind: "npm", url: "https://npm.example.com" }];
    const written = resolved({ browse: { sources }, pinnedTools: ["memory__read_graph"] }).config;
    expect(written).toMatchObject({ browse: { sources }, pinnedTools: ["memory__read_graph"] });
    expect(parseGatewayConfig(serialiseConfig(written))).toEqual(written);
    for (const nothing of [{ browse: {} }, { browse: { sources: [] } }, { pinnedTools: [] }]) {
      expect(resolved(nothing).config).toEqual(resolved({}).config);
    }
  });

  it("DSC-3 compares by the table that it brings, by words alone, or by an endpoint with its key in a file", () => {
    const of = (embeddings: object) => resolved({ embeddings }).config;
    expect(of({ kind: "static" })).toEqual(resolved({}).config);
    expect(of({ kind: "none" }).embeddings).toEqual({ kind: "none" });
    const endpoint = { kind: "openai", baseUrl: "http://models.ai.svc/v1", model: "embed-small" };
    const withKey = of({ ...endpoint, apiKey: tokenFrom("embeddings") });
    expect(of(endpoint).embeddings).toEqual(endpoint);
    expect(withKey.embeddings).toEqual({ ...endpoint, apiKey: { name: "tokens", key: "embeddings" } });
    expect(parseGatewayConfig(serialiseConfig(withKey))).toEqual(withKey);
    expect(gatewayFiles(withKey)).toEqual([{ name: "tokens", key: "embeddings" }]);
    expect(gatewayFiles(of(endpoint))).toEqual([]);
  });

  it("reads back as it was written, what a later release adds aside", () => {
    const { config } = resolved(
      { access: [{ role: "admin", tokenFrom: tokenFrom("a") }] },
      { auth: { jwt: { issuer: "https://id.example.com", audiences: ["pallas"] } } },
    );
    expect(parseGatewayConfig(serialiseConfig(config))).toEqual(config);
    expect(parseGatewayConfig(JSON.stringify({ ...config, later: 1 }))).toEqual(config);
    expect(() => parseGatewayConfig(JSON.stringify({ ...config, audience: 1 }))).toThrow(/audience/);
  });

  it("takes no body that its own memory has no room for, whatever agents take", () => {
    const bodyLimit = (memory: string, written: string) =>
      resolved({ resources: { limits: { memory } } }, { http: { bodyLimit: written } }).config.http.bodyLimitBytes;
    expect(bodyLimit("512Mi", "8Mi")).toBe(8 * 2 ** 20);
    expect(bodyLimit("512Mi", "32Mi")).toBe(32 * 2 ** 20);
    expect(bodyLimit("512Mi", "33Mi")).toBe(32 * 2 ** 20);
    expect(bodyLimit("1Gi", "64Mi")).toBe(64 * 2 ** 20);
  });

  it("drains as long as its instance's agents do", () => {
    expect(resolved({}, { agentDefaults: { drainTimeout: "2m" } }).config.drainTimeoutMs).toBe(120_000);
  });

  it("is known by another hash after any change of it, and by none after others", () => {
    const { hash } = resolved({});
    expect(resolved({ access: [{ role: "admin", serviceAccount: { name: "a" } }] }).hash).not.toBe(hash);
    expect(resolved({ management: "readWrite" }).hash).not.toBe(hash);
    expect(resolved({ replicas: 3, service: { port: 80 } }, { title: "Other" }).hash).toBe(hash);
  });

  it("names each file of tokens once", () => {
    const access = ["b", "a", "b"].map((key) => ({ role: "viewer", tokenFrom: tokenFrom(key) }));
    expect(gatewayFiles(resolved({ access }).config)).toEqual([
      { name: "tokens", key: "b" },
      { name: "tokens", key: "a" },
    ]);
  });
});

describe("SEC-3 where a gateway connects to beside its agents", () => {
  it("is nowhere, but where keys, proxies, places to browse, embeddings and servers without a bridge are", () => {
    const of = (spec: object, ...servers: PallasServer[]) => {
      const { config, instance } = resolved({}, spec);
      return gatewayDestinations(config, instance, servers);
    };
    expect(of({})).toEqual([]);
    const jwt = { issuer: "https://id.example.com", audiences: ["pallas"], jwksUrl: "http://keys.auth.svc/jwks" };
    expect(of({ auth: { jwt }, proxy: { https: "http://10.0.0.9:3128" } })).toEqual([
      { kind: "namespace", namespace: "auth" },
      { kind: "address", cidr: "10.0.0.9/32", port: 3128 },
    ]);
    expect(of({ auth: { jwt: { ...jwt, jwksUrl: "" } } })).toEqual([{ kind: "outside", port: 443 }]);
    const sources = [
      { name: "a", kind: "npm", url: "http://npm.packages.svc:4873" },
      { name: "b", kind: "pypi", url: "https://pypi.example.com:8443/simple" },
    ];
    const embeddings = { kind: "openai", baseUrl: "http://10.0.0.7/v1", model: "m" };
    const asking = resolved({ browse: { sources }, embeddings });
    expect(gatewayDestinations(asking.config, asking.instance, [])).toEqual([
      { kind: "namespace", namespace: "packages" },
      { kind: "address", cidr: "10.0.0.7/32", port: 80 },
      { kind: "outside", port: 8443 },
    ]);
    const url = "http://mcp.tools.svc/mcp";
    const headers = [{ name: "X", valueFrom: { secretKeyRef: { name: "keys", key: "x" } } }];
    expect(of({}, sampleServer("direct", { remote: { url } }))).toEqual([{ kind: "namespace", namespace: "tools" }]);
    expect(of({}, sampleServer("bridged", { remote: { url, headers } }))).toEqual([]);
  });
});
