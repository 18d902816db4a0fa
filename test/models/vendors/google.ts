// Gemini's generateContent. As of autumn 2026.
import { googleContents } from "./google-contents.ts";
import { googleTools } from "./google-tools.ts";
import { at, listOf, numberOf } from "./json.ts";
import type { Vendor } from "./rule.ts";
import { countInputTokens } from "./text.ts";

const knownFields = new Set([
  "cachedContent",
  "contents",
  "generationConfig",
  "labels",
  "model",
  "safetySettings",
  "serviceTier",
  "store",
  "systemInstruction",
  "toolConfig",
  "tools",
]);
const stopLimit = 5;

export const google: Vendor = {
  render({ message, status = 400 }, { path }) {
    const fieldViolations = message.split("\n").map((description) => ({ description }));
    const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
    const body = { error: { code: status, message, status: "INVALID_ARGUMENT", details } };
    return { status, body: /:stream/.test(path) && !/[?&]alt=sse/.test(path) ? [body] : body };
  },
  rules: [
    {
      name: "unknown field",
      source: "@google/genai 2.32.0 (npm) GenerateContentParameters; Google's answer, quoted widely",
      find({ body }) {
        const unknown = Object.keys(body).find((key) => !knownFields.has(key));
        if (unknown === undefined) return undefined;
        return { message: `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.` };
      },
    },
    ...googleTools,
    ...googleContents,
    {
      name: "output limit",
      source: "Vertex's answer, from memory; the limit is the mock's setting",
      find({ body, maxOutputTokens = Infinity }) {
        const asked = numberOf(at(body["generationConfig"], "maxOutputTokens")) ?? 1;
        if (asked >= 1 && asked <= maxOutputTokens) return undefined;
        const range = `the supported range is from 1 (inclusive) to ${maxOutputTokens + 1} (exclusive)`;
        return {
          message: `Unable to submit request because it has a maxOutputTokens value of ${asked} but ${range}.`,
        };
      },
    },
    {
      name: "stop sequences",
      source: "from memory: 5",
      unverified: true,
      find: ({ body }) =>
        listOf(at(body["generationConfig"], "stopSequences")).length > stopLimit
          ? { message: `* GenerateContentRequest.generation_config.stop_sequences: at most ${stopLimit} are allowed` }
          : undefined,
    },
    {
      name: "overflow",
      source: "google-gemini/gemini-cli#6678; the window is the mock's setting",
      find({ body, contextWindow = Infinity }) {
        const tokens = countInputTokens(body);
        if (tokens <= contextWindow) return undefined;
        return {
          message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${contextWindow}).`,
        };
      },
    },
  ],
};
