// Agents as the gateway tells of them: the list, and of a single one what it is, and who may make one. All times are RFC 3339.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";
import type { Role } from "../session/caller.ts";

export const agentSchema = z.looseObject({
  id: z.string(),
  title: z.string(),
  description: z.string().default(""),
  health: z.enum(["ok", "degraded", "error"]).optional(),
  ready: z.boolean(),
  /** Not ready, and nothing is wrong: its pods, or agents that it needs, are on their way. */
  starting: z.boolean().default(false),
  message: z.string().optional(),
  model: z.string().default(""),
  replicas: z.number().default(1),
  /** Calls that this person may decide of. */
  waiting: z.number().default(0),
  /** Why it is not as it should be. */
  reason: z.string().optional(),
  /** Absent: not known. */
  runs: z.number().optional(),
  last_call_at: z.string().optional(),
});
export type ShownAgent = z.output<typeof agentSchema>;

export const agentsUri = "resource://agents/list";
export const agentsResource = jsonResource(z.array(agentSchema));

/** What `agents_create` asks for. */
export const createRole: Role = "admin";
