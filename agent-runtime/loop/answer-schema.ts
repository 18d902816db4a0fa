// An agent whose answers are objects of a schema (spec.output.schema): the model is asked for one in the system prompt, its
// last text is read and checked, and what does not fit is asked for once more, with what was wrong. No provider's own
// structured output is used: each takes another part of JSON Schema, and some take none beside tools.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { findSchemaProblem, ofOurOwn } from "../../lib/mcp/schema-check.ts";
import { CallError } from "../call-error.ts";
import type { Ended } from "./answer-end.ts";
import { renderEndNotes } from "./answer-end.ts";
import { maxArgumentDepth, isShallow } from "./tool-calls.ts";

type JsonObject = Record<string, unknown>;

export interface AnswerSchema {
  /** For the end of the system prompt. */
  readonly instruction: string;
  /** The object that a text holds, or why it is none by the schema. */
  read(text: string): { output: JsonObject } | { problem: string };
}

/** For a schema that plan/ has accepted. */
export function createAnswerSchema(schema: JsonObject): AnswerSchema {
  return {
    instruction: [
      "Use your tools as you need them. Your last message, the answer, is read by a program: it must be one JSON object",
      "that fits this JSON Schema, and nothing else, neither words around it nor a code block:",
      JSON.stringify(schema),
    ].join("\n"),
    read(text) {
      const parsed = parseObject(text);
      if ("problem" in parsed) return parsed;
      const problem = findSchemaProblem(schema, parsed.output, "the answer", ofOurOwn);
      return problem === undefined ? parsed : { problem };
    },
  };
}

/** Words and code fences around the object are forgiven: models write them whatever they are told. */
function parseObject(text: string): { output: JsonObject } | { problem: string } {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (from === -1 || to < from) return { problem: "there is no JSON object in it" };
  try {
    const output: unknown = JSON.parse(text.slice(from, to + 1));
    if (!isJsonObject(output)) return { problem: "it is not a JSON object" };
    return isShallow(output) ? { output } : { problem: `it is nested more than ${maxArgumentDepth} levels deep` };
  } catch (error) {
    return { problem: `it is not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** The object that a run ended with. `askAgain` goes on with the run. Throws CallError when the second answer is none either. */
export async function settleOutput(
  schema: AnswerSchema,
  first: Ended,
  askAgain: (request: string) => Promise<Ended>,
): Promise<{ output: JsonObject; ended: Ended }> {
  const read = schema.read(first.turn.text);
  if ("output" in read) return { output: read.output, ended: first };
  const ended = await askAgain(
    `This answer does not fit the JSON Schema: ${read.problem}. Write the whole JSON object again, and nothing else.`,
  );
  const again = schema.read(ended.turn.text);
  if ("output" in again) return { output: again.output, ended };
  const sentence = `the model's answer does not fit spec.output.schema of the agent, also when asked again: ${again.problem}`;
  throw new CallError([sentence, ...renderEndNotes(ended)].join(" "));
}
