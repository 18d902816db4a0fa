// The caller of a call through the gateway as one who may approve it, where the rule says askCaller (MGM-7): asked by elicitation beside
// everybody else, in words about this one call. Only a plain yes is one; what is dismissed, or cannot be asked, decides nothing.
import type { ApprovalQuestion, CallerAnswer } from "../../crds/approval-wire.ts";
import type { Asking, Question } from "../../lib/mcp/asking.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { shownLine } from "../../lib/process/shown-text.ts";

/** Of the arguments, as they are shown. */
const maxShownArguments = 4 * 1024;
const maxNameChars = 256;
const maxReasonChars = 1_024;

/** Undefined when the caller decided nothing. Rejects when it could not be asked, or the signal aborts. */
export async function askCaller(
  asking: Pick<Asking, "ask">,
  question: ApprovalQuestion,
  { signal, forMs }: { signal: AbortSignal; forMs: number },
): Promise<CallerAnswer | undefined> {
  const { action, content } = await asking.ask({ ...renderQuestion(question), forMs }, signal);
  const { argumentsHash } = question;
  if (action === "decline") return { verdict: "denyContinue", argumentsHash, reason: "the caller declined" };
  if (action !== "accept" || !isJsonObject(content)) return undefined;
  const { decision } = content;
  if (decision === "approve") return { verdict: "approve", argumentsHash };
  return decision === "deny" ? { verdict: "denyContinue", argumentsHash } : undefined;
}

function renderQuestion({ server, tool, arguments: args, redacted, policy }: ApprovalQuestion): Question {
  const left = args.length > maxShownArguments ? `, the first ${maxShownArguments} of ${args.length} characters` : "";
  const hidden = redacted.length > 0 ? ", without what the policy keeps to itself" : "";
  const lines = [
    "May this call be made for you?",
    `Server: ${shownLine(server, maxNameChars)}`,
    `Tool: ${shownLine(tool, maxNameChars)}`,
    `Arguments${left}${hidden}: ${shownLine(args, maxShownArguments)}`,
    ...(policy.reason === undefined ? [] : [`Why you are asked: ${shownLine(policy.reason, maxReasonChars)}`]),
  ];
  const decision = {
    type: "string",
    title: "Decision",
    description: "Whether the call may be made, once and as it is shown.",
    enum: ["approve", "deny"],
  };
  const requestedSchema = { type: "object", properties: { decision }, required: ["decision"] };
  return { method: "elicitation/create", params: { mode: "form", message: lines.join("\n"), requestedSchema } };
}
