// From a provider to a model of its client library; with ai-sdk.ts the only importer of those libraries. They are
// large, and each is loaded when a call names its provider. Hugging Face is called as the compatible API that its router
// is: its own library leaves tool calls and their results out.
import type { LanguageModel } from "ai";
import type { RunProvider } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import { baseUrlOf, type Access } from "./access.ts";

/** The libraries want a key; the fetch they are given replaces it by the real one. */
const apiKey = "set-by-fetch";

export interface ClientInput {
  provider: RunProvider;
  /** Name without the provider. */
  model: string;
  /** Sets the credentials. */
  fetch: typeof globalThis.fetch;
  credential: Access["credential"];
  /** Whether a compatible server is asked to report usage. */
  includeUsage: boolean;
}

export async function createClient(input: ClientInput): Promise<LanguageModel> {
  const { provider, model, fetch } = input;
  const baseURL = baseUrlOf(provider);
  const settings = { apiKey, fetch, ...defined({ baseURL }) };
  switch (provider.kind) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ ...settings, baseURL: `${baseURL}/v1` })(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings).responses(model);
    }
    case "openai-compatible":
    case "huggingface": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { includeUsage } = input;
      return createOpenAICompatible({ ...settings, baseURL: baseURL ?? "", name: "compatible", includeUsage })(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(settings)(model);
    }
    case "bedrock": {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      const { apiKey: placeholder, ...rest } = settings;
      // Without a key of ours the library signs with the environment's access keys.
      const key = input.credential === "none" ? {} : { apiKey: placeholder };
      return createAmazonBedrock({ ...rest, ...key, ...(provider.region && { region: provider.region }) })(model);
    }
    default:
      throw new TypeError(`${provider.kind} has no client: it answers inside the agent`);
  }
}
