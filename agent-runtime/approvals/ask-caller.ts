// The caller of a run as one who may approve (MGM-7, a rule's askCaller): asked by elicitation, in words about this one call, with the
// arguments that may be shown. Only a plain yes is one: what is dismissed, or answered in another form, decides nothing.
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import type { Asking, Question } from "../../lib/mcp/asking.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { shownLine } from "../../lib/process/shown-text.ts";

/** Of the arguments, as they are shown. */
const maxShownArguments = 4 * 1024;
const maxNameChars = 256;
const maxReasonChars = 1_024;

export interface CallerVerdict {
  verdict: "approve" | "denyContinue";
  reason?: string;
}

/** Undefined when the caller decided nothing. Rejects when it could not be asked, or the signal aborts. */
export async function askCaller(
  asking: Pick<Asking, "ask">,
  question: ApprovalQuestion,
  { signal, forMs }: { signal: AbortSignal; forMs: number },
): Promise<CallerVerdict | undefined> {
  const { action, content } = await asking.ask({ ...renderQuestion(question), forMs }, signal);
  if (action === "decline") return { verdict: "denyContinue", reason: "the caller declined" };
  if (action !== "accept" || !isJsonObject(content)) return undefined;
  const { decision, reason } = content;
  const said = typeof reason === "string" ? shownLine(reason, maxReasonChars) : "";
  const given = said === "" ? {} : { reason: said };
  if (decision === "approve") return { verdict: "approve", ...given };
  return decision === "deny" ? { verdict: "denyContinue", ...given } : undefined;
}

function renderQuestion({ server, tool, arguments: args, redacted, policy, chain }: ApprovalQuestion): Question {
  const agent = chain.at(-1)?.agent ?? "The agent";
  const left = args.length > maxShownArguments ? `, the first ${maxShownArguments} of ${args.length} characters` : "";
  const hidden = redacted.length > 0 ? ", without what the policy keeps to itself" : "";
  const lines = [
    `${shownLine(agent, maxNameChars)} asks whether it may make this call:`,
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
          reason: { type: "string", title: "Reason", description: "The agent is told it.", maxLength: maxReasonChars },
        },
        required: ["decision"],
      },
    },
  };
}
