// fast-agent's providers and what each is to Pallas: the protocol, the address where it is not the protocol's own, and
// the variable that its key comes from. Those without an entry here speak a protocol that Pallas does not.
import type { ProviderKind } from "../../crds/instance.ts";

export interface Vendor {
  kind: ProviderKind;
  baseUrl?: string;
  /** Undefined where no key is customary. */
  variable?: string;
}

const vendors: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ["anthropic", { kind: "anthropic", variable: "ANTHROPIC_API_KEY" }],
  ["openai", { kind: "openai", variable: "OPENAI_API_KEY" }],
  ["responses", { kind: "openai", variable: "OPENAI_API_KEY" }],
  ["openresponses", { kind: "openai", baseUrl: "http://localhost:8080/v1" }],
  ["google", { kind: "google", variable: "GOOGLE_API_KEY" }],
  ["bedrock", { kind: "bedrock" }],
  ["hf", { kind: "huggingface", variable: "HF_TOKEN" }],
  ["generic", { kind: "openai-compatible", baseUrl: "http://localhost:11434/v1" }],
  ["groq", { kind: "openai-compatible", baseUrl: "https://api.groq.com/openai/v1", variable: "GROQ_API_KEY" }],
  [
    "openrouter",
    { kind: "openai-compatible", baseUrl: "https://openrouter.ai/api/v1", variable: "OPENROUTER_API_KEY" },
  ],
  ["deepseek", { kind: "openai-compatible", baseUrl: "https://api.deepseek.com", variable: "DEEPSEEK_API_KEY" }],
  ["moonshot", { kind: "openai-compatible", baseUrl: "https://api.moonshot.ai/v1", variable: "MOONSHOT_API_KEY" }],
  ["zai", { kind: "openai-compatible", baseUrl: "https://api.z.ai/api/paas/v4", variable: "ZAI_API_KEY" }],
  ["xai", { kind: "openai-compatible", baseUrl: "https://api.x.ai/v1", variable: "XAI_API_KEY" }],
  [
    "aliyun",
    {
      kind: "openai-compatible",
      baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      variable: "ALIYUN_API_KEY",
    },
  ],
  [
    "googleoai",
    {
      kind: "openai-compatible",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      variable: "GOOGLE_API_KEY",
    },
  ],
]);

/** Providers that fast-agent has and Pallas has not. */
const others: ReadonlySet<string> = new Set([
  ...["anthropic-vertex", "azure", "copilot", "codexresponses", "fast-agent", "metaai", "tensorzero"],
]);

export const findVendor = (name: string): Vendor | undefined => vendors.get(name);
export const isVendor = (name: string): boolean => vendors.has(name) || others.has(name);
/** Names of sections in the settings that belong to a provider. */
export const vendorNames: readonly string[] = [...vendors.keys(), ...others];
