// fast-agent's providers and what each is to Pallas: the protocol, the address where it is not the protocol's own, and
// the variable that its key comes from. Those without an entry here speak a protocol that Pallas does not.
import type { ProviderKind } from "../../crds/instance.ts";

export interface Vendor {
  kind: ProviderKind;
  baseUrl?: string | undefined;
  /** Undefined where no key is customary. */
  variable?: string | undefined;
}

const kind = "openai-compatible";
const vendors: Readonly<Record<string, Vendor>> = {
  anthropic: { kind: "anthropic", variable: "ANTHROPIC_API_KEY" },
  openai: { kind: "openai", variable: "OPENAI_API_KEY" },
  responses: { kind: "openai", variable: "OPENAI_API_KEY" },
  openresponses: { kind: "openai", baseUrl: "http://localhost:8080/v1" },
  google: { kind: "google", variable: "GOOGLE_API_KEY" },
  bedrock: { kind: "bedrock" },
  hf: { kind: "huggingface", variable: "HF_TOKEN" },
  generic: { kind, baseUrl: "http://localhost:11434/v1" },
  groq: { kind, baseUrl: "https://api.groq.com/openai/v1", variable: "GROQ_API_KEY" },
  openrouter: { kind, baseUrl: "https://openrouter.ai/api/v1", variable: "OPENROUTER_API_KEY" },
  deepseek: { kind, baseUrl: "https://api.deepseek.com", variable: "DEEPSEEK_API_KEY" },
  moonshot: { kind, baseUrl: "https://api.moonshot.ai/v1", variable: "MOONSHOT_API_KEY" },
  zai: { kind, baseUrl: "https://api.z.ai/api/paas/v4", variable: "ZAI_API_KEY" },
  xai: { kind, baseUrl: "https://api.x.ai/v1", variable: "XAI_API_KEY" },
  aliyun: { kind, baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", variable: "ALIYUN_API_KEY" },
  googleoai: {
    ...{ kind, variable: "GOOGLE_API_KEY" },
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  },
};

/** Providers that fast-agent has and Pallas has not. */
const others = ["anthropic-vertex", "azure", "copilot", "codexresponses", "fast-agent", "metaai", "tensorzero"];

export const findVendor = (name: string): Vendor | undefined =>
  Object.hasOwn(vendors, name) ? vendors[name] : undefined;
/** Names of sections in the settings that belong to a provider. */
export const vendorNames: readonly string[] = [...Object.keys(vendors), ...others];
export const isVendor = (name: string): boolean => vendorNames.includes(name);
