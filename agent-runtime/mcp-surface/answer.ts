// What a caller of send_message gets for a run that went well (AGT-1, AGT-13): the text, the same beside the facts of the run
// as structuredContent, and how to go on with the conversation. Failures are send-message.ts's.
import * as z from "zod";
import { sessionIdMetaKey, unavailableServersMetaKey } from "../../crds/names.ts";
import type { Content, JsonObjectSchema, ToolResult } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Spent } from "../loop/budget.ts";
import type { RunOutcome } from "../loop/run-loop.ts";

const namesTold = 100;
const tokens = { type: "number", minimum: 0 };

/** Fields and words may be added to it, and clients keep what they read once: so nothing here closes a list. */
const facts = {
  type: "object" as const,
  properties: {
    text: { type: "string", description: "The answer, as in the first text block." },
    session_id: { type: "string", description: "Send it with the next message to continue this conversation." },
    model: { type: "string", description: "The model that answered." },
    stop_reason: {
      type: "string",
      description:
        "end: the answer is whole. length, content_filter: the model's limit or its provider's filter cut it. " +
        "max_steps, tool_calls, total_tokens, wall_clock: that limit of the agent was reached, and the answer is what " +
        "was known by then.",
    },
    steps: { type: "integer", minimum: 0, description: "Model turns of this call." },
    tools_left_out: {
      type: "array",
      items: { type: "string" },
      description:
        "Tools that the agent has and its model was not offered, because the model's provider refuses them or takes no more: " +
        "the first 100 names.",
    },
    usage: {
      type: "object",
      description:
        "Tokens of this call. input counts what was neither read from a cache (cache_read, cache_hit) nor written to " +
        "one (cache_write); output includes reasoning.",
      properties: { input: tokens, output: tokens },
      required: ["input", "output"],
      additionalProperties: tokens,
    },
  },
  required: ["text", "model", "stop_reason", "steps", "usage"],
};

/** What `structuredContent` holds. `$defs` of the answer's schema stay at the root, to which its references point. */
export function renderOutputSchema(answer?: Record<string, unknown>): JsonObjectSchema {
  if (answer === undefined) return facts;
  const { $defs, ...output } = z.record(z.string(), z.json()).parse(answer);
  return {
    ...facts,
    properties: { ...facts.properties, output },
    required: [...facts.required, "output"],
    ...defined({ $defs }),
  };
}

export interface AnswerFacts {
  spent: Spent;
  /** By which the conversation is gone on with, where that is how it is found again. */
  sessionId: string | undefined;
  /** The caller's model started it by name, and reads nothing but text. */
  tellsSession: boolean;
}

/** The result of a run without a failure. */
export function renderAnswer(outcome: Omit<RunOutcome, "failure">, { spent, ...session }: AnswerFacts): ToolResult {
  const { text, model, stopReason, output, toolsLeftOut } = outcome;
  const { sessionId } = session;
  return {
    ...withSession({ content: [{ type: "text", text }] }, session),
    structuredContent: {
      text,
      ...defined({ output, session_id: sessionId }),
      model,
      stop_reason: stopReason,
      steps: spent.steps,
      ...(toolsLeftOut.length === 0 ? {} : { tools_left_out: toolsLeftOut.slice(0, namesTold) }),
      usage: { input: 0, output: 0, ...spent.usage },
    },
  };
}

/** A result, failures too, that says how to go on with its conversation. */
export function withSession(
  result: ToolResult,
  { sessionId, tellsSession }: Pick<AnswerFacts, "sessionId" | "tellsSession">,
): ToolResult {
  if (sessionId === undefined) return result;
  const content = tellsSession ? [...result.content, renderSessionBlock(sessionId)] : result.content;
  return { ...result, content, meta: { [sessionIdMetaKey]: sessionId } };
}

/** A result that names the servers whose tools the run had to do without. */
export const withUnavailable = (result: ToolResult, servers: readonly string[]): ToolResult =>
  servers.length === 0 ? result : { ...result, meta: { ...result.meta, [unavailableServersMetaKey]: servers } };

const renderSessionBlock = (sessionId: string): Content => ({
  type: "text",
  text: `[To continue this conversation, send session_id "${sessionId}" with the next message.]`,
  annotations: { audience: ["assistant"] },
});
