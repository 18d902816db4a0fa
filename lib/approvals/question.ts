// What people are asked about a call: all that an approval shows and is bound to (MGM-6), but for who makes it. Pure.
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import { maxArgumentsChars, maxDescriptionChars, maxSchemaChars } from "../../crds/approval.ts";
import { hashArguments } from "../policy/canonical-json.ts";
import type { Decision } from "../policy/policy.ts";
import { redact } from "../policy/redact.ts";
import { defined } from "../process/defined.ts";
import { hashCalledTool, readHints, type CalledTool } from "./called-tool.ts";

export interface CallInQuestion {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly definition: CalledTool;
  readonly args: Record<string, unknown>;
}

/** Who makes the call, in which conversation. */
export type QuestionBy = Pick<ApprovalQuestion, "sessionHash" | "caller" | "role" | "chain" | "steps">;

/** By which policy, as it is when it asks. */
export type AskingPolicy = Pick<ApprovalQuestion["policy"], "name" | "generation">;

/** @param decision that asks. `problem`: why nobody can be asked about this call, as words of a sentence */
export function renderQuestion(
  call: CallInQuestion,
  by: QuestionBy,
  decision: Decision,
  { name, generation }: AskingPolicy,
): { readonly question: ApprovalQuestion } | { readonly problem: string } {
  const { server, tool, definition, args } = call;
  const { rule, reason, approvers, askCaller } = decision;
  const hashes = bindTo(call);
  if (hashes === undefined) {
    return { problem: "nobody can be asked about arguments that are no plain JSON, such as half a surrogate pair" };
  }
  const shown = JSON.stringify(redact(args, decision.redact));
  if (shown.length > maxArgumentsChars) {
    const problem = `the arguments have ${shown.length} characters as JSON, and people are asked about at most ${maxArgumentsChars}`;
    return { problem };
  }
  const { inputSchema, outputSchema, description } = definition;
  const question: ApprovalQuestion = {
    ...by,
    server,
    tool,
    hints: readHints(definition),
    ...defined({
      description:
        description === undefined || description === "" ? undefined : cutText(description, maxDescriptionChars),
      inputSchema: renderSchema(inputSchema),
      outputSchema: outputSchema && renderSchema(outputSchema),
    }),
    ...hashes,
    arguments: shown,
    redacted: [...decision.redact],
    policy: {
      name,
      generation,
      ...defined({ rule, reason }),
      ...(approvers.length > 0 && { approvers: [...approvers] }),
      ...(askCaller && { askCaller }),
    },
  };
  return { question };
}

/** Undefined for what has no canonical form, such as half a surrogate pair, or one too deep. */
function bindTo({ tool, definition, args }: CallInQuestion) {
  try {
    return { toolHash: hashCalledTool(tool, definition), argumentsHash: `sha256:${hashArguments(args)}` };
  } catch {
    return undefined;
  }
}

/** Its beginning, with a mark where it goes on. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;

/** A longer one is not shown. */
function renderSchema(schema: object): string | undefined {
  const text = JSON.stringify(schema);
  return text.length <= maxSchemaChars ? text : undefined;
}
