import { describe, expect, it } from "vitest";
import { destinationsOf, destinationsOfUrl, type Destination } from "./egress.ts";
import { renderResolved } from "./resolved.ts";
import { sampleAgent, sampleInstance, sampleNeighbourhood, sampleUrls } from "./testing/resources.ts";

const inNamespace = (namespace: string): Destination => ({ kind: "namespace", namespace });
const outside = (port: number): Destination => ({ kind: "outside", port });
const address = (cidr: string, port: number): Destination => ({ kind: "address", cidr, port });

describe("SEC-3 what a URL needs", () => {
  it.each<[string, Destination[]]>([
    ["http://argos:8000/mcp", [inNamespace("agents")]],
    ["http://argos.tools:8000/mcp", [inNamespace("tools"), outside(8000)]],
    ["http://argos.tools.svc/mcp", [inNamespace("tools")]],
    ["http://argos.tools.svc.:8000/mcp", [inNamespace("tools")]],
    ["http://ARGOS.Tools.SVC:8000/mcp", [inNamespace("tools")]],
    ["http://argos.tools.svc.cluster.local:8000/mcp", [inNamespace("tools")]],
    ["http://argos.tools.svc.k8s.example.com:8000/mcp", [inNamespace("tools"), outside(8000)]],
    ["http://db-0.db.graphs.svc:7687/mcp", [inNamespace("graphs")]],
    ["https://example.com/mcp", [inNamespace("com"), outside(443)]],
    ["https://mcp.example.com/mcp", [outside(443)]],
    ["http://mcp.example.com/mcp", [outside(80)]],
    ["http://svc:1/mcp", [inNamespace("agents")]],
    ["http://a.svc:1/mcp", [inNamespace("svc"), outside(1)]],
    ["http://10.1.2.3:9/mcp", [address("10.1.2.3/32", 9)]],
    ["http://0x0a010203/mcp", [address("10.1.2.3/32", 80)]],
    ["https://[2001:db8::5]/mcp", [address("2001:db8::5/128", 443)]],
    ["http://[::ffff:10.1.2.3]:9/mcp", [address("10.1.2.3/32", 9)]],
    ["http://localhost:9/mcp", []],
    ["http://169.254.169.254/mcp", []],
    ["http://a_b.c_d.svc:1/mcp", []],
    ["no url", []],
  ])("%s", (url, expected) => {
    expect(destinationsOfUrl(url, "agents")).toEqual(expected);
  });
});

describe("SEC-3 what an agent needs", () => {
  const destinations = (instanceSpec: object, agentSpec: object) => {
    const [agent, instance] = [sampleAgent("a", agentSpec), sampleInstance(instanceSpec)];
    const { config } = renderResolved(agent, sampleNeighbourhood(instance, agent), sampleUrls);
    return destinationsOf(config, instance);
  };

  it("each place once, in one order, whatever the order of the servers", () => {
    const servers = ["http://b.two.svc/mcp", "http://a.one.svc/mcp", "http://c.one.svc:1/mcp", "https://x.y.z/mcp"].map(
      (url, at) => ({ name: `s${at}`, url }),
    );
    const names = servers.map(({ name }) => ({ name }));
    const expected = [inNamespace("one"), inNamespace("two"), outside(443)];
    expect(destinations({ servers }, { servers: names })).toEqual(expected);
    expect(destinations({ servers }, { servers: names.toReversed() })).toEqual(expected);
  });

  it("the vendor of its own model and of its fallbacks, not of others", () => {
    const providers = [{ name: "anthropic" }, { name: "llama", kind: "openai", baseUrl: "http://llama.models.svc/v1" }];
    expect(destinations({ providers }, { model: "llama.x" })).toEqual([inNamespace("models")]);
    expect(destinations({ providers }, { model: "llama.x", fallbackModels: ["anthropic.y"] })).toEqual([
      inNamespace("models"),
      outside(443),
    ]);
    expect(destinations({ providers }, { model: "passthrough" })).toEqual([]);
  });

  it("MET-6 the collector of its traces", () => {
    const telemetry = { otlpEndpoint: "http://otel.observability.svc:4318" };
    expect(destinations({ telemetry }, {})).toEqual([inNamespace("observability")]);
  });

  it("both proxies of the instance", () => {
    const proxy = { https: "http://10.0.0.1:3128", http: "http://proxy.egress.svc:3128" };
    expect(destinations({ proxy }, {})).toEqual([inNamespace("egress"), address("10.0.0.1/32", 3128)]);
  });

  it("AGT-11 the keys of the issuer of tokens, or the issuer where these are found by its metadata", () => {
    const jwt = { issuer: "https://id.example.com", audiences: ["pallas"] };
    expect(destinations({ auth: { jwt } }, {})).toEqual([outside(443)]);
    const keys = { ...jwt, jwksUrl: "http://keys.identity.svc:8080/jwks" };
    expect(destinations({ auth: { jwt: keys } }, {})).toEqual([inNamespace("identity")]);
  });
});
