// What `pallas up` tells the registry and the gateways it starts: the same resources a cluster would hold, with their status, and
// where each agent's admin port is. One file, replaced whole at each change. The form of earlier releases, a list for
// each kind, is read too.
import * as z from "zod";
import { agentManifest } from "./agent.ts";
import { instanceManifest } from "./instance.ts";
import { kinds } from "./kinds.ts";

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

/** The running bridge of a tool server. */
const bridge = z.strictObject({
  namespace: z.string(),
  instance: z.string(),
  server: z.string(),
  adminUrl: z.url(),
});

const { PallasInstance, ...others } = kinds;
const resource = z.discriminatedUnion("kind", [
  PallasInstance.manifest,
  ...Object.values(others).map(({ manifest }) => manifest),
]);

const current = z.strictObject({
  schema: z.literal(2),
  /** Of agents only accepted ones; status.url is where such a one is reached on this machine. */
  resources: z.array(resource),
  endpoints: z.array(endpoint),
  /** Earlier releases say nothing of them. */
  bridges: z.array(bridge).default([]),
});
export type LocalState = z.output<typeof current>;

const earlier = z
  .strictObject({
    schema: z.literal(1),
    instances: z.array(instanceManifest),
    agents: z.array(agentManifest),
    endpoints: z.array(endpoint),
  })
  .transform(({ instances, agents, endpoints }): LocalState => ({
    schema: 2,
    resources: [...instances, ...agents],
    endpoints,
    bridges: [],
  }));

export const localStateSchema = z.discriminatedUnion("schema", [current, earlier]);

/** What 1,000 agents with long instructions take, with room. */
export const maxLocalStateBytes = 256 * 1024 * 1024;

/**
 * Reads the file's text.
 * @throws Error naming each faulty field
 */
export function parseLocalState(text: string, path: string): LocalState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`local state: expected JSON in ${path}; it is read again when it changes`, { cause });
  }
  const result = localStateSchema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`local state: ${path} is not what this release understands: ${z.prettifyError(result.error)}`, {
    cause: result.error,
  });
}
