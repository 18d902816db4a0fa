// Fallbacks, counting of turns, and configurations that cannot work.
import { afterEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createModels, type ModelsOptions, type TurnEvent } from "./models.ts";
import { maxNotes } from "./one-model.ts";
import {
  modelsOf,
  readableLog,
  settings,
  testKey,
  testModel,
  testProvider,
  turnRequest,
  userMessage,
} from "./testing/fixtures.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import type { ScriptedReply } from "../../test/models/script.ts";
import { ModelError } from "./types.ts";

const servers: ModelMock[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A main model on a scripted server, and a fallback on another one. */
async function startTwo(main: ScriptedReply[], spare: ScriptedReply[], options: Partial<ModelsOptions> = {}) {
  const [first, second] = await Promise.all([startModelMock(main), startModelMock(spare)]);
  servers.push(first, second);
  const events: TurnEvent[] = [];
  const models = createModels({
    config: {
      models: [testModel("main", "big"), testModel("spare", "claude-opus-4-6")],
      providers: [
        testProvider({ name: "main", kind: "openai-compatible", baseUrl: first.openaiUrl }),
        testProvider({ name: "spare", kind: "anthropic", baseUrl: second.origin }),
      ],
    },
    readSecret: async () => testKey,
    log: readableLog().log,
    onTurn: (event) => events.push(event),
    clock: new ManualClock(),
    ...options,
  });
  return { models, first, second, events };
}

describe("CFG-2 fallback models", () => {
  test.each([
    ["auth", { status: 401 }],
    ["not_found", { status: 404 }],
    ["quota", { status: 402 }],
    ["rate_limit", { status: 429, headers: { "retry-after": "600" } }],
    ["overloaded", { status: 503, headers: { "retry-after": "600" } }],
    ["invalid_response", { body: "<html></html>" }],
  ] as const)("%s: the next model answers, and the result says which", async (_kind, reply) => {
    const { models, events } = await startTwo([reply], [{ text: "spare here" }]);
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "spare here", model: "claude-opus-4-6" });
    expect(events).toEqual([{ model: "claude-opus-4-6", provider: "spare", usage: { input: 1, output: 1 } }]);
    expect(models.active.ref).toBe("main.big");
  });

  test.each([
    ["context_overflow", { error: { code: "context_length_exceeded" } }],
    ["invalid_request", { error: { message: "no" } }],
  ])("%s: no other model is asked", async (kind, body) => {
    const { models, second } = await startTwo([{ status: 400, body }], [{ text: "no" }]);
    await expect(models.turn(turnRequest())).rejects.toMatchObject({ kind });
    expect(second.requests).toHaveLength(0);
  });

  test("the first model is tried again on the next turn", async () => {
    const { models } = await startTwo([{ status: 401 }, { text: "back" }], [{ text: "spare" }]);
    await models.turn(turnRequest());
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "back", model: "big" });
  });

  test("when all fail, the first one's error leads and the others are named", async () => {
    const { models, events } = await startTwo([{ status: 401 }], [{ status: 404 }]);
    const error = await models.turn(turnRequest()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind: "auth", provider: "main" });
    expect(String(error)).toMatch(/main: the key was refused.*the fallbacks failed too: spare: model/);
    expect(events).toEqual([]);
  });

  test("after an abort no fallback is asked", async () => {
    const { models, first, second } = await startTwo([{ stallAfterFrames: 0 }], [{ text: "no" }]);
    const controller = new AbortController();
    const outcome = expect(models.turn(turnRequest({ signal: controller.signal }))).rejects.toThrow("enough");
    await vi.waitFor(() => expect(first.requests).toHaveLength(1));
    controller.abort(new Error("enough"));
    await outcome;
    expect(second.requests).toHaveLength(0);
  });
});

describe("BRR-3 turns that run at the same time", () => {
  test("each carry their own caller's token", async () => {
    const server = await startModelMock(() => ({ text: "ok", delayMs: 5 }));
    servers.push(server);
    const baseUrl = server.openaiUrl;
    const provider = testProvider({ name: "p", kind: "openai-compatible", baseUrl, forwardInboundAuth: true });
    const models = modelsOf(provider, [testModel("p", "m")]);
    const callers = Array.from({ length: 60 }, (_, index) => `caller-${index}`);
    const ask = (bearer: string) => models.turn(turnRequest({ bearer, messages: [userMessage(`I am <${bearer}>`)] }));
    await Promise.all(callers.map(ask));
    const seen = server.requests.map(({ headers, body }) => {
      const [, named] = /I am <(.+?)>/.exec(JSON.stringify(body)) ?? [];
      return { token: headers["authorization"], named: `Bearer ${named}` };
    });
    expect(seen).toHaveLength(60);
    for (const { token, named } of seen) expect(token).toBe(named);
  });
});

describe("CFG-3 warnings of one model", () => {
  test("the same one is logged once, however often the setting is asked for", async () => {
    const server = await startModelMock(() => ({ text: "ok" }));
    servers.push(server);
    const { log, lines } = readableLog();
    const provider = testProvider({ name: "p", kind: "anthropic", baseUrl: server.origin });
    const models = modelsOf(provider, [testModel("p", "claude-opus-4-6")], { log, fetch: server.fetch });
    for (let turn = 1; turn <= 3; turn += 1) {
      await models.turn(turnRequest({ settings: { ...settings, temperature: 1.5 } }));
    }
    expect(lines().filter((line) => line["note"] !== undefined)).toHaveLength(1);
  });

  test(`${maxNotes} different ones are logged, one more is not`, { timeout: 60_000 }, async () => {
    const server = await startModelMock(() => ({ text: "ok" }));
    servers.push(server);
    const { log, lines } = readableLog();
    const provider = testProvider({ name: "p", kind: "anthropic", baseUrl: server.origin });
    const models = modelsOf(provider, [testModel("p", "claude-opus-4-6")], { log, fetch: server.fetch });
    const warnings = () => lines().filter((line) => line["note"] !== undefined).length;
    for (let turn = 1; turn <= maxNotes; turn += 1) {
      await models.turn(turnRequest({ settings: { ...settings, temperature: 1 + turn / 1_000 } }));
    }
    expect(warnings()).toBe(maxNotes);
    await models.turn(turnRequest({ settings: { ...settings, temperature: 1.9 } }));
    expect(warnings()).toBe(maxNotes);
  });
});

describe("CFG-2 models without a server", () => {
  const log = readableLog().log;
  const readSecret = async () => "none";

  test("a built-in model needs no key and is counted", async () => {
    const onTurn = vi.fn();
    const provider = testProvider({ name: "passthrough", kind: "passthrough" });
    const config = { models: [testModel("passthrough", "passthrough")], providers: [provider] };
    const models = createModels({ config, readSecret, log, onTurn });
    await expect(models.turn(turnRequest({ messages: [userMessage("hi")] }))).resolves.toMatchObject({ text: "hi" });
    expect(onTurn).toHaveBeenCalledWith({
      model: "passthrough",
      provider: "passthrough",
      usage: { input: 2, output: 2 },
    });
  });

  test("a model of an unknown provider is refused at start", () => {
    const config = { models: [testModel("nowhere", "m")], providers: [] };
    expect(() => createModels({ config, readSecret, log })).toThrow('names provider "nowhere"');
  });
});
