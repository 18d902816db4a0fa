import { describe, expect, it } from "vitest";
import { renderResolved } from "./resolved.ts";
import { sampleAgent, sampleInstance, sampleNeighbourhood, sampleUrls } from "./testing/resources.ts";
import {
  clusterAgentUrl,
  externalHost,
  localAgentUrl,
  publishedAgentUrl,
  publishedLocalUrl,
  registryUrl,
} from "./urls.ts";

const agent = sampleAgent("tech-research", { port: 24_101 }, { namespace: "agents" });
const published = (externalUrl: object | null = null) => publishedAgentUrl(agent, sampleInstance({ externalUrl }));

describe("CAT-4 where an agent is reached", () => {
  it("by its Service where no outside URL is declared", () => {
    expect(published()).toBe("http://tech-research.agents.svc:8080/mcp");
    expect(clusterAgentUrl("a", "b")).toBe("http://a.b.svc:8080/mcp");
    expect(localAgentUrl(24_101)).toBe("http://localhost:24101/mcp");
  });

  it("by host and port, or by the template with every placeholder filled, each time it appears", () => {
    expect(published({ host: "puck.incus" })).toBe("http://puck.incus:24101/mcp");
    const template = "https://{agent}.{namespace}.{instance}.example:{port}/{agent}/mcp";
    expect(published({ template })).toBe("https://tech-research.agents.ouranos.example:24101/tech-research/mcp");
  });

  it("without a cluster as declared, with the port that it got, else where it listens", () => {
    const local = (externalUrl: object | null) =>
      publishedLocalUrl(sampleAgent("a"), sampleInstance({ externalUrl }), { port: 24_107, host: "192.0.2.7" });
    expect(local(null)).toBe("http://192.0.2.7:24107/mcp");
    expect(local({ host: "puck.incus" })).toBe("http://puck.incus:24107/mcp");
    expect(local({ template: "https://{agent}.example:{port}/mcp" })).toBe("https://a.example:24107/mcp");
  });

  it("the registry by its Service, on the port of it", () => {
    expect(registryUrl(sampleInstance(), "agents")).toBe("http://ouranos-registry.agents.svc:24200");
    expect(registryUrl(sampleInstance({ registry: { service: { port: 80 } } }), "a")).toBe(
      "http://ouranos-registry.a.svc:80",
    );
  });
});

describe("SEC-4 the outside URL's host is accepted in Host headers", () => {
  it.each([
    [null, undefined, undefined],
    [{ host: "puck.incus" }, "puck.incus", "puck.incus"],
    [{ template: "https://a.example:8443/{agent}/mcp" }, "a.example", "a.example"],
    [
      { template: "https://{instance}.{namespace}.example:{port}/mcp" },
      "ouranos.agents.example",
      "ouranos.agents.example",
    ],
    [{ template: "https://{agent}.example/mcp" }, "tech-research.example", undefined],
    [{ template: "https://%/{agent}/mcp" }, undefined, undefined],
  ])("of %j: by the agent %s, by the registry %s", (externalUrl, ofAgent, ofRegistry) => {
    const instance = sampleInstance({ externalUrl }, { namespace: "agents" });
    const { config } = renderResolved(agent, sampleNeighbourhood(instance, agent), sampleUrls);
    expect(config.http.allowedHosts).toEqual(ofAgent === undefined ? [] : [ofAgent]);
    expect(externalHost(instance)).toBe(ofRegistry);
  });
});
