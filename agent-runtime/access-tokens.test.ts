// The agent's own tokens on their way: from the token endpoint to servers and providers, and to nobody else.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RunOauth } from "../crds/run-config.ts";
import { McpError } from "../lib/mcp/mcp-error.ts";
import { startModelMock, type ModelMock } from "../test/models/model-mock.ts";
import type { ScriptedReply } from "../test/models/script.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { modelsOf, testModel, testProvider, turnRequest } from "./model/testing/fixtures.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { renderTestServer } from "./testing/run-config.ts";
import { startAgent, startToolServer, textResult, type TestAgent } from "./testing/servers.ts";
import { startTokenEndpoint } from "./testing/token-endpoint.ts";

const keep = keepUntilEnd();
const clientSecret = { name: "oauth", key: "secret" };
const oauthOf = (tokenUrl: string): RunOauth => ({
  tokenUrl,
  clientId: "agents",
  clientSecret,
  clientAuth: "basic",
  scopes: [],
});
const whoIs = { message: "***CALL_TOOL argos__who {}" };

async function writeSecret({ secretsDir }: TestAgent, value: string) {
  await mkdir(join(secretsDir, clientSecret.name), { recursive: true });
  await writeFile(join(secretsDir, clientSecret.name, clientSecret.key), value);
}

async function start(admits?: (authorization: string | null) => boolean) {
  const endpoint = await keep(startTokenEndpoint());
  const who = vi.fn((_args: object, { bearer }: { bearer?: string }) => textResult(bearer ?? "nobody"));
  const argos = await keep(startToolServer({ who }, admits === undefined ? {} : { admits }));
  const servers = [renderTestServer("argos", argos.url, { oauth: oauthOf(endpoint.url) })];
  const agent = await keep(startAgent({ servers }));
  await writeSecret(agent, "first-secret\n");
  return { endpoint, argos, agent, who };
}

describe("BRR-3 a server with auth.oauth", () => {
  test("gets the agent's own token with every request, never the caller's, and one token serves calls and probes", async () => {
    const { endpoint, argos, agent } = await start();
    expect((await ask(agent.mcpUrl, whoIs, "token-of-caller")).text).toBe("token-1");
    expect((await ask(agent.mcpUrl, whoIs)).text).toBe("token-1");
    expect(await agent.health.check()).toMatchObject({ status: "ok" });
    expect(new Set(argos.authorizations)).toEqual(new Set(["Bearer token-1"]));
    expect(endpoint.secrets).toEqual(["first-secret"]);
  });

  test("that answers 401 gets another token once, and the call is made once", async () => {
    let valid = "Bearer token-1";
    const { endpoint, agent, who } = await start((authorization) => authorization === valid);
    expect((await ask(agent.mcpUrl, whoIs)).text).toBe("token-1");
    valid = "Bearer token-2";
    expect((await ask(agent.mcpUrl, whoIs)).text).toBe("token-2");
    expect(who).toHaveBeenCalledTimes(2);
    expect(endpoint.secrets).toHaveLength(2);
  });

  test("that answers 401 to every token is asked twice for a request, not for ever", async () => {
    let admitted = true;
    const { endpoint, argos, agent } = await start(() => admitted);
    await ask(agent.mcpUrl, whoIs);
    admitted = false;
    const before = argos.authorizations.length;
    expect((await ask(agent.mcpUrl, whoIs)).text).toContain("refused the credentials with HTTP 401");
    expect(argos.authorizations.length - before).toBeLessThanOrEqual(4);
    expect(endpoint.secrets.length).toBeLessThanOrEqual(3);
  });

  test("is unreachable while the endpoint refuses the client, in words that name URL and error and no secret", async () => {
    const { endpoint, argos, agent } = await start();
    endpoint.error = "invalid_client";
    const words = `the token endpoint ${endpoint.url} refused client "agents" with invalid_client`;
    const { status, message } = await agent.health.check();
    expect(status).toBe("degraded");
    expect(message).toContain(`Unreachable: argos; ${words}`);
    await ask(agent.mcpUrl, whoIs);
    expect(argos.authorizations).toEqual([]);
    expect(JSON.stringify(agent.lines)).toContain("with invalid_client");
    expect(JSON.stringify(agent.lines)).not.toContain("first-secret");
  });

  test("says which Secret is missing", async () => {
    const endpoint = await keep(startTokenEndpoint());
    const argos = await keep(startToolServer({}));
    const servers = [renderTestServer("argos", argos.url, { oauth: oauthOf(endpoint.url) })];
    const agent = await keep(startAgent({ servers }));
    const { message } = await agent.health.check();
    expect(message).toContain('Secret "oauth" has no readable key "secret"');
    expect(endpoint.secrets).toEqual([]);
  });
});

describe("BRR-3 a provider with auth.oauth", () => {
  const mocks: ModelMock[] = [];
  afterEach(async () => void (await Promise.all(mocks.splice(0).map((mock) => mock.close()))));

  async function startProvider(replies: ScriptedReply[], tokens: Partial<AccessTokens> = {}, lists: object = {}) {
    const mock = await startModelMock(replies, lists);
    mocks.push(mock);
    let granted = 1;
    const own: AccessTokens = {
      get: async () => `own-token-${granted}`,
      refuse: (_oauth, token) => void (token === `own-token-${granted}` && (granted += 1)),
      ...tokens,
    };
    const { apiKey: _, ...provider } = testProvider({
      name: "gateway",
      kind: "openai-compatible",
      baseUrl: mock.openaiUrl,
      oauth: oauthOf("https://login.example/token"),
    });
    const models = modelsOf(provider, [testModel("gateway", "m1")], { tokens: own });
    return { mock, models };
  }
  const sentTokens = ({ requests }: ModelMock) => requests.map(({ headers }) => headers["authorization"]);

  test("gets the agent's token as its key, and not the caller's", async () => {
    const { mock, models } = await startProvider([{ text: "hi" }]);
    await models.turn(turnRequest({ bearer: "token-of-caller" }));
    expect(sentTokens(mock)).toEqual(["Bearer own-token-1"]);
  });

  test("that answers 401 gets another token once", async () => {
    const { mock, models } = await startProvider([{ status: 401 }, { text: "hi" }]);
    expect(await models.turn(turnRequest())).toMatchObject({ text: "hi" });
    expect(sentTokens(mock)).toEqual(["Bearer own-token-1", "Bearer own-token-2"]);
  });

  test("that answers 401 twice fails with what to check, and without the tokens", async () => {
    const body = { error: { message: "own-token-1 and own-token-2 are bad" } };
    const { mock, models } = await startProvider([
      { status: 401, body },
      { status: 401, body },
    ]);
    const failure: unknown = await models.turn(turnRequest()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: "auth",
      message: expect.stringContaining('check what client "agents" may do'),
    });
    expect(String(failure)).not.toContain("own-token");
    expect(mock.requests).toHaveLength(2);
  });

  test("is told of in preflight by the token endpoint's words, and gets another token there too", async () => {
    const down = async () => Promise.reject(new McpError("unauthorized", "the token endpoint refused the client"));
    const failing = await startProvider([], { get: down });
    const signal = new AbortController().signal;
    const { gateway } = await failing.models.preflight(signal);
    expect(gateway).toMatchObject({ ok: false, detail: "the token endpoint refused the client" });
    const renewing = await startProvider([], {}, { lists: { status: 401 } });
    await renewing.models.preflight(signal);
    expect(renewing.mock.listRequests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer own-token-1",
      "Bearer own-token-2",
    ]);
  });

  test("with a token endpoint that is down is tried as one that is down, and with one that refuses is not", async () => {
    for (const [kind, modelKind] of [
      ["unreachable", "network"],
      ["timeout", "network"],
      ["unauthorized", "auth"],
    ] as const) {
      const get = vi.fn(async () => Promise.reject(new McpError(kind, "no token")));
      const { models } = await startProvider([], { get });
      const outcome = await models.turn(turnRequest({ deadlineMs: 0 })).catch((error: unknown) => error);
      expect(outcome).toMatchObject({ kind: modelKind, message: "gateway: no token" });
    }
  });
});
