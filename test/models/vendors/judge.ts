// Which vendor judges a call, and what it answers to one that it refuses. Tests may switch rules off by name, and those
// on that nobody has verified.
import { protocolOf, readCall, type Protocol } from "../wire.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { compatible } from "./compatible.ts";
import { deepSeek, kimi } from "./deepseek.ts";
import { google } from "./google.ts";
import { groq } from "./groq.ts";
import { isObject } from "./json.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";
import type { Fault, Lack, Rendered, Rule, Vendor } from "./rule.ts";
import { vllm } from "./vllm.ts";

const vendors = {
  anthropic: ["messages", anthropic],
  google: ["generate", google],
  bedrock: ["converse", bedrock],
  "openai-responses": ["responses", openAiResponses],
  "openai-chat": ["chat", openAiChat],
  "openai-compatible": ["chat", compatible],
  cerebras: ["chat", cerebras],
  deepseek: ["chat", deepSeek],
  groq: ["chat", groq],
  kimi: ["chat", kimi],
  "llama.cpp": ["chat", llamaCpp],
  mistral: ["chat", mistral],
  ollama: ["chat", ollama],
  vllm: ["chat", vllm],
} as const satisfies Record<string, readonly [Protocol, Vendor]>;

export type VendorName = keyof typeof vendors;

export const rulesOf = (name: VendorName): readonly Rule[] => vendors[name][1].rules;

/** Who judges where a test names nobody. Undefined: every request is taken. */
const byProtocol: Readonly<Record<Protocol, VendorName | undefined>> = {
  messages: "anthropic",
  responses: "openai-responses",
  chat: "openai-compatible",
  generate: "google",
  converse: "bedrock",
};

export interface VendorSettings {
  name: VendorName;
  /** Tokens for input and answer; a request above it is an overflow. */
  contextWindow?: number;
  maxOutputTokens?: number;
  /** Input and the answer's limit, as Groq counts them. */
  tokensPerMinute?: number;
  lacks?: readonly Lack[];
  /** Names of rules that this vendor shall not have. */
  without?: readonly string[];
  /** Applies rules too that are known from memory only. */
  unverified?: boolean;
}

export type VendorChoice = VendorName | VendorSettings | "lenient";

export interface Refusal extends Rendered {
  vendor: VendorName;
  rule: string;
  message: string;
}

/** What the vendor answers to a request that it refuses, else undefined. `path` is the path of the URL, `text` the body. */
export function judge(choice: VendorChoice | undefined, call: { path: string; text: string }): Refusal | undefined {
  const protocol = protocolOf(call.path);
  const settings = settingsOf(choice, protocol);
  if (settings === undefined) return undefined;
  const [spoken, vendor] = vendors[settings.name];
  const body = parseBody(call.text);
  const { model, streamed } = readCall(call.path, body);
  const { contextWindow, maxOutputTokens, tokensPerMinute, lacks = [], without = [], unverified = false } = settings;
  const limits = { contextWindow, maxOutputTokens, tokensPerMinute };
  const request = { text: call.text, body: isObject(body) ? body : {}, model, lacks, ...limits };
  const refuse = (rule: string, fault: Fault): Refusal => {
    const rendered = vendor.render(fault, { model, streamed, path: call.path });
    return { ...rendered, vendor: settings.name, rule, message: fault.message };
  };
  if (protocol !== spoken) return refuse("api", { status: 404, message: `${settings.name} has no ${call.path}` });
  for (const rule of vendor.rules) {
    if (without.includes(rule.name) || (rule.unverified === true && !unverified)) continue;
    const fault = rule.find(request);
    if (fault !== undefined) return refuse(rule.name, fault);
  }
  return undefined;
}

function settingsOf(choice: VendorChoice | undefined, protocol: Protocol | undefined): VendorSettings | undefined {
  if (choice === "lenient" || protocol === undefined) return undefined;
  if (typeof choice === "object") return choice;
  const name = choice ?? byProtocol[protocol];
  return name === undefined ? undefined : { name };
}

/** @throws Error when a rule to leave out is none of the vendor's. */
export function checkChoice(choice: VendorChoice | undefined): void {
  if (typeof choice !== "object") return;
  const names = rulesOf(choice.name).map((rule) => rule.name);
  const unknown = choice.without?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Error(`${choice.name} has no rule '${unknown}' to leave out; it has: ${names.join(", ")}`);
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Judged as a request without fields.
  }
}
