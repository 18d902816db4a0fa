import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseGatewayConfig } from "../../crds/gateway-config.ts";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { renderDesired, type Desired } from "./desired.ts";
import { renderTokenFiles } from "./run-token.ts";

async function desire(gateway: string, registryPort = 24_200): Promise<Desired> {
  const manifests = await readFolder({ "a.yaml": instanceYaml(gateway) + agentYaml("a") });
  const context = { registryPort, urlHost: "localhost", environment: {}, portsBefore: new Map<string, number>() };
  return renderDesired(manifests, judge(manifests, { mode: "local" }, {}), context);
}
const only = ({ gateways }: Desired) => {
  const [first, ...others] = gateways.values();
  if (first === undefined || others.length > 0) throw new Error(`expected one gateway, found ${gateways.size}`);
  return first;
};

describe("CLI-1 a gateway of pallas up", () => {
  test("is there where an instance has one with pods, and not else", async () => {
    expect((await desire("")).gateways.size).toBe(0);
    expect((await desire("gateway: { replicas: 0 }")).gateways.size).toBe(0);
    expect(only(await desire("gateway: {}"))).toMatchObject({
      key: "gateway/default/i-gateway",
      port: 24_300,
      url: "http://localhost:24300/mcp",
    });
  });

  test("takes the port of its Service, or the first after it that nobody was given", async () => {
    expect(only(await desire("gateway: { service: { port: 25000 } }")).port).toBe(25_000);
    // The registry has the first, the agent the second.
    expect(only(await desire("gateway: {}", 24_300)).port).toBe(24_302);
  });

  test("lets in the token of the run as admin, tables as written, and no account of a cluster", async () => {
    const access = `gateway:
  access:
    - { role: viewer, serviceAccount: { name: audit } }
    - { role: caller, tokenFrom: { secretKeyRef: { name: tokens, key: callers } } }`;
    const { config } = only(await desire(access));
    expect(parseGatewayConfig(JSON.stringify(config))).toEqual(config);
    const all = { agents: ["*"], servers: ["*"] };
    expect(config.access).toEqual([
      { who: { tokens: { name: "Pallas-up", key: "admins" } }, as: { role: "admin", ...all } },
      { who: { tokens: { name: "tokens", key: "callers" } }, as: { role: "caller", ...all } },
    ]);
  });

  test("is started anew for what it reads at its start, and for nothing else", async () => {
    const one = only(await desire("gateway: {}")).fingerprint;
    expect(only(await desire("gateway: {}\ntitle: Other")).fingerprint).toBe(one);
    expect(only(await desire("gateway: { management: readWrite }")).fingerprint).not.toBe(one);
  });
});

test("CLI-1 the token of a run: one file for its user, and its hash where gateways read it; none without a gateway", async () => {
  const folder = { path: "/state", secrets: (namespace: string) => `/state/secrets/_${namespace}` };
  const { gateways } = await desire("gateway: {}");
  const files = renderTokenFiles("the-token", gateways.values(), folder);
  const hash = createHash("sha256").update("the-token").digest("hex");
  expect([...files].map(([path, contents]) => [path, contents.toString()])).toEqual([
    ["/state/secrets/_default/Pallas-up/admins", `sha256:${hash}\n`],
    ["/state/secrets/run-token", "the-token"],
  ]);
  expect(renderTokenFiles("the-token", [], folder).size).toBe(0);
});
