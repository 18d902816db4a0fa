// PallasApproval: one call of a tool that somebody must approve (MGM-6), written by the instance's gateway alone. It is bound to
// exactly one call, decided once, and used once; nobody changes it but for the decision.
import * as z from "zod";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import { choice, flag, integer, list, object, text, withRules, withTransitionRule } from "./fields.ts";
import { policyMaxima } from "./policy.ts";
import { nameRef } from "./references.ts";

/** On the wire of MCP in snake case: approve, deny_continue, deny_abort, answer. */
export const verdicts = ["approve", "approveEdited", "answer", "denyContinue", "denyAbort"] as const;
export type Verdict = (typeof verdicts)[number];
/** once: for one call. session: for all equal ones of the session, for as long as it is kept. */
const decisionScopes = ["once", "session"] as const;

/** As JSON text, in characters: of a call's arguments, and of those that somebody edited. */
export const maxArgumentsChars = 256 * 1024;
export const maxSchemaChars = 32 * 1024;
export const maxAnswerChars = 64 * 1024;
const maxChain = 16;
/** Of the run, the latest ones. */
export const maxSteps = 32;
export const maxStepChars = 200;
export const maxDescriptionChars = 4096;
const stepOutcomes = ["ok", "failed", "waiting"] as const;

const name = (description: string) => text(1024, description, { min: 1 });

/** `sha256:` and 64 hex digits. */
const hash = (description: string) =>
  text(71, description, { pattern: /^sha256:[0-9a-f]{64}$/, expected: "sha256: and 64 hex digits" });
const hex = (description: string) => text(64, description, { pattern: /^[0-9a-f]{64}$/, expected: "64 hex digits" });

const link = object("One of those through whom the call came.", {
  agent: name("The agent.").exactOptional(),
  caller: name("Who called.").exactOptional(),
  step: text(1024, "What it was working on, as its progress says.").exactOptional(),
});

const step = object("A call that the run made before.", {
  text: text(maxStepChars, "The server and tool, or the agent, that was called.", { min: 1 }),
  outcome: choice(stepOutcomes, "How it ended: ok, failed, or waiting for somebody to approve it."),
  at: timestamp.meta({ description: "When it ended, or began to wait." }),
});

const policy = object("What asks.", {
  name: text(253, "The policy.", { min: 1 }),
  generation: integer(0, Number.MAX_SAFE_INTEGER, "Generation of its rules."),
  rule: text(policyMaxima.nameChars, "The rule; absent: its default.", { min: 1 }).exactOptional(),
  reason: text(policyMaxima.reasonChars, "Why it asks.").exactOptional(),
  approvers: list(
    text(policyMaxima.textChars, "A person or group.", { min: 1 }),
    policyMaxima.listItems,
    "Who may approve. Absent: whoever has the role approver.",
  ).exactOptional(),
  askCaller: flag("Whether the caller may approve, too.").exactOptional(),
});

/** Fields of a decision; `decisionRules` says which go together. */
export const approvalDecision = {
  verdict: choice(
    verdicts,
    "approve, approveEdited (with other arguments), answer (in place of the call), denyContinue (the run goes on) or denyAbort (the run ends).",
  ),
  argumentsHash: hash("That of spec: who decides says which arguments they saw."),
  by: name("Who decided."),
  approver: text(
    policyMaxima.textChars,
    "Which of the rule's approvers they are, where a gateway has judged that; gateways alone write it.",
    { min: 1 },
  ).exactOptional(),
  at: timestamp.meta({ description: "When." }),
  reason: text(1024, "Why; the model reads it.").exactOptional(),
  scope: choice(
    decisionScopes,
    "What approve is for: once, or session (all equal calls of it). Default once.",
  ).exactOptional(),
  arguments: text(
    maxArgumentsChars,
    "With approveEdited: the arguments in place of the call's, as JSON.",
  ).exactOptional(),
  answer: text(maxAnswerChars, "With answer: what the model is told in place of the tool's result.").exactOptional(),
};

interface Decided {
  verdict: Verdict;
  scope?: (typeof decisionScopes)[number];
  arguments?: string;
  answer?: string;
}

export const decisionRules = <T extends z.ZodType<Decided>>(schema: T): T =>
  withRules(
    schema,
    {
      cel: "has(self.arguments) == (self.verdict == 'approveEdited')",
      message: "arguments are needed with verdict approveEdited, and are for it only",
      holds: ({ arguments: edited, verdict }) => (edited !== undefined) === (verdict === "approveEdited"),
    },
    {
      cel: "has(self.answer) == (self.verdict == 'answer')",
      message: "answer is needed with verdict answer, and is for it only",
      holds: ({ answer, verdict }) => (answer !== undefined) === (verdict === "answer"),
    },
    {
      cel: "!has(self.scope) || self.scope == 'once' || self.verdict == 'approve'",
      message: "scope session is for verdict approve only",
      holds: ({ scope, verdict }) => scope !== "session" || verdict === "approve",
    },
  );

const decision = decisionRules(object("What was decided; it is written once.", approvalDecision));
export type ApprovalDecision = z.output<typeof decision>;

/** What an agent says of the call that it asks about. */
export const approvalQuestion = {
  sessionHash: hex("Digest of the session that the call is in."),
  caller: name("For whom the call is made."),
  role: text(63, "That caller's role in the gateway.", { min: 1 }).exactOptional(),
  chain: list(link, maxChain, "Through whom the call came, who began it first."),
  steps: list(step, maxSteps, "What the agent's run called before, the latest last.").exactOptional(),
  server: name("The server that is called."),
  tool: name("The tool, as its server names it."),
  toolHash: hash("Digest of the tool's definition."),
  hints: object("What the server says of the tool; nobody can trust it.", {
    readOnly: flag("Whether it only reads.").exactOptional(),
    destructive: flag("Whether it may destroy something.").exactOptional(),
  }).exactOptional(),
  description: text(maxDescriptionChars, "What the server says of the tool, or the beginning of it.").exactOptional(),
  inputSchema: text(maxSchemaChars, "JSON Schema of its arguments, where that is short enough.").exactOptional(),
  outputSchema: text(maxSchemaChars, "JSON Schema of its answer, where that is short enough.").exactOptional(),
  argumentsHash: hash("Digest of the arguments as they would be sent (RFC 8785)."),
  arguments: text(maxArgumentsChars, "The arguments as JSON, without what the rule keeps to itself."),
  redacted: list(
    text(policyMaxima.pointerChars, "A JSON pointer."),
    policyMaxima.redactions,
    "What was taken out of the arguments.",
  ),
  policy,
};

/** What is asked about: all that nobody may change. */
const question = {
  instanceRef: nameRef("The instance it belongs to, in the same namespace."),
  agentRef: nameRef("The agent that calls. Absent: a call through the gateway itself.").exactOptional(),
  agentUid: text(64, "That agent's uid.", { min: 1 }).exactOptional(),
  ...approvalQuestion,
  callHash: hex("Digest of all that the approval is bound to."),
  expiresAt: timestamp.meta({ description: "When it is denied if nobody has decided." }),
};

const isUnchanged = ([field, schema]: [string, z.ZodType]): string =>
  schema instanceof z.ZodExactOptional
    ? `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`
    : `self.${field} == oldSelf.${field}`;

const ruledSpec = withRules(
  object("A call of a tool, and what was decided of it.", { ...question, decision: decision.exactOptional() }),
  {
    cel: "!has(self.decision) || self.decision.argumentsHash == self.argumentsHash",
    message: "decision.argumentsHash must be spec.argumentsHash: another call was looked at",
    holds: (spec) => spec.decision === undefined || spec.decision.argumentsHash === spec.argumentsHash,
  },
);

const boundSpec = withTransitionRule(ruledSpec, {
  cel: Object.entries(question)
    .map((field) => `(${isUnchanged(field)})`)
    .join(" && "),
  message: "nothing but decision can change: what was asked about is what is approved",
});

const approvalSpec = withTransitionRule(boundSpec, {
  cel: "!has(oldSelf.decision) || (has(self.decision) && self.decision == oldSelf.decision)",
  message: "decision cannot change: this approval was decided already",
});

const approvalStatus = object("What became of it.", {
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditionList.exactOptional(),
  usedBy: text(64, "Id of the one use of what was decided.", { min: 1 }).exactOptional(),
});

const over = "['Expired', 'Consumed']";

export const pallasApproval = {
  kind: "PallasApproval",
  plural: "pallasapprovals",
  singular: "pallasapproval",
  shortNames: ["papp"],
  description: "A call of a tool that somebody must approve, written by the instance's gateway.",
  spec: approvalSpec,
  status: approvalStatus,
  nameRules: [],
  objectRules: [
    {
      cel: `has(oldSelf.spec.decision) || !has(self.spec.decision) || !has(oldSelf.status) || !has(oldSelf.status.conditions) || !oldSelf.status.conditions.exists(condition, condition.type in ${over} && condition.status == 'True')`,
      message: "spec.decision comes too late: this approval has expired or is used",
    },
  ],
  columns: [
    { name: "Agent", type: "string", jsonPath: ".spec.agentRef.name", description: "The agent that calls." },
    { name: "Server", type: "string", jsonPath: ".spec.server", description: "The server that is called." },
    { name: "Tool", type: "string", jsonPath: ".spec.tool", description: "The tool." },
    { name: "Verdict", type: "string", jsonPath: ".spec.decision.verdict", description: "What was decided." },
    {
      name: "Expires",
      type: "string",
      jsonPath: ".spec.expiresAt",
      description: "When it is denied if nobody has decided.",
    },
    {
      name: "Caller",
      type: "string",
      jsonPath: ".spec.caller",
      description: "For whom the call is made.",
      priority: 1,
    },
    { name: "By", type: "string", jsonPath: ".spec.decision.by", description: "Who decided.", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const approvalManifest = manifestSchema(pallasApproval);
export type PallasApproval = z.output<typeof approvalManifest>;
export type ApprovalSpec = PallasApproval["spec"];
export type ApprovalStep = NonNullable<ApprovalSpec["steps"]>[number];
export type ApprovalStatus = NonNullable<PallasApproval["status"]>;
