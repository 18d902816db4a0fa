// `agents_approve_request`: what somebody decides of a call that waits for approval. Whether they may, and whether what they say fits
// the call, is judged where approvals are kept; here is how it is said.
import * as z from "zod";
import { maxAnswerChars, maxArgumentsChars } from "../../../crds/approval.ts";
import { defined } from "../../../lib/process/defined.ts";
import { ApprovalRefused, type ApprovalRefusal, type Approvals, type Verdict } from "../../approvals/approvals.ts";
import type { ApprovalViews } from "../approvals/views.ts";
import { agentId, defineTool, renderAnswer, ToolRefused, type ManagementTool } from "./tool.ts";

export interface ApproveParts {
  approvals: Pick<Approvals, "decide" | "get">;
  views: Pick<ApprovalViews, "one">;
}

const decisions = ["approve", "answer", "deny_continue", "deny_abort"] as const;

export const createAgentsApprove = ({ approvals, views }: ApproveParts): ManagementTool =>
  defineTool({
    name: "agents_approve_request",
    title: "Decide of a call",
    description:
      "Approves or denies a call of a tool that waits for approval, or answers it instead. The first decision counts, and it is for that one call.",
    role: "approver",
    annotations: { destructiveHint: true, idempotentHint: false },
    args: z.strictObject({
      call_id: z.string().min(1).max(253).meta({ description: "As resource://approvals/pending has it." }),
      agent_id: agentId
        .meta({ description: "The agent that calls; where it is another's call, nothing is decided." })
        .exactOptional(),
      decision: z.enum(decisions).meta({
        description:
          "approve, answer (the call is not made), deny_continue (the run goes on) or deny_abort (the run ends).",
      }),
      arguments_hash: z.string().max(71).exactOptional().meta({
        description:
          "The arguments_hash that was shown with the arguments; of other arguments nothing is decided. Needed unless you deny.",
      }),
      arguments: z
        .record(z.string(), z.json())
        .exactOptional()
        .meta({ description: "With approve: the call is made with these arguments in place of its own." }),
      answer: z
        .string()
        .max(maxAnswerChars)
        .exactOptional()
        .meta({ description: "With answer: what the model is told in place of the tool's result." }),
      reason: z.string().max(1_024).exactOptional().meta({ description: "Why; the model reads it." }),
      scope: z.enum(["once", "session"]).exactOptional().meta({
        description:
          "With approve: session is for this tool with these very arguments in the same session, for as long as the approval is kept. Default once.",
      }),
    }),
    async call({ call_id, agent_id, decision, arguments_hash, arguments: edited, ...said }, identity) {
      const shown = views.one(call_id, identity);
      if (shown === undefined || (agent_id !== undefined && shown.agent_id !== agent_id)) {
        const message = `call "${call_id}" waits for no approval, or not for yours; resource://approvals/pending has those that do`;
        throw new ToolRefused("not_found", message);
      }
      if (arguments_hash === undefined && !decision.startsWith("deny_")) {
        const message = `arguments_hash: expected the hash that was shown with the call, found none; read resource://approvals/${call_id} and look at its arguments`;
        throw new ToolRefused("invalid", message);
      }
      if (edited !== undefined && decision !== "approve") {
        throw new ToolRefused("invalid", `arguments: expected only with decision approve, found with ${decision}`);
      }
      const text = edited === undefined ? undefined : renderEdited(edited);
      const verdict: Verdict = {
        verdict: verdictOf(decision, text !== undefined),
        argumentsHash: arguments_hash ?? shown.arguments_hash,
        ...defined({ arguments: text, ...said }),
      };
      try {
        await approvals.decide(call_id, verdict, identity);
      } catch (error) {
        if (error instanceof ApprovalRefused) throw new ToolRefused(types[error.kind], error.message, { cause: error });
        throw error;
      }
      return renderAnswer({ approval: views.one(call_id, identity) ?? null });
    },
  });

function verdictOf(decision: (typeof decisions)[number], isEdited: boolean): Verdict["verdict"] {
  if (decision === "approve") return isEdited ? "approveEdited" : "approve";
  if (decision === "answer") return "answer";
  return decision === "deny_continue" ? "denyContinue" : "denyAbort";
}

function renderEdited(edited: object): string {
  const text = JSON.stringify(edited);
  if (text.length <= maxArgumentsChars) return text;
  const message = `arguments: expected at most ${maxArgumentsChars} characters as JSON, found ${text.length}; shorten them`;
  throw new ToolRefused("invalid", message);
}

const types = {
  full: "busy",
  "too-large": "invalid",
  unready: "unready",
  invalid: "invalid",
  forbidden: "forbidden",
  not_found: "not_found",
  decided: "conflict",
  undecided: "conflict",
  used: "conflict",
  expired: "conflict",
  hash: "conflict",
} as const satisfies Record<ApprovalRefusal, ToolRefused["type"]>;
