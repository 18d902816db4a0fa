// Policies as the gateway tells of them: the rules that judge an agent's calls, what people propose in their place, and what a proposal would
// have made of the last calls. Rules are read leniently here; what they mean and what is wrong with them, lib/policy says.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

export const actions = ["allow", "ask", "denyContinue", "denyAbort"] as const;
export type RuleAction = (typeof actions)[number];
const action = z.enum(actions);

const texts = z.array(z.string()).nullish();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const test = z.looseObject({
  path: z.string(),
  equals: scalar.optional(),
  in: z.array(scalar).optional(),
  prefix: z.string().optional(),
  glob: z.string().optional(),
  lessThan: z.number().optional(),
  greaterThan: z.number().optional(),
  absent: z.boolean().optional(),
});
export type ShownTest = z.output<typeof test>;

export const ruleSchema = z.looseObject({
  name: z.string(),
  match: z
    .looseObject({
      ...{ servers: texts, tools: texts, callers: texts, roles: texts },
      args: z.array(test).nullish(),
      hints: z.looseObject({ readOnly: z.boolean().nullish(), destructive: z.boolean().nullish() }).nullish(),
    })
    .nullish(),
  action,
  reason: z.string().nullish(),
  approvers: texts,
  askCaller: z.boolean().nullish(),
  redact: texts,
  limit: z
    .looseObject({
      perMinute: z.number().nullish(),
      perDay: z.number().nullish(),
      per: z.enum(["caller", "agent"]).nullish(),
    })
    .nullish(),
});
export type ShownRule = z.output<typeof ruleSchema>;

export const rulesSchema = z.looseObject({ rules: z.array(ruleSchema), default: action.default("ask") });
export type ShownRules = Pick<z.output<typeof rulesSchema>, "rules" | "default">;

const inForce = {
  /** Null where every call is denied, because of `fault`. */
  in_force: z
    .looseObject({ ...rulesSchema.shape, generation: z.number() })
    .nullable()
    .optional(),
  fault: z.string().optional(),
  /** What is wrong with newer rules: the last without a fault hold. */
  faulty: z.string().optional(),
};

const agentPolicy = z.looseObject({
  agent_id: z.string(),
  policy: z.string().nullable(),
  message: z.string().optional(),
  ...inForce,
  generation: z.number().optional(),
  proposals: z.number().default(0),
});
export type AgentPolicy = z.output<typeof agentPolicy>;
export const agentPolicyUri = (agent: string): string => `resource://agents/${encodeURIComponent(agent)}/policy/state`;
export const agentPolicyResource = jsonResource(agentPolicy);

/** One document of `resource://approval-policy/policy`, which is YAML. */
export const policySchema = z.looseObject({
  policy: z.string(),
  judges: z.looseObject({ agents: z.array(z.string()).default([]), gateway: z.boolean().default(false) }),
  ...inForce,
});
export type ShownPolicy = z.output<typeof policySchema>;

const judged = z.looseObject({
  agent_id: z.string().nullable(),
  at: z.string(),
  server: z.string(),
  tool: z.string(),
  caller: z.string(),
  before: action,
  after: action,
  rule: z.string().optional(),
});
export type JudgedCall = z.output<typeof judged>;

const dryRun = z.looseObject({
  total: z.number(),
  counts: z.array(z.looseObject({ before: action, after: action, calls: z.number() })),
  calls: z.array(judged),
  calls_left_out: z.number().optional(),
  unanswered: z.array(z.looseObject({ agent_id: z.string(), message: z.string() })).optional(),
  agents_left_out: z.number().optional(),
});
export type DryRun = z.output<typeof dryRun>;

export const proposalSchema = z.looseObject({
  proposal_id: z.string(),
  policy: z.string(),
  by: z.string(),
  at: z.string(),
  reason: z.string(),
  generation: z.number(),
  is_stale: z.boolean(),
  ...rulesSchema.shape,
  /** For approvers, of the newest proposals. */
  dry_run: dryRun.optional(),
});
export type ShownProposal = z.output<typeof proposalSchema>;

export const policyTextUri = "resource://approval-policy/policy";
export const proposalsUri = "resource://approval-policy/proposals";
export const proposalsResource = jsonResource(z.array(proposalSchema));

/** What `policy_propose` answers. */
export const proposedSchema = z.looseObject({ proposal: z.looseObject({ proposal_id: z.string() }) });
