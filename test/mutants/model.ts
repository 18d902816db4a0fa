// Mistakes at the border to providers: what of a refusal is understood, what is learned from it, what is tried again, and
// what of a conversation reaches a model that did not write it.
import type { Mutant } from "./mutant.ts";

const refused: readonly Mutant[] = [
  {
    file: "agent-runtime/model/errors.ts",
    find: "const shown = (text: string) => tidy(redact(text, secrets));",
    replace: "const shown = (text: string) => redact(tidy(text), secrets);",
    breaks: "a message that is cut within a key shows half of it",
  },
  {
    file: "agent-runtime/model/errors.ts",
    find: 'if (refusal?.what === "output-limit" && refusal.passing === true) return "quota";',
    replace: "",
    breaks:
      "a request above the account's limit of a minute is taken for one that is too long, and history is condensed",
  },
  {
    file: "agent-runtime/model/errors.ts",
    find: 'if (kind === "network" && failure.name',
    replace: "if (failure.name",
    breaks: "the cause of an error holds the prompt, and is logged",
  },
  {
    file: "agent-runtime/model/refusals.ts",
    find: 'kind === "inclusive" ? limit : limit - 1',
    replace: "limit",
    breaks: "a model whose limit is said exclusively refuses every answer",
  },
  {
    file: "agent-runtime/model/refusals.ts",
    find: "Number(declaration ?? index) - (member === undefined ? 0 : 1)",
    replace: "Number(declaration ?? index)",
    breaks: "Bedrock refuses a tool, and the one behind it is left out",
  },
  {
    file: "agent-runtime/model/refusals.ts",
    find: "if (status === 413) return true;",
    replace: "",
    breaks: "a request that is too large is not condensed, and the conversation never goes on",
  },
  {
    file: "agent-runtime/model/refusals.ts",
    find: "if (status === 401 || status === 429 || perMinute.test(words)) return false;",
    replace: "",
    breaks: "a rate limit makes an agent condense its history",
  },
  {
    file: "agent-runtime/model/learned.ts",
    find: "if (learned.tools.size + named.length > maxRefusedTools) return undefined;",
    replace: "",
    breaks: "a provider that refuses everything makes an agent drop all its tools, one request at a time",
  },
  {
    file: "agent-runtime/model/learned.ts",
    find: "if (maxTokens !== undefined && passing !== true) learned.outputMax = maxTokens;",
    replace: "if (maxTokens !== undefined) learned.outputMax = maxTokens;",
    breaks: "credit that was short once cuts every later answer",
  },
  {
    file: "agent-runtime/model/learned.ts",
    find: "if (thisTime.plainReplay === true) return undefined;",
    replace: "",
    breaks: "a provider that refuses an answer of its own again is asked without an end",
  },
];

const sent: readonly Mutant[] = [
  {
    file: "agent-runtime/model/vendor-rules.ts",
    find: '{ kinds: ["openai"], rules: { maxTools: maxOpenAiTools } },',
    replace: "",
    breaks: "an agent with 129 tools never answers at OpenAI",
  },
  {
    file: "agent-runtime/model/vendor-rules.ts",
    find: 'return reasoningContent === "auto" ? rules : { ...rules, reasoningContent };',
    replace: "return rules;",
    breaks: "the setting reasoningContent does nothing",
  },
  {
    file: "agent-runtime/model/call-ids.ts",
    find: "if (nineCharacters) return mistralForm.test(id) ? id : digest(id).slice(0, mistralLength);",
    replace: "if (nineCharacters) return digest(id).slice(0, mistralLength);",
    breaks: "an id that Mistral wrote itself does not come back as it was",
  },
  {
    file: "agent-runtime/model/call-ids.ts",
    find: "own.has(id) || isCommonCallId(id) ? id",
    replace: "isCommonCallId(id) ? id",
    breaks: "a model does not know its own calls again",
  },
  {
    file: "agent-runtime/model/call-ids.ts",
    find: "/^[a-zA-Z0-9_-]{1,40}$/",
    replace: "/^[a-zA-Z0-9_-]{1,41}$/",
    breaks: "a fallback to OpenAI fails for an id of 41 characters",
  },
  {
    file: "agent-runtime/model/retry.ts",
    find: "if (waitMs > maxWaitMs || ",
    replace: "if (",
    breaks: "a provider that asks for an hour's wait gets it, and no fallback is tried",
  },
  {
    file: "agent-runtime/model/retry.ts",
    find: "clock.now() + waitMs >= (options.deadlineMs ?? Infinity)",
    replace: "clock.now() + waitMs >= Infinity",
    breaks: "a call waits beyond its own time",
  },
  {
    file: "agent-runtime/model/retry.ts",
    find: "tries >= maxTries",
    replace: "tries > maxTries",
    breaks: "a provider that is overloaded is asked once more than is promised",
  },
  {
    file: "agent-runtime/model/sampling.ts",
    find: '(kind === "bedrock" && model.name.includes("claude"))',
    replace: "false",
    breaks: "Claude on Bedrock refuses every request with temperature and topP",
  },
  {
    file: "agent-runtime/model/sampling.ts",
    find: "if (maxTokens !== undefined) return Math.min(maxTokens, most ?? Infinity);",
    replace: "if (maxTokens !== undefined) return maxTokens;",
    breaks: "request.maxTokens above what the model writes fails every call",
  },
  {
    file: "agent-runtime/model/one-model.ts",
    find: "if (notes.has(note) || notes.size >= maxNotes) return;",
    replace: "if (notes.size >= maxNotes) return;",
    breaks: "each call logs again that a setting is not sent",
  },
  {
    file: "agent-runtime/model/opaque.ts",
    find: "  if (opaque.model !== model.ref) return undefined;\n",
    replace: "",
    breaks: "a fallback is sent another provider's signatures, and refuses them",
  },
  {
    file: "agent-runtime/model/opaque.ts",
    find: '.filter((part) => reasoning !== "omit" || part.type !== "reasoning")',
    replace: "",
    breaks: "reasoning goes back to servers that refuse it",
  },
  {
    file: "agent-runtime/model/thinking-text.ts",
    find: '      if (start.startsWith(held)) return "";\n',
    replace: "",
    breaks: "callers that read along see thinking whose tag came in two pieces",
  },
];

export const modelMutants: readonly Mutant[] = [...refused, ...sent];
