import { describe, expect, it } from "vitest";
import { serverDestinations, type Destination } from "./egress.ts";
import { sampleInstance, sampleServer } from "./testing/resources.ts";

const inNamespace = (namespace: string): Destination => ({ kind: "namespace", namespace });
const outside = (port: number): Destination => ({ kind: "outside", port });
const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
const image = { container: { image: "tools.example/a:1", command: ["/server"] } };
const destinations = (spec: object, instance: object = {}) =>
  serverDestinations(sampleServer("memory", spec), sampleInstance(instance));

describe("SEC-3 DSC-6 what a tool server's pod needs", () => {
  it("nothing where it says nothing, and has an image", () => {
    expect(destinations(image)).toEqual([]);
  });

  it("what it declares, at 443 where no port is named", () => {
    const egress = [
      { host: "api.example.com" },
      { host: "graph.tools.svc", port: 7687 },
      { host: "203.0.113.9", port: 5432 },
      { host: "2001:db8::1" },
    ];
    expect(destinations({ ...image, egress })).toEqual([
      inNamespace("tools"),
      { kind: "address", cidr: "2001:db8::1/128", port: 443 },
      { kind: "address", cidr: "203.0.113.9/32", port: 5432 },
      outside(443),
    ]);
  });

  it("for a package its public registry, or the one that its variables name in place of that", () => {
    expect(destinations(npm)).toEqual([outside(443)]);
    const own = { name: "npm_config_registry", value: "http://npm.mirror.svc:4873/" };
    expect(destinations({ ...npm, env: [own] })).toEqual([inNamespace("mirror")]);
    expect(destinations({ ...image, env: [own] })).toEqual([]);
  });

  it("for a remote one its URL, and the instance's proxies for all", () => {
    const headers = [{ name: "X", valueFrom: { secretKeyRef: { name: "keys", key: "x" } } }];
    expect(destinations({ remote: { url: "https://mcp.example.com:8443/mcp", headers } })).toEqual([outside(8443)]);
    expect(destinations(image, { proxy: { https: "http://proxy.corp.svc:3128" } })).toEqual([inNamespace("corp")]);
  });
});
