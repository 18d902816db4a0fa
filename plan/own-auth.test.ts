// A server's or provider's auth.oauth on its way from the resource to what runs: what is refused, what the agent gets.
import { describe, expect, it } from "vitest";
import { acceptInstance } from "./accept.ts";
import { destinationsOf } from "./egress.ts";
import { formatProblem } from "./validation-error.ts";
import { parseInstance } from "./parse.ts";
import { renderResolved } from "./resolved.ts";
import { referencedFiles } from "./run-config.ts";
import {
  instanceManifestOf,
  sampleAgent,
  sampleInstance,
  sampleNeighbourhood,
  sampleUrls,
} from "./testing/resources.ts";

const oauth = {
  tokenUrl: "https://login.identity.svc/token",
  clientId: "agents",
  clientSecret: { secretKeyRef: { name: "oauth", key: "secret" } },
};
const server = (fields: object) => ({ name: "argos", url: "http://argos.tools.svc/mcp", ...fields });
const provider = (fields: object) => ({
  name: "gateway",
  kind: "openai",
  baseUrl: "http://m.models.svc/v1",
  ...fields,
});

describe("CFG-1 auth.oauth in the run configuration", () => {
  const resolve = (auth: object) => {
    const instance = sampleInstance({
      defaultModel: "gateway.x",
      servers: [server({ auth })],
      providers: [provider({ auth })],
    });
    const agent = sampleAgent("a", { servers: [{ name: "argos" }] });
    return { instance, config: renderResolved(agent, sampleNeighbourhood(instance, agent), sampleUrls).config };
  };
  const whole = { ...oauth, clientAuth: "post", scopes: ["b", "a"], audience: "urn:tools", resource: "https://t/mcp" };

  it("is whole, with its secret named and its defaults filled in, for servers and providers", () => {
    const secret = { clientSecret: { name: "oauth", key: "secret" } };
    const { config } = resolve({ oauth: whole });
    expect(config.servers[0]?.oauth).toEqual({ ...whole, ...secret });
    expect(config.providers[0]?.oauth).toEqual({ ...whole, ...secret });
    const least = resolve({ oauth }).config;
    expect(least.servers[0]?.oauth).toEqual({ ...oauth, ...secret, clientAuth: "basic", scopes: [] });
  });

  it("SEC-3 opens the token URL's host, and puts the client's secret among the agent's files", () => {
    const { config, instance } = resolve({ oauth });
    expect(destinationsOf(config, instance)).toContainEqual({ kind: "namespace", namespace: "identity" });
    expect(referencedFiles(config).secrets).toContainEqual({ name: "oauth", key: "secret" });
  });
});

describe("CFG-5 auth.oauth", () => {
  const parse = (spec: object) => parseInstance(instanceManifestOf(spec));
  const said = (spec: object) => {
    const outcome = parse(spec);
    return outcome.ok ? [] : outcome.problems.map(formatProblem);
  };

  it("excludes forwardInboundAuth, and a provider's apiKey", () => {
    const exclusive = expect.stringContaining("auth and forwardInboundAuth exclude each other");
    const auth = { oauth };
    expect(said({ servers: [server({ auth, forwardInboundAuth: true })] })).toEqual([exclusive]);
    expect(said({ providers: [provider({ auth, forwardInboundAuth: true })] })).toEqual([exclusive]);
    expect(said({ providers: [provider({ auth, apiKey: oauth.clientSecret })] })).toEqual([
      expect.stringContaining("at most one of auth and apiKey is allowed"),
    ]);
    const both = { servers: [server({ auth, forwardInboundAuth: false })], providers: [provider({ auth })] };
    expect(said(both)).toEqual([]);
  });

  it("leaves no room for another Authorization header, in any case of letters", () => {
    const headers = [
      { name: "X-Team", value: "blue" },
      { name: "authorization", value: "Basic x" },
    ];
    const auth = { oauth };
    const problems = acceptInstance(
      sampleInstance({ servers: [server({ auth, headers })], providers: [provider({ auth, headers })] }),
      "cluster",
    );
    expect(problems.map(({ path }) => path)).toEqual([
      "spec.providers[0].headers[1].name",
      "spec.servers[0].headers[1].name",
    ]);
    expect(acceptInstance(sampleInstance({ servers: [server({ headers })] }), "cluster")).toEqual([]);
  });

  it("SEC-5 SEC-2 has a token URL that may be called, no placeholder in a cluster, and a key that is a file", () => {
    const auth = {
      oauth: {
        ...oauth,
        tokenUrl: "http://169.254.169.254/token",
        clientId: "${CLIENT}",
        clientSecret: { secretKeyRef: { name: "oauth", key: ".." } },
      },
    };
    const instance = sampleInstance({ servers: [server({ auth })], providers: [provider({ auth })] });
    const at = (place: string) => [
      ["PlaceholderInCluster", `${place}.auth.oauth.clientId`],
      ["InvalidField", `${place}.auth.oauth.tokenUrl`],
      ["InvalidField", `${place}.auth.oauth.clientSecret.secretKeyRef.key`],
    ];
    const problems = acceptInstance(instance, "cluster").map(({ reason, path }) => [reason, path]);
    expect(new Set(problems)).toEqual(new Set([...at("spec.servers[0]"), ...at("spec.providers[0]")]));
  });
});
