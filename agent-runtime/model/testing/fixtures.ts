// Small pieces of configuration and requests that the tests of the model layer share.
import { createLogger, type Logger } from "../../../lib/process/log.ts";
import type { RequestSettings, RunModel, RunProvider, SecretKey } from "../../../crds/run-config.ts";
import { createModels, type Models, type ModelsOptions } from "../models.ts";
import type { ModelMessage, ModelTool, TurnRequest } from "../types.ts";

export const testKey = "sk-test-0123456789abcdef";
export const keyRef: SecretKey = { name: "llm-keys", key: "main" };

export const settings: RequestSettings = { stop: [], parallelToolCalls: true, maxSteps: 10 };

export function testProvider(fields: Partial<RunProvider> & Pick<RunProvider, "name" | "kind">): RunProvider {
  return { apiKey: keyRef, headers: [], requireListedModel: true, forwardInboundAuth: false, ...fields };
}

export function testModel(provider: string, name: string, fields: Partial<RunModel> = {}): RunModel {
  const capabilities = { vision: true, contextWindow: 100_000, maxOutputTokens: 4_000 };
  return { ref: `${provider}.${name}`, provider, name, capabilities, capabilitiesDeclared: true, ...fields };
}

export const userMessage = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });

/** One pixel: a picture that providers can read. */
export const onePixel = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  mimeType: "image/png",
};

export const weatherTool: ModelTool = {
  name: "argos__weather",
  description: "Weather of a place.",
  inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

export function turnRequest(fields: Partial<TurnRequest> = {}): TurnRequest {
  const signal = new AbortController().signal;
  return { system: "Be brief.", messages: [userMessage("hello")], tools: [], settings, signal, ...fields };
}

/** The value, which a test knows to be there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("expected a value, found none");
  return value;
}

/** A logger whose lines can be read. */
export function readableLog(): { log: Logger; lines: () => Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const log = createLogger({
    logger: "pallas.model",
    level: "TRACE",
    destination: { write: (line: string) => void written.push(line) },
  });
  return { log, lines: () => written.map((line) => JSON.parse(line)), text: () => written.join("") };
}

/** Models of one provider, with a key that is always there unless told otherwise. */
export function modelsOf(provider: RunProvider, models: RunModel[], options: Partial<ModelsOptions> = {}): Models {
  return createModels({
    config: { models, providers: [provider] },
    readSecret: async () => testKey,
    log: readableLog().log,
    random: () => 0.5,
    ...options,
  });
}
