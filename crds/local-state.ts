// What `pallas up` tells the registry it starts: the same resources a cluster would hold, with their status, and
// where each agent's admin port is. One file, replaced whole at each change.
import * as z from "zod";
import { agentManifest } from "./agent.ts";
import { instanceManifest } from "./instance.ts";

const endpoint = z.strictObject({
  namespace: z.string(),
  instance: z.string(),
  agent: z.string(),
  pod: z.string(),
  /** Base URL of the admin port: /metrics and /health below it. */
  adminUrl: z.url(),
});
/** One running process of an agent: a pod, or in local mode a child process. */
export type AgentEndpoint = z.output<typeof endpoint>;

export const localStateSchema = z.strictObject({
  schema: z.literal(1),
  instances: z.array(instanceManifest),
  /** Accepted agents; status.url is where the agent is reached on this machine. */
  agents: z.array(agentManifest),
  endpoints: z.array(endpoint),
});
export type LocalState = z.output<typeof localStateSchema>;
