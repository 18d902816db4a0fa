// What the startup probe says of each provider.
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RunModel, RunProvider } from "../../crds/run-config.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createModels, type ModelsOptions } from "./models.ts";
import { preflightTimeoutMs } from "./preflight.ts";
import { modelsOf, present, readableLog, testKey, testModel, testProvider } from "./testing/fixtures.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import type { ScriptedReply } from "../../test/models/script.ts";

const servers: ModelMock[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(lists: { models?: Record<string, object>; lists?: ScriptedReply }) {
  const server = await startModelMock([], lists);
  servers.push(server);
  return server;
}

const never = () => new AbortController().signal;

async function check(
  kind: RunProvider["kind"],
  lists: { models?: Record<string, object>; lists?: ScriptedReply },
  fields: Partial<RunProvider> = {},
  options: Partial<ModelsOptions> = {},
) {
  const server = await start(lists);
  const baseUrl = kind === "anthropic" ? server.origin : server.openaiUrl;
  const models = modelsOf(testProvider({ name: "p", kind, baseUrl, ...fields }), [testModel("p", "m1")], options);
  const { p } = await models.preflight(never());
  return { result: present(p), server, models };
}

const listing = { models: { m1: {}, m2: {} } };
const kinds = ["anthropic", "openai", "openai-compatible"] as const;

describe.each(kinds)("HLT-4 preflight of %s", (kind) => {
  test("is ok when the model is there", async () => {
    const { result, server } = await check(kind, listing);
    expect(result).toEqual({ ok: true, checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    const headers = { "x-api-key": testKey, "anthropic-version": "2023-06-01" };
    const expected =
      kind === "anthropic"
        ? { path: "/v1/models/m1", headers }
        : { path: "/v1/models", headers: { authorization: `Bearer ${testKey}` } };
    expect(server.listRequests).toMatchObject([expected]);
  });

  test("names a model that is not there", async () => {
    expect((await check(kind, { models: { other: {} } })).result).toMatchObject({
      ok: false,
      detail: "model 'm1' not found; check the model's name and the provider's baseUrl",
    });
  });

  test.each([
    [{ status: 401 }, 'the key was refused (401); check Secret "llm-keys" key "main"'],
    [{ status: 500 }, "GET /models answered 500; check baseUrl"],
    [
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      "redirected (302); set baseUrl to the final address",
    ],
  ])("%j is said", async (lists, detail) => {
    expect((await check(kind, { lists })).result).toMatchObject({ ok: false, detail });
  });

  test("asks for no listed model with requireListedModel false", async () => {
    const { result } = await check(kind, { models: {} }, { requireListedModel: false });
    expect(result.ok).toBe(true);
    expect((await check(kind, { lists: { status: 401 } }, { requireListedModel: false })).result.ok).toBe(false);
  });

  test("a missing Secret is named and nothing is sent", async () => {
    const { result, server } = await check(
      kind,
      listing,
      {},
      { readSecret: () => Promise.reject(new Error("no such Secret")) },
    );
    expect(result).toMatchObject({ ok: false, detail: "no such Secret" });
    expect(server.listRequests).toHaveLength(0);
  });

  test("BRR-3 where callers bring the token, being asked for one is fine", async () => {
    const lists = { lists: { status: 401 } };
    const server = await start(lists);
    const baseUrl = kind === "anthropic" ? server.origin : server.openaiUrl;
    const { apiKey: _unused, ...keyless } = testProvider({ name: "p", kind, baseUrl, forwardInboundAuth: true });
    expect(await modelsOf(keyless, [testModel("p", "m1")]).preflight(never())).toMatchObject({ p: { ok: true } });
    const closed = modelsOf({ ...keyless, forwardInboundAuth: false }, [testModel("p", "m1")]);
    expect(await closed.preflight(never())).toMatchObject({ p: { ok: false } });
  });
});

describe("HLT-4 preflight", () => {
  test("gives up after five seconds", async () => {
    const clock = new ManualClock();
    const server = await start({ lists: { silent: true } });
    const provider = testProvider({ name: "p", kind: "openai", baseUrl: server.openaiUrl });
    const probe = modelsOf(provider, [testModel("p", "m1")], { clock }).preflight(never());
    await vi.waitFor(() => expect(server.listRequests).toHaveLength(1));
    await clock.advance(preflightTimeoutMs);
    expect(await probe).toMatchObject({ p: { ok: false, detail: "no answer within 5 s" } });
    expect(clock.pending).toEqual([]);
  });

  test("says when nothing listens, and when the list is none", async () => {
    const closed = await startModelMock();
    await closed.close();
    const refused = await check("openai", {}, { baseUrl: closed.openaiUrl });
    expect(refused.result).toMatchObject({
      ok: false,
      detail: "unreachable (ECONNREFUSED); check baseUrl and the network",
    });
    const page = await check("openai", { lists: { body: "<html></html>" } });
    expect(page.result).toMatchObject({
      ok: false,
      detail: "GET /models answered with no list of models; check baseUrl",
    });
  });

  test("a model list over 4 MiB is refused", async () => {
    const id = "x".repeat(4 * 1024 * 1024);
    const { result } = await check("openai", { models: { [id]: {}, m1: {} } });
    expect(result).toMatchObject({ ok: false, detail: "the answer is larger than 4194304 bytes; check baseUrl" });
  });

  test("covers the providers in use only, the active one first, built-in ones always ok", async () => {
    const server = await start(listing);
    const provider = (name: string) => testProvider({ name, kind: "openai", baseUrl: server.openaiUrl });
    const models: RunModel[] = [
      testModel("zeta", "m1"),
      testModel("slow", "slow"),
      testModel("alpha", "m3"),
      testModel("zeta", "m2"),
    ];
    const providers = [
      provider("alpha"),
      provider("unused"),
      provider("zeta"),
      testProvider({ name: "slow", kind: "slow" }),
    ];
    const all = createModels({
      config: { models, providers },
      readSecret: async () => testKey,
      log: readableLog().log,
    });
    const results = await all.preflight(never());
    expect(Object.keys(results)).toEqual(["zeta", "slow", "alpha"]);
    expect(Object.values(results).map((result) => result.ok)).toEqual([true, true, false]);
  });
});

describe("CFG-4 capabilities that Anthropic publishes", () => {
  const facts = {
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    capabilities: { image_input: { supported: false } },
  };

  test.each([
    [true, { vision: true, contextWindow: 100_000, maxOutputTokens: 4_000 }],
    [false, { vision: false, contextWindow: 1_000_000, maxOutputTokens: 128_000 }],
  ])("declared %s", async (capabilitiesDeclared, expected) => {
    const server = await start({ models: { m1: facts } });
    const provider = testProvider({ name: "p", kind: "anthropic", baseUrl: `${server.origin}/v1/` });
    const models = modelsOf(provider, [testModel("p", "m1", { capabilitiesDeclared })]);
    await models.preflight(never());
    expect(models.active.capabilities).toEqual(expected);
  });
});
