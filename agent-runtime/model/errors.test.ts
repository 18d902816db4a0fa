// Shapes of errors as providers, proxies and sockets really produce them, and the kind each of them is.
import { describe, expect, test } from "vitest";
import { toModelError } from "./errors.ts";
import { ModelError } from "./types.ts";

const nowMs = Date.UTC(2026, 0, 1);
const context = { provider: "p", model: "m", cure: 'check Secret "s" key "k"', secrets: ["sk-secret"], nowMs };
const read = (raw: unknown) => toModelError(raw, context);
const http = (statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) =>
  read({
    name: "AI_APICallError",
    statusCode,
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
    responseHeaders,
  });

describe("AGT-7 kinds of errors", () => {
  test.each([
    [401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }, "auth"],
    [403, "", "auth"],
    [404, { type: "error", error: { type: "not_found_error", message: "model: claude-x" } }, "not_found"],
    [
      429,
      { type: "error", error: { type: "rate_limit_error", message: "x", details: { error_code: "spend_limit" } } },
      "quota",
    ],
    [402, { error: { message: "pay" } }, "quota"],
    [
      400,
      { type: "error", error: { type: "invalid_request_error", message: "Your credit balance is too low" } },
      "quota",
    ],
    [429, { error: { message: "Rate limit reached, see /account/billing to raise it" } }, "rate_limit"],
    [429, { error: { message: "slow", code: "rate_limit_exceeded" } }, "rate_limit"],
    [429, "Too many", "rate_limit"],
    [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
    [503, "<html><body>down</body></html>", "overloaded"],
    [408, "", "network"],
    [400, { error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } }, "context_overflow"],
    [400, { error: { code: "context_length_exceeded", message: "x" } }, "context_overflow"],
    [500, { error: { code: 500, message: "context size has been exceeded" } }, "context_overflow"],
    [413, "", "context_overflow"],
    [
      400,
      { error: { message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." } },
      "context_overflow",
    ],
    [
      400,
      {
        error: {
          message:
            "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 7 input tokens (8000 > 4096 - 7).",
        },
      },
      "unsupported_param",
    ],
    [
      413,
      {
        error: {
          message: "Request too large on tokens per minute (TPM): Limit 6000, Requested 14368",
          code: "rate_limit_exceeded",
        },
      },
      "quota",
    ],
    [
      402,
      { error: { message: "fewer max_tokens. You requested up to 16384 tokens, but can only afford 12." } },
      "quota",
    ],
    [500, { error: { code: 500, message: "tools param requires --jinja flag" } }, "invalid_request"],
    [
      400,
      {
        error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"prompt is too long"}}' } },
      },
      "context_overflow",
    ],
    [
      400,
      { error: { message: "Unsupported value", param: "temperature", code: "unsupported_value" } },
      "unsupported_param",
    ],
    [400, { error: { message: "temperature is deprecated for this model" } }, "unsupported_param"],
    [
      422,
      { detail: [{ loc: ["body", "top_k"], msg: "Extra inputs are not permitted", type: "extra_forbidden" }] },
      "unsupported_param",
    ],
    [400, { error: "something is off" }, "invalid_request"],
    [400, [{ error: { status: "INVALID_ARGUMENT", message: "no" } }], "invalid_request"],
  ])("HTTP %i %j is %s", (status, body, kind) => {
    expect(http(status, body).kind).toBe(kind);
  });

  test.each([
    [
      "an Anthropic error in mid-stream",
      {
        type: "overloaded_error",
        message: "x",
        data: { type: "error", error: { type: "overloaded_error", message: "x" } },
      },
      "overloaded",
    ],
    ["an OpenAI error in mid-stream", { type: "error", code: "rate_limit_exceeded", message: "x" }, "rate_limit"],
    ["a compatible server's error in mid-stream", { message: "CUDA out of memory", code: 500 }, "overloaded"],
    [
      "a cut socket",
      new TypeError("terminated", { cause: Object.assign(new Error("x"), { code: "UND_ERR_SOCKET" }) }),
      "network",
    ],
    [
      "a cut under a 200",
      { name: "AI_APICallError", statusCode: 200, message: "Failed", cause: new TypeError("terminated") },
      "network",
    ],
    [
      "an unknown host",
      new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }) }),
      "network",
    ],
    [
      "broken JSON",
      Object.assign(new Error("JSON parsing failed: Text: <prompt>"), { name: "AI_JSONParseError" }),
      "invalid_response",
    ],
    [
      "a call that Groq's model wrote wrongly",
      { type: "invalid_request_error", code: "tool_use_failed", message: "tool call validation failed" },
      "overloaded",
    ],
    ["a plain string", "no", "invalid_request"],
    ["nothing", undefined, "invalid_request"],
  ])("%s is %s", (_name, raw, kind) => {
    expect(read(raw).kind).toBe(kind);
  });

  test("a ModelError passes unchanged", () => {
    const error = new ModelError("x", { kind: "auth", provider: "q" });
    expect(read(error)).toBe(error);
  });
});

describe("AGT-7 messages", () => {
  test("are one sentence of bounded length that names provider and cure", () => {
    const { message } = http(401, { error: { message: "sk-sec***" } });
    expect(message).toBe('p: the key was refused (401); check Secret "s" key "k"');
    expect(http(400, "long\n".repeat(500)).message.length).toBeLessThan(400);
    expect(http(400, "long\n".repeat(500)).message).not.toContain("\n");
  });

  test("of a refused limit name the fields that set it", () => {
    const { message, refusal } = http(400, {
      error: { message: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]" },
    });
    expect(message).toContain("set modelCapabilities.maxOutputTokens or request.maxTokens");
    expect(refusal).toEqual({ what: "output-limit", maxTokens: 8_192 });
  });

  test("BRR-4 never quote a secret, whole or cut at the limit", () => {
    for (const filler of [0, 290, 295, 1_190]) {
      expect(http(400, { error: { message: `${"x".repeat(filler)} sk-secret` } }).message).not.toContain("sk-s");
    }
  });

  test("BRR-4 keep the cause of a network error only: others hold the request, and prompts with it", () => {
    const cut = new TypeError("terminated", { cause: Object.assign(new Error("x"), { code: "UND_ERR_SOCKET" }) });
    expect(read(cut).cause).toBe(cut);
    const withPrompt = Object.assign(new Error("refused"), { statusCode: 400, requestBodyValues: "a prompt" });
    expect(read(withPrompt).cause).toBeUndefined();
  });

  test("BRR-4 of unreadable answers do not quote the answer", () => {
    const raw = Object.assign(new Error("JSON parsing failed: Text: a prompt"), { name: "AI_JSONParseError" });
    expect(read(raw).message).not.toContain("prompt");
  });
});

describe("AGT-7 Retry-After", () => {
  test.each([
    [{ "retry-after": "12" }, 12_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after-ms": "250", "retry-after": "12" }, 250],
    [{ "retry-after": new Date(nowMs + 30_000).toUTCString() }, 30_000],
    [{ "retry-after": new Date(nowMs - 30_000).toUTCString() }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%j is %s ms", (headers, expected) => {
    expect(http(429, "", headers).retryAfterMs).toBe(expected);
  });
});

test.each([
  ["34.074824224s", 34_075],
  ["0s", 0],
  ["soon", undefined],
  ["-1s", undefined],
])("AGT-7 Google says in the body how long to wait: %s is %s ms", (retryDelay, expected) => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
  const body = { error: { code: 429, message: "x", status: "RESOURCE_EXHAUSTED", details } };
  expect(http(429, body).retryAfterMs).toBe(expected);
  expect(http(429, body, { "retry-after": "7" }).retryAfterMs).toBe(7_000);
});
