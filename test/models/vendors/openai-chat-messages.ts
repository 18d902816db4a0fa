// Order and pairing of chat messages as OpenAI demands them, and DeepSeek, Kimi, Qwen and others after it.
import { at, firstOf, listOf, textOf } from "./json.ts";
import { noMatch, tooLong } from "./openai-faults.ts";
import { toolNamePattern } from "./openai-tools.ts";
import type { Rule, VendorRequest } from "./rule.ts";

export interface ChatCall {
  id: string;
  name: string;
  argumentsText: unknown;
  /** messages[1].tool_calls[0] */
  path: string;
}

export const messagesOf = ({ body }: VendorRequest) => listOf(body["messages"]);

export const callsOf = (message: unknown, index: number): ChatCall[] =>
  listOf(at(message, "tool_calls")).map((call, position) => ({
    id: textOf(at(call, "id")),
    name: textOf(at(at(call, "function"), "name")),
    argumentsText: at(at(call, "function"), "arguments"),
    path: `messages[${index}].tool_calls[${position}]`,
  }));

/** Ids of the tool messages that follow directly. */
function answersBehind(messages: readonly unknown[], index: number): string[] {
  const answers: string[] = [];
  for (const message of messages.slice(index + 1)) {
    if (at(message, "role") !== "tool") break;
    answers.push(textOf(at(message, "tool_call_id")));
  }
  return answers;
}

export const noMessages: Rule = {
  name: "messages",
  source: "openai-openapi CreateChatCompletionRequest: minItems 1",
  find: (request) =>
    messagesOf(request).length > 0
      ? undefined
      : {
          message:
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
          param: "messages",
          code: "empty_array",
        },
};

export const unansweredCalls: Rule = {
  name: "calls without results",
  source: "CLIProxyAPI#2798 (OpenAI), agno-agi/agno#3105 (DeepSeek), QwenLM/qwen-code#606 (Qwen)",
  find(request) {
    const messages = messagesOf(request);
    return firstOf(messages, (message, index) => {
      const answers = answersBehind(messages, index);
      const open = callsOf(message, index).filter(({ id }) => !answers.includes(id));
      if (open.length === 0) return undefined;
      const rule =
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
      const ids = open.map(({ id }) => id).join(", ");
      return {
        message: `${rule} The following tool_call_ids did not have response messages: ${ids}`,
        param: `messages.[${index + 1}].role`,
      };
    });
  },
};

export const resultsWithoutCalls: Rule = {
  name: "results without calls",
  source: "miurla/morphic#136, smarter-sh/smarter#264",
  find(request) {
    let open: string[] = [];
    return firstOf(messagesOf(request), (message, index) => {
      if (at(message, "role") !== "tool") {
        open = callsOf(message, index).map(({ id }) => id);
      } else if (!open.includes(textOf(at(message, "tool_call_id")))) {
        return {
          message:
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param: `messages.[${index}].role`,
        };
      }
      return undefined;
    });
  },
};

const callIdLimit = 40;

export const callIdLength: Rule = {
  name: "call id",
  source: "vercel/ai#8132, Portkey-AI/gateway#1062",
  find: (request) =>
    firstOf(messagesOf(request).flatMap(callsOf), ({ id, path }) =>
      id.length > callIdLimit ? tooLong(`${path}.id`, callIdLimit, id.length) : undefined,
    ),
};

export const callNames: Rule = {
  name: "call name",
  source: "mcp-use/mcp-use#90",
  find: (request) =>
    firstOf(messagesOf(request).flatMap(callsOf), ({ name, path }) =>
      new RegExp(toolNamePattern).test(name) ? undefined : noMatch(`${path}.function.name`, toolNamePattern),
    ),
};

export interface ChatImage {
  url: string;
  role: unknown;
  path: string;
}

export const imagesOf = (request: VendorRequest): ChatImage[] =>
  messagesOf(request).flatMap((message, index) =>
    listOf(at(message, "content")).flatMap((part, position) =>
      at(part, "type") === "image_url"
        ? [
            {
              url: textOf(at(at(part, "image_url"), "url")),
              role: at(message, "role"),
              path: `messages[${index}].content[${position}].image_url`,
            },
          ]
        : [],
    ),
  );

export const textsInResults: Rule = {
  name: "content of results",
  source: "openai-openapi ChatCompletionRequestToolMessage: only type text is supported",
  find: (request) =>
    firstOf(messagesOf(request), (message, index) => {
      if (at(message, "role") !== "tool") return undefined;
      const wrong = listOf(at(message, "content")).findIndex((part) => at(part, "type") !== "text");
      if (wrong === -1) return undefined;
      return {
        message: `Invalid value: '${textOf(at(listOf(at(message, "content"))[wrong], "type"))}'. Supported values are: 'text'.`,
        param: `messages[${index}].content[${wrong}].type`,
        code: "invalid_value",
      };
    }),
};
