// Anthropic's rules for messages: roles, texts, and calls with their results. Claude on Bedrock has the same.
import { at, firstOf, firstRepeated, listOf, textOf } from "./json.ts";
import type { Rule, VendorRequest } from "./rule.ts";

export interface Turn {
  role: unknown;
  blocks: unknown[];
  /** Index of the turn's first message. */
  index: number;
}

const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);

/** Messages of one role in a row are one turn. */
function turnsOf({ body }: VendorRequest): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of listOf(body["messages"]).entries()) {
    const role = at(message, "role");
    const blocks = blocksOf(at(message, "content"));
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks], index });
  }
  return turns;
}

const idsOf = (turn: Turn | undefined, type: string, field: string): string[] =>
  (turn?.blocks ?? []).filter((block) => at(block, "type") === type).map((block) => textOf(at(block, field)));

const callIdPattern = "^[a-zA-Z0-9_-]+$";
const messageLimit = 100_000;

export const anthropicMessages: readonly Rule[] = [
  {
    name: "messages",
    source: "anthropic 2.12.0 (PyPI) MessageCreateParams: at most 100,000; first role user",
    find(request) {
      const { length } = listOf(request.body["messages"]);
      if (length === 0) return { message: "messages: at least one message is required" };
      if (length > messageLimit) {
        return { message: `messages: List should have at most ${messageLimit} items after validation` };
      }
      return turnsOf(request)[0]?.role === "user"
        ? undefined
        : { message: 'messages: first message must use the "user" role' };
    },
  },
  {
    name: "empty messages",
    source: "anthropics/claude-code#6774, #3196",
    find: ({ body }) =>
      firstOf(listOf(body["messages"]), (message, index) => {
        const content = at(message, "content");
        const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
        const isFinal = index === listOf(body["messages"]).length - 1 && at(message, "role") === "assistant";
        if (!isEmpty || isFinal) return undefined;
        const rule = "all messages must have non-empty content except for the optional final assistant message";
        return { message: `messages.${index}: ${rule}` };
      }),
  },
  {
    name: "empty text",
    source: "anthropics/claude-code#23440, #50082",
    find({ body }) {
      const blocks = [
        blocksOf(body["system"]),
        ...listOf(body["messages"]).map((each) => blocksOf(at(each, "content"))),
      ];
      return firstOf(blocks, (list, group) =>
        firstOf(list, (block, index) => {
          const text = at(block, "text");
          if (at(block, "type") !== "text" || typeof text !== "string" || text.trim() !== "") return undefined;
          const path = group === 0 ? `system.${index}` : `messages.${group - 1}.content.${index}`;
          if (at(block, "cache_control") !== undefined) {
            return { message: `${path}.text: cache_control cannot be set for empty text blocks` };
          }
          const place = group === 0 ? "system" : "messages";
          const rule = text === "" ? "be non-empty" : "contain non-whitespace text";
          return { message: `${place}: text content blocks must ${rule}` };
        }),
      );
    },
  },
  {
    name: "call id",
    source: "bifrost#5097, QwenLM/qwen-code#8160",
    find: ({ body }) =>
      firstOf(listOf(body["messages"]), (message, index) =>
        firstOf(blocksOf(at(message, "content")), (block, position) => {
          const [type, field] = at(block, "type") === "tool_use" ? ["tool_use", "id"] : ["tool_result", "tool_use_id"];
          if (at(block, "type") !== type || new RegExp(callIdPattern).test(textOf(at(block, field)))) return undefined;
          const path = `messages.${index}.content.${position}.${type}.${field}`;
          return { message: `${path}: String should match pattern '${callIdPattern}'` };
        }),
      ),
  },
  {
    name: "call ids are unique",
    source: "trycua/cua#524",
    find: (request) =>
      firstRepeated(turnsOf(request).flatMap((turn) => idsOf(turn, "tool_use", "id"))) === undefined
        ? undefined
        : { message: "messages: `tool_use` ids must be unique" },
  },
  {
    name: "calls without results",
    source: "anthropics/claude-code#5060, #5989",
    find: (request) => {
      const turns = turnsOf(request);
      return firstOf(turns, (turn, position) => {
        const answered = idsOf(turns[position + 1], "tool_result", "tool_use_id");
        const open = idsOf(turn, "tool_use", "id").filter((id) => !answered.includes(id));
        if (open.length === 0) return undefined;
        const fault = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}`;
        const rule = "Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
        return { message: `messages.${turn.index}: ${fault}. ${rule}` };
      });
    },
  },
  {
    name: "results without calls",
    source: "Anthropic's answer, quoted widely: unexpected tool_use_id",
    find: (request) => {
      const turns = turnsOf(request);
      return firstOf(turns, (turn, position) => {
        const calls = idsOf(turns[position - 1], "tool_use", "id");
        const results = idsOf(turn, "tool_result", "tool_use_id");
        const lost = results.find((id) => !calls.includes(id));
        const repeated = firstRepeated(results);
        if (lost === undefined && repeated === undefined) return undefined;
        if (lost === undefined) {
          return {
            message: `messages.${turn.index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${repeated}`,
          };
        }
        const block = turn.blocks.findIndex((each) => at(each, "tool_use_id") === lost);
        const fault = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${lost}`;
        const rule = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
        return { message: `messages.${turn.index}.content.${block}: ${fault}. ${rule}` };
      });
    },
  },
  {
    name: "results before texts",
    source: "Anthropic's guide to tool use: tool_result blocks come first in the content",
    find: (request) => {
      const turns = turnsOf(request);
      return firstOf(turns, (turn, position) => {
        const types = turn.blocks.map((block) => at(block, "type"));
        const last = types.lastIndexOf("tool_result");
        if (last === -1 || types.slice(0, last).every((type) => type === "tool_result")) return undefined;
        const before = turns[position - 1];
        const ids = idsOf(before, "tool_use", "id").join(", ");
        const fault = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}`;
        const rule = "Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
        return { message: `messages.${before?.index ?? 0}: ${fault}. ${rule}` };
      });
    },
  },
  {
    name: "prefilled answer",
    source: "llxprt-code#3695; 4.5 and older take it (copilot-api#261)",
    find: (request) =>
      turnsOf(request).at(-1)?.role === "assistant" && /claude-([a-z]+-(4-[6-9]|[5-9]))/.test(request.model)
        ? {
            message:
              "This model does not support assistant message prefill. The conversation must end with a user message.",
          }
        : undefined,
  },
];
