// What one agent is, as the gateway tells of it: beside what the list says, its address, whose history it keeps, and what it uses.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const agentInfoSchema = z.looseObject({
  id: z.string(),
  title: z.string().default(""),
  description: z.string().default(""),
  health: z.enum(["ok", "degraded", "error"]).optional(),
  ready: z.boolean(),
  starting: z.boolean().default(false),
  message: z.string().optional(),
  reason: z.string().optional(),
  model: z.string().default(""),
  replicas: z.number().default(1),
  url: z.string().optional(),
  scope: z.enum(["shared", "connection", "request"]).optional(),
  servers: z.array(z.string()).default([]),
  agents: z.array(z.string()).default([]),
});
export type AgentInfo = z.output<typeof agentInfoSchema>;

export const agentInfoUri = (agent: string): string => `resource://agents/${encodeURIComponent(agent)}/info`;
export const agentInfoResource = jsonResource(agentInfoSchema);
