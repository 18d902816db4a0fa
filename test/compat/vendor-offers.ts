// To whom tools are offered: every vendor whose rules the model mock keeps, with the kind of provider that speaks to it.
import type { RunProvider } from "../../crds/run-config.ts";
import type { ModelMock } from "../models/model-mock.ts";
import type { VendorName } from "../models/vendors/judge.ts";

export interface Offer {
  vendor: VendorName;
  kind: RunProvider["kind"];
  model: string;
  /** So many in one request. */
  maxTools: number;
  /** Of a chat server behind an address that says nothing: what it does not take is learned by one refusal. */
  learns?: boolean;
}

const maxOpenAiTools = 128;
const compatible = { kind: "openai-compatible", maxTools: Infinity, learns: true } as const;

export const offers: readonly Offer[] = [
  { vendor: "anthropic", kind: "anthropic", model: "m", maxTools: Infinity },
  { vendor: "openai-responses", kind: "openai", model: "m", maxTools: maxOpenAiTools },
  { vendor: "google", kind: "google", model: "m", maxTools: 512 },
  { vendor: "bedrock", kind: "bedrock", model: "m", maxTools: Infinity },
  { vendor: "openai-compatible", kind: "openai-compatible", model: "m", maxTools: Infinity },
  { vendor: "openai-compatible", kind: "huggingface", model: "m", maxTools: Infinity },
  { ...compatible, vendor: "openai-chat", model: "gpt-5-mini", maxTools: maxOpenAiTools },
  { ...compatible, vendor: "groq", model: "llama-4-maverick", maxTools: maxOpenAiTools },
  { ...compatible, vendor: "deepseek", model: "deepseek-chat", maxTools: maxOpenAiTools },
  { ...compatible, vendor: "vllm", model: "qwen3-32b" },
  { ...compatible, vendor: "llama.cpp", model: "qwen3-32b" },
  { ...compatible, vendor: "ollama", model: "qwen3:32b" },
  { ...compatible, vendor: "mistral", model: "mistral-large" },
  { ...compatible, vendor: "kimi", model: "kimi-k2" },
  { ...compatible, vendor: "cerebras", model: "qwen-3-32b", maxTools: maxOpenAiTools },
];

export function renderProvider(kind: Offer["kind"], mock: ModelMock): RunProvider {
  const version = kind === "google" ? "/v1beta" : "/v1";
  return {
    name: "mock",
    kind,
    baseUrl: kind === "anthropic" || kind === "bedrock" ? mock.origin : `${mock.origin}${version}`,
    headers: [{ name: "authorization", value: "Bearer key" }],
    requireListedModel: false,
    forwardInboundAuth: false,
  };
}
