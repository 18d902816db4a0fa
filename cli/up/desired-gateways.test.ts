import { createHash } from "node:crypto";
import { createLocalJWKSet } from "jose";
import { describe, expect, test } from "vitest";
import { parseGatewayConfig } from "../../crds/gateway-config.ts";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { verifyToken } from "../../lib/auth/token.ts";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { renderDesired, type Desired } from "./desired.ts";
import { createRunSigner } from "./run-signer.ts";
import { RunTokens } from "./run-token.ts";

async function desire(gateway: string, registryPort = 24_200): Promise<Desired> {
  const manifests = await readFolder({ "a.yaml": instanceYaml(gateway) + agentYaml("a") });
  const context = {
    registryPort,
    urlHost: "localhost",
    environment: {},
    portsBefore: new Map<string, number>(),
    serverPorts: new Map<string, number>(),
    judgeProgram: () => "allowed" as const,
  };
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
    expect(only(await desire("gateway: { service: { port: 24300 } }", 24_300)).port).toBe(24_302);
  });

  test("without one of its own takes a port that moves with the registry's, so that two runs do not meet", async () => {
    expect(only(await desire("gateway: {}", 24_400)).port).toBe(24_500);
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
      { who: { tokens: { name: "Pallas-up", key: "agent.a" } }, as: { agent: "a" } },
    ]);
  });

  test("is started anew for what it reads at its start, and for nothing else", async () => {
    const one = only(await desire("gateway: {}")).fingerprint;
    expect(only(await desire("gateway: {}\ntitle: Other")).fingerprint).toBe(one);
    expect(only(await desire("gateway: { management: readWrite }")).fingerprint).not.toBe(one);
  });
});

describe("CLI-1 the tokens of a run", () => {
  const folder = {
    path: "/state",
    secrets: (namespace: string) => `/state/secrets/_${namespace}`,
    token: (key: string, name: string) => `/state/secrets/tokens/${key}/${name}`,
  };
  const textOf = (files: ReadonlyMap<string, Buffer>, path: string) => files.get(path)?.toString() ?? "";

  test("are a file each for user, agent and gateway, and hashes where gateways read them; none without a gateway", async () => {
    const tokens = new RunTokens(await createRunSigner());
    const { gateways } = await desire("gateway: {}");
    const files = await tokens.renderFiles(gateways.values(), folder);
    expect([...files.keys()].toSorted()).toEqual([
      "/state/secrets/_default/Pallas-up/admins",
      "/state/secrets/_default/Pallas-up/agent.a",
      "/state/secrets/run-token",
      "/state/secrets/tokens/default/a/gateway",
      "/state/secrets/tokens/gateway/default/i-gateway/agents",
    ]);
    for (const [token, table] of [
      ["run-token", "admins"],
      ["tokens/default/a/gateway", "agent.a"],
    ] as const) {
      const hash = createHash("sha256")
        .update(textOf(files, `/state/secrets/${token}`))
        .digest("hex");
      expect(textOf(files, `/state/secrets/_default/Pallas-up/${table}`)).toBe(`sha256:${hash}\n`);
    }
    expect((await tokens.renderFiles([], folder)).size).toBe(0);
  });

  test("stay the same over edits, and are others in another run and for an agent that went and came back", async () => {
    const signer = await createRunSigner();
    const tokens = new RunTokens(signer);
    const { gateways } = await desire("gateway: {}");
    const render = async (by: RunTokens, of: typeof gateways) =>
      Object.fromEntries(await by.renderFiles(of.values(), folder));
    const before = await render(tokens, gateways);
    expect(await render(tokens, gateways)).toEqual(before);
    const other = await render(new RunTokens(signer), gateways);
    for (const [path, contents] of Object.entries(before)) expect(other[path]).not.toEqual(contents);
    const alone = new Map([...gateways].map(([key, gateway]) => [key, { ...gateway, agents: [] }]));
    await render(tokens, alone);
    const path = "/state/secrets/tokens/default/a/gateway";
    expect((await render(tokens, gateways))[path]).not.toEqual(before[path]);
  });

  test("MGM-1 let a gateway in at its own agents, by the key that they are told, and no other account, run or instance", async () => {
    const [signer, other] = [await createRunSigner(), await createRunSigner()];
    const manifests = await readFolder({ "a.yaml": instanceYaml("gateway: {}") + agentYaml("a") });
    const context = {
      registryPort: 24_200,
      urlHost: "localhost",
      environment: {},
      portsBefore: new Map<string, number>(),
      serverPorts: new Map<string, number>(),
      judgeProgram: () => "allowed" as const,
    };
    const judged = judge(manifests, { mode: "local" }, {});
    const desired = renderDesired(manifests, judged, { ...context, signer: signer.published });
    const live = parseLiveConfig(desired.runnable.get("default/a")?.liveConfig ?? "");
    const files = await new RunTokens(signer).renderFiles(desired.gateways.values(), folder);
    const { issuer = "", audience = "", subject, keys = [] } = live.gateway ?? {};
    const judgeToken = async (token: string) => {
      const trusted = { issuer, audiences: [audience] };
      const verdict = await verifyToken(token, trusted, { find: createLocalJWKSet({ keys }) }, new Date());
      return verdict.kind === "valid" && verdict.subject === subject;
    };
    const own = textOf(files, "/state/secrets/tokens/gateway/default/i-gateway/agents");
    expect(await judgeToken(own)).toBe(true);
    const claims = { audience: "pallas-agents:default/i", subject: "system:serviceaccount:default:i-gateway" };
    const refused = [
      await other.sign(claims),
      await signer.sign({ ...claims, audience: "pallas-agents:default/j" }),
      await signer.sign({ ...claims, subject: "system:serviceaccount:default:a-agent" }),
      textOf(files, "/state/secrets/run-token"),
      textOf(files, "/state/secrets/tokens/default/a/gateway"),
    ];
    expect(await Promise.all(refused.map(judgeToken))).toEqual(refused.map(() => false));
  });
});
