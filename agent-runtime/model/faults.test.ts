// What happens when a provider fails: tried again, learned from, given up with a sentence that helps.
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RunProvider } from "../../crds/run-config.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import type { ModelsOptions } from "./models.ts";
import {
  keyRef,
  modelsOf,
  readableLog,
  settings,
  testKey,
  testModel,
  testProvider,
  turnRequest,
} from "./testing/fixtures.ts";
import type { Script } from "../../test/models/conversations.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import type { ScriptedReply } from "../../test/models/script.ts";
import { ModelError } from "./types.ts";

let server: ModelMock;
afterEach(() => server.close());

const names = { anthropic: "claude-opus-4-6", openai: "gpt-4.1", "openai-compatible": "qwen3-8b" } as const;
const kinds = ["anthropic", "openai", "openai-compatible"] as const;

async function start(
  script: Script,
  kind: keyof typeof names = "openai-compatible",
  options: Partial<ModelsOptions> = {},
  fields: Partial<RunProvider> = {},
) {
  server = await startModelMock(script);
  const baseUrl = kind === "anthropic" ? server.origin : server.openaiUrl;
  const clock = new ManualClock();
  const { log, lines, text } = readableLog();
  const provider = testProvider({ name: "main", kind, baseUrl, ...fields });
  const models = modelsOf(provider, [testModel("main", names[kind])], { clock, log, ...options });
  return { models, clock, lines, logText: text };
}

async function failure(turn: Promise<unknown>): Promise<ModelError> {
  const error = await turn.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelError)) throw new Error("the turn should fail with a ModelError", { cause: error });
  return error;
}

/** Moves the clock on as soon as somebody waits for exactly so long. */
async function passWait(clock: ManualClock, waitMs: number) {
  await vi.waitFor(() => expect(clock.pending).toContain(waitMs));
  await clock.advance(waitMs);
}

const busy: ScriptedReply = { status: 429, body: { error: { message: "slow down", type: "rate_limit_error" } } };

describe("AGT-7 what may pass is tried again", () => {
  test("429 with Retry-After waits exactly that long, then the answer comes", async () => {
    const { models, clock, lines } = await start([{ ...busy, headers: { "retry-after": "7" } }, { text: "ok" }]);
    const turn = models.turn(turnRequest());
    await passWait(clock, 7_000);
    await expect(turn).resolves.toMatchObject({ text: "ok" });
    expect(lines()).toContainEqual(expect.objectContaining({ kind: "rate_limit", status: 429, waitMs: 7_000 }));
  });

  test("500s wait 1 s, then 2 s, and the third one is final", async () => {
    const broken: ScriptedReply = { status: 500, body: "<html><title>Bad Gateway</title></html>" };
    const { models, clock } = await start([broken, broken, broken, { text: "too late" }]);
    const turn = failure(models.turn(turnRequest()));
    await passWait(clock, 1_000);
    await passWait(clock, 2_000);
    const error = await turn;
    expect(error).toMatchObject({ kind: "overloaded", provider: "main", status: 500 });
    expect(error.message).toBe('main: the provider failed (500): an HTML page titled "Bad Gateway"; try again later');
    expect(server.requests).toHaveLength(3);
  });

  test.each(
    kinds.flatMap((kind) => [
      { kind, how: "cut", reply: { text: "half", cutAfterFrames: 2 } },
      { kind, how: "ended without its end", reply: { text: "half", endAfterFrames: 2 } },
      { kind, how: "empty", reply: { endAfterFrames: 0 } },
    ]),
  )("$kind: an answer that is $how is asked for again", async ({ kind, reply }) => {
    const { models, clock } = await start([reply, { text: "whole" }], kind);
    const turn = models.turn(turnRequest());
    await passWait(clock, 1_000);
    await expect(turn).resolves.toMatchObject({ text: "whole" });
  });

  test("anthropic: overloaded in mid-stream is tried again", async () => {
    const data = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { models, clock } = await start(
      [{ text: "a", errorFrame: { afterFrames: 3, event: "error", data } }, { text: "b" }],
      "anthropic",
    );
    const turn = models.turn(turnRequest());
    await passWait(clock, 1_000);
    await expect(turn).resolves.toMatchObject({ text: "b" });
  });

  test.each(kinds)("%s: silence for 120 s is a network error", async (kind) => {
    const stall: ScriptedReply = { text: "half", stallAfterFrames: 2 };
    const { models, clock } = await start([stall, stall, stall], kind);
    const turn = failure(models.turn(turnRequest()));
    for (const [tries, waitMs] of [1_000, 2_000, 0].entries()) {
      await vi.waitFor(() => expect(server.requests).toHaveLength(tries + 1));
      await clock.advance(120_000);
      if (waitMs > 0) await passWait(clock, waitMs);
    }
    expect(await turn).toMatchObject({ kind: "network", message: expect.stringContaining("sent nothing for 120 s") });
  });

  test("a refused connection is a network error that names the cause", async () => {
    const { models, clock } = await start([]);
    await server.close();
    const turn = failure(models.turn(turnRequest()));
    await passWait(clock, 1_000);
    await passWait(clock, 2_000);
    expect(await turn).toMatchObject({ kind: "network", message: expect.stringContaining("ECONNREFUSED") });
  });

  test("no wait begins that would end after the deadline", async () => {
    const { models, clock } = await start([busy, { text: "late" }]);
    const error = await failure(models.turn(turnRequest({ deadlineMs: clock.now() + 1_000 })));
    expect(error.kind).toBe("rate_limit");
    expect(server.requests).toHaveLength(1);
  });

  test("a call in flight ends at the deadline", async () => {
    const { models, clock } = await start([{ text: "half", stallAfterFrames: 1 }]);
    const turn = failure(models.turn(turnRequest({ deadlineMs: clock.now() + 5_000 })));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await clock.advance(5_000);
    expect((await turn).message).toContain("no time left");
  });

  test.each(["in flight", "waiting"])(
    "AGT-8 an abort while %s ends the turn with the caller's reason",
    async (when) => {
      const { models, clock } = await start([when === "in flight" ? { stallAfterFrames: 1 } : busy, { text: "no" }]);
      const controller = new AbortController();
      const turn = models.turn(turnRequest({ signal: controller.signal }));
      const outcome = expect(turn).rejects.toThrow("enough");
      const reached = when === "waiting" ? () => clock.pending.includes(1_000) : () => server.requests.length === 1;
      await vi.waitFor(() => expect(reached()).toBe(true));
      controller.abort(new Error("enough"));
      await outcome;
      expect(server.requests).toHaveLength(1);
      expect(clock.pending).toEqual([]);
    },
  );
});

describe("AGT-7 what cannot pass is said at once", () => {
  test.each(kinds)("%s: a page that is no model answer is named as such", async (kind) => {
    const { models } = await start([{ body: "<html>welcome</html>" }], kind);
    const error = await failure(models.turn(turnRequest()));
    expect(error.kind).toBe("invalid_response");
    expect(error.message).toContain("check kind and baseUrl");
  });

  test.each([
    [
      "auth",
      401,
      { error: { message: `Incorrect key ${testKey}` } },
      'the key was refused (401); check Secret "llm-keys" key "main"',
    ],
    ["not_found", 404, { error: { message: "no such model" } }, "model 'qwen3-8b' not found (404)"],
    [
      "quota",
      429,
      { error: { code: "insufficient_quota", message: "You exceeded" } },
      "quota or credit is used up (429)",
    ],
    [
      "context_overflow",
      400,
      { error: { message: "maximum context length is 8192 tokens" } },
      "too long for model 'qwen3-8b'",
    ],
    ["invalid_request", 400, { detail: "bad thing" }, "the request was refused (400): bad thing"],
    ["invalid_request", 307, "", "set baseUrl to the final address"],
  ])("%s (%i)", async (kind, status, body, text) => {
    const { models } = await start([{ status, body }]);
    const error = await failure(models.turn(turnRequest()));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(text);
    expect(server.requests).toHaveLength(1);
  });

  test("a missing Secret is an auth error that names it, and nothing is sent", async () => {
    const { models } = await start([], "openai", {
      readSecret: () => Promise.reject(new Error("no such Secret: create it")),
    });
    const error = await failure(models.turn(turnRequest()));
    expect(error).toMatchObject({
      kind: "auth",
      message: "main: no such Secret: create it",
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe("CFG-3 a 400 that names a parameter strips it", () => {
  const refusal = (message: string): ScriptedReply => ({ status: 400, body: { error: { message } } });

  test("once, with one warning, and remembered for later turns", async () => {
    const { models, lines } = await start([refusal("`top_k` is not supported"), { text: "a" }, { text: "b" }]);
    const request = turnRequest({ settings: { ...settings, topK: 4, temperature: 0.1 } });
    await expect(models.turn(request)).resolves.toMatchObject({ text: "a" });
    await expect(models.turn(request)).resolves.toMatchObject({ text: "b" });
    expect(server.requests.map(({ body }) => Reflect.get(Object(body), "top_k"))).toEqual([4, undefined, undefined]);
    expect(server.requests[2]?.body).toMatchObject({ temperature: 0.1 });
    expect(lines().filter((line) => line["param"] === "topK")).toHaveLength(1);
  });

  test("a second refusal of the same parameter is final", async () => {
    const again = refusal("Unsupported parameter: 'temperature'");
    const { models } = await start([again, again, { text: "no" }]);
    const error = await failure(models.turn(turnRequest({ settings: { ...settings, temperature: 1 } })));
    expect(error).toMatchObject({ kind: "unsupported_param", param: "temperature" });
    expect(server.requests).toHaveLength(2);
  });

  test("what was not sent cannot be left out: the refusal is final", async () => {
    const { models } = await start([refusal("temperature is not supported"), { text: "no" }]);
    expect((await failure(models.turn(turnRequest()))).kind).toBe("unsupported_param");
    expect(server.requests).toHaveLength(1);
  });

  test("max_tokens is sent under its other name", async () => {
    const { models } = await start([
      refusal("'max_tokens' is not supported, use 'max_completion_tokens'"),
      { text: "a" },
    ]);
    await models.turn(turnRequest());
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 4_000 });
    expect(server.requests[1]?.body).not.toHaveProperty("max_tokens");
  });

  test("a server that knows no prompt caching is asked without it", async () => {
    const { models } = await start(
      [refusal("cache_control: Extra inputs are not permitted"), { text: "a" }],
      "anthropic",
    );
    await models.turn(turnRequest());
    const marks = server.requests.map(({ body }) => JSON.stringify(body).includes("cache_control"));
    expect(marks).toEqual([true, false]);
  });

  test("the client library's warnings go to our log once and never to the console", async () => {
    const spies = [vi.spyOn(console, "warn"), vi.spyOn(console, "error"), vi.spyOn(process, "emitWarning")];
    const { models, lines } = await start([{ text: "a" }, { text: "b" }], "anthropic");
    const request = turnRequest({ settings: { ...settings, temperature: 1.5 } });
    await models.turn(request);
    await models.turn(request);
    expect(lines().filter((line) => String(line["note"]).startsWith("temperature: 1.5 exceeds"))).toHaveLength(1);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test("a parameter of a bad value is no reason to strip it", async () => {
    const { models } = await start([refusal("temperature must be below 2")]);
    const error = await failure(models.turn(turnRequest({ settings: { ...settings, temperature: 2 } })));
    expect(error.kind).toBe("invalid_request");
  });

  test("what a model is known to refuse is left out with one warning", async () => {
    const { models, lines } = await start([{ text: "a" }, { text: "b" }], "openai");
    const request = turnRequest({ settings: { ...settings, topK: 4 } });
    await models.turn(request);
    await models.turn(request);
    expect(server.requests[0]?.body).not.toHaveProperty("top_k");
    expect(lines().filter((line) => String(line["note"]).startsWith("topK"))).toHaveLength(1);
  });
});

describe("BRR-4 keys and tokens", () => {
  test("a rotated key is used by the next turn", async () => {
    const keys = ["first-key", "second-key"];
    const { models } = await start([{ text: "a" }, { text: "b" }], "anthropic", {
      readSecret: async () => keys.shift() ?? "none",
    });
    await models.turn(turnRequest());
    await models.turn(turnRequest());
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["first-key", "second-key"]);
  });

  test.each([400, 401, 404, 429, 500])("neither shows in the error or in the logs of a %i", async (status) => {
    const body = { error: { message: `${"x".repeat(290)} bad ${testKey} and caller-token-1234` } };
    const fields = { forwardInboundAuth: true, headers: [{ name: "X-Extra", secret: keyRef }] };
    const { models, clock, logText } = await start(
      [{ status, body, headers: { "retry-after": "999" } }],
      "openai",
      {},
      fields,
    );
    const error = await failure(models.turn(turnRequest({ bearer: "caller-token-1234" })));
    const shown = `${error.message} ${error.stack} ${String(error.cause)} ${logText()}`;
    for (const part of [testKey, "caller-token", "sk-t"]) expect(shown).not.toContain(part);
    expect(clock.pending).toEqual([]);
  });

  test("prompts and answers do not show in the logs", async () => {
    const { models, logText } = await start([{ status: 400, body: { error: { message: "you said hello" } } }]);
    await failure(models.turn(turnRequest()));
    expect(logText()).not.toContain("hello");
  });

  test("a redirect is not followed, so no key reaches another host", async () => {
    const other = await startModelMock([{ text: "stolen" }]);
    const { models } = await start([{ status: 307, headers: { location: `${other.openaiUrl}/chat/completions` } }]);
    await failure(models.turn(turnRequest()));
    expect(other.requests).toHaveLength(0);
    await other.close();
  });
});
