// What an agent is doing, how what it uses stands, and what the operator says of it: a resource each.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const uriOf = (agent: string, path: string): string => `resource://agents/${encodeURIComponent(agent)}/${path}`;

const run = z.looseObject({
  run_id: z.string(),
  started_at: z.string(),
  /** Absent where nobody has proven who it is. */
  caller: z.string().optional(),
  steps: z.number().default(0),
  tokens: z.number().default(0),
});
export type ShownRun = z.output<typeof run>;

const endedRun = run.extend({ ended_at: z.string(), outcome: z.enum(["ok", "error", "cancelled", "invalid"]) });
export type ShownEndedRun = z.output<typeof endedRun>;

const state = z.looseObject({
  state: z.enum(["idle", "running", "suspended", "unknown"]),
  timestamp: z.string(),
  message: z.string().optional(),
  runs: z.array(run),
  /** The last ones, the newest first. */
  ended: z.array(endedRun).default([]),
});
export type AgentActivity = z.output<typeof state>;
export const agentStateUri = (agent: string): string => uriOf(agent, "state");
export const agentStateResource = jsonResource(state);

const patterns = z.array(z.string()).nullish();
const mount = z.looseObject({
  server: z.string(),
  kind: z.enum(["server", "agent"]),
  /** Which of its tools; absent: all. */
  tools: z.looseObject({ allow: patterns, deny: patterns }).nullish(),
  state: z.enum(["initializing", "running", "failed"]),
  detail: z.string().optional(),
  checked_at: z.string().optional(),
});
export type ShownMount = z.output<typeof mount>;
export const agentMountsUri = (agent: string): string => uriOf(agent, "mcp/state");
export const agentMountsResource = jsonResource(z.array(mount));

const session = z.looseObject({
  status: z.string(),
  message: z.string().optional(),
  replicas: z.number().default(0),
  ready_replicas: z.number().default(0),
  conditions: z.array(
    z.looseObject({
      type: z.string(),
      status: z.string(),
      reason: z.string().default(""),
      message: z.string().default(""),
      since: z.string().optional(),
    }),
  ),
});
export type AgentSession = z.output<typeof session>;
export const agentSessionUri = (agent: string): string => uriOf(agent, "session/state");
export const agentSessionResource = jsonResource(session);
