// The caller as one who may approve (MGM-7, a rule's askCaller): asked by elicitation, in words about this one call, with the arguments that
// may be shown. Only a plain yes is one: what is dismissed, or answered in another form, decides nothing.
import type { ApprovalQuestion, CallerAnswer } from "../../crds/approval-wire.ts";
import type { Asking, Question } from "../mcp/asking.ts";
import { isJsonObject } from "../mcp/json-rpc.ts";
import { shownLine } from "../process/shown-text.ts";

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
  const { decision, reason } = content;
  const said = typeof reason === "string" ? shownLine(reason, maxReasonChars) : "";
  const given = { argumentsHash, ...(said !== "" && { reason: said }) };
  if (decision === "approve") return { verdict: "approve", ...given };
  return decision === "deny" ? { verdict: "denyContinue", ...given } : undefined;
}

function renderQuestion({ server, tool, arguments: args, redacted, policy, chain }: ApprovalQuestion): Question {
  const agent = chain.at(-1)?.agent;
  const left = args.length > maxShownArguments ? `, the first ${maxShownArguments} of ${args.length} characters` : "";
  const hidden = redacted.length > 0 ? ", without what the policy keeps to itself" : "";
  const lines = [
    agent === undefined
      ? "May this call be made for you?"
      : `${shownLine(agent, maxNameChars)} asks whether it may make this call:`,
    `Server: ${shownLine(server, maxNameChars)}`,
    `Tool: ${shownLine(tool, maxNameChars)}`,
    `Arguments${left}${hidden}: ${shownLine(args, maxShownArguments)}`,
    ...(policy.reason === undefined ? [] : [`Why you are asked: ${shownLine(policy.reason, maxReasonChars)}`]),
  ];
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: lines.join("\n"),
      requestedSchema: {
        type: "object",
        properties: {
          decision: {
            type: "string",
            title: "Decision",
            description: "Whether the call may be made, once and as it is shown.",
            enum: ["approve", "deny"],
          },
          reason: {
            type: "string",
            title: "Reason",
            description: "Whoever made the call is told it.",
            maxLength: maxReasonChars,
          },
        },
        required: ["decision"],
      },
    },
  };
}
