// Arguments that somebody edited, and answers that somebody gave in place of a tool: whether they are what the tool takes or
// returns. Whoever makes the call looks again, with the parts that were kept from people. Pure.
import { maxAnswerChars, maxArgumentsChars, type ApprovalDecision, type ApprovalSpec } from "../../crds/approval.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { findSchemaProblem } from "../../lib/mcp/schema-check.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";

/** As of what agents are sent. */
const argumentBounds = { maxDepth: 200, maxStructure: 200_000 };

type Changed = Pick<ApprovalDecision, "arguments" | "answer">;

/** What keeps them from taking the call's place, in words; undefined where nothing does. */
export function findChangeProblem(spec: ApprovalSpec, { arguments: edited, answer }: Changed): string | undefined {
  if (edited !== undefined) return findArgumentsProblem(spec, edited);
  return answer === undefined ? undefined : findAnswerProblem(spec, answer);
}

function findArgumentsProblem({ inputSchema, redacted }: ApprovalSpec, edited: string): string | undefined {
  if (edited.length > maxArgumentsChars) return `the edited arguments are longer than ${maxArgumentsChars} characters`;
  const found = readJsonObject(edited);
  if (typeof found === "string") return `the edited arguments ${found}`;
  // In place of what was taken out stand words, which need not fit.
  if (redacted.length > 0) return undefined;
  return checkBy(inputSchema, found, "the edited arguments");
}

function findAnswerProblem({ outputSchema }: ApprovalSpec, answer: string): string | undefined {
  if (answer.length > maxAnswerChars) return `the answer is longer than ${maxAnswerChars} characters`;
  if (outputSchema === undefined) return undefined;
  const found = readJsonObject(answer);
  if (typeof found === "string") return `the answer ${found}, and the tool has an output schema`;
  return checkBy(outputSchema, found, "the answer");
}

function checkBy(schema: string | undefined, value: object, whole: string): string | undefined {
  const read = schema === undefined ? undefined : readJsonObject(schema);
  return isJsonObject(read) ? findSchemaProblem(read, value, whole) : undefined;
}

/** The object that a text is, or what is wrong with it, in words that go on "the arguments …". */
export function readJsonObject(text: string): Record<string, unknown> | string {
  const problem = createJsonMeter(argumentBounds)(Buffer.from(text));
  if (problem !== undefined) return problem;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "are no JSON";
  }
  return isJsonObject(value) ? value : "are no JSON object";
}
