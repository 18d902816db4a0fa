// What the operator reads from its environment, all of it, with defaults.
import * as z from "zod";
import { networkPolicyPeer } from "../crds/agent-settings.ts";
import { ports } from "../crds/names.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import { logVariables } from "../lib/process/log-variables.ts";
import { usualApiServerPorts } from "./render/registry-network-policy.ts";
import { limitVariables, list } from "../plan/limit-variables.ts";

const integer = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum);

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "expected JSON" });
    return z.NEVER;
  }
});

const schema = z.object({
  PALLAS_NAMESPACES: list
    .optional()
    .describe("namespaces to look after, separated by commas; unset: the whole cluster"),
  PALLAS_AGENT_IMAGE: z.string().describe("image of agents"),
  PALLAS_REGISTRY_IMAGE: z.string().describe("image of registries"),
  PALLAS_GATEWAY_IMAGE: z.string().describe("image of gateways"),
  PALLAS_BRIDGE_IMAGE: z.string().describe("image of the bridges before tool servers, which runs packages too"),
  ...limitVariables,
  PALLAS_API_SERVER_PORTS: list
    .transform((ports) => ports.map(Number))
    .pipe(z.array(z.int().min(1).max(65_535)).min(1))
    .default([...usualApiServerPorts])
    .describe(
      "where registries and gateways reach the API server, by their NetworkPolicies: its ports, separated by commas",
    ),
  PALLAS_METRICS_FROM: json
    .pipe(z.array(networkPolicyPeer).max(16))
    .default([])
    .describe("who may read the metrics of gateways, by their NetworkPolicies: a list of NetworkPolicyPeers as JSON"),
  PALLAS_MAX_ROLLOUTS: integer(1, 1_000)
    .default(10)
    .describe("agents that move to this release's image at the same time"),
  PALLAS_HEALTH_INTERVAL_MS: integer(1_000, 3_600_000)
    .default(30_000)
    .describe("how often each agent and each bridge is asked for its health"),
  PALLAS_AGENT_HEALTH_URL: z
    .string()
    .optional()
    .describe(
      "where to ask agents for their health, with {name} and {namespace}; for operators outside the cluster, which reach no pod",
    ),
  PALLAS_BRIDGE_HEALTH_URL: z
    .string()
    .optional()
    .describe("where to ask the bridges of tool servers for theirs, as PALLAS_AGENT_HEALTH_URL"),
  PALLAS_LEADER_ELECTION: z.enum(["true", "false"]).default("true").describe("false only where one process ever runs"),
  PALLAS_LEASE_NAMESPACE: z
    .string()
    .default("default")
    .describe("namespace of the election's Lease: the operator's own"),
  PALLAS_POD_NAME: z.string().default("operator").describe("name of this process in the election"),
  PALLAS_ADMIN_PORT: integer(0, 65_535).default(ports.operatorAdmin).describe("port of metrics and probes"),
  PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
  PALLAS_WORKERS: integer(1, 100).default(8).describe("concurrent reconciles, per kind"),
  ...logVariables,
});

export type Environment = z.output<typeof schema>;

/** Throws EnvironmentError, which names every faulty variable. */
export const parseEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment =>
  readEnvironment(schema, env);
