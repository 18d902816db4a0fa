// The environment variables of the registry, read once at start: where its resources come from, and how it serves.
import * as z from "zod";
import { ports } from "../crds/names.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import type { LogLevel } from "../lib/process/log.ts";
import { logVariables } from "../lib/process/log-variables.ts";
import { limitsText, limitsVariable, type Rules } from "../plan/rules.ts";

const everything = "*";

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);
const name = z.string().regex(/^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/, { error: "is neither a Kubernetes name nor *" });
const milliseconds = (least: number) => z.coerce.number().int().min(least).max(3_600_000);

const schema = z
  .object({
    PALLAS_LOCAL_STATE: z.string().optional().describe("file that holds the resources, for a run without a cluster"),
    PALLAS_NAMESPACE: name.optional().describe("namespace of the resources; * is the whole cluster"),
    PALLAS_INSTANCE: list
      .pipe(z.array(name).min(1))
      .optional()
      .describe("instances to serve, separated by commas; * is all of the namespace"),
    PALLAS_PORT: z.coerce.number().int().min(0).max(65_535).default(ports.registry).describe("port of all routes"),
    PALLAS_ADMIN_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe(
        "port that serves probes only; the main port has them too. In local mode there is none unless it is set",
      ),
    PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
    [limitsVariable]: limitsText.default({}).describe("what its operator accepts; the operator writes it"),
    PALLAS_POD_IP: z.string().optional().describe("the pod's address, a further allowed Host"),
    ...logVariables,
    PALLAS_METRICS_MODE: z
      .enum(["aggregate", "podMonitor"])
      .default("aggregate")
      .describe("aggregate: /metrics has the agents' series too; podMonitor: the registry's own only"),
    PALLAS_SCRAPE_INTERVAL_MS: milliseconds(100).default(15_000).describe("between two scrapes of an agent's pod"),
    PALLAS_SCRAPE_TIMEOUT_MS: milliseconds(1).default(2_000).describe("timeout of one scrape"),
    PALLAS_ALLOWED_HOSTS: list.default([]).describe("further Host names, separated by commas"),
    PALLAS_ALLOWED_ORIGINS: list.default([]).describe("Origins of browsers, separated by commas"),
    PALLAS_DRAIN_DELAY_MS: milliseconds(0)
      .optional()
      .describe("how long to serve on after SIGTERM, while endpoints lag"),
  })
  .superRefine((variables, context) => {
    if (variables.PALLAS_LOCAL_STATE !== undefined) return;
    for (const required of ["PALLAS_NAMESPACE", "PALLAS_INSTANCE"] as const) {
      if (variables[required] !== undefined) continue;
      context.addIssue({ code: "custom", path: [required], message: "needed unless PALLAS_LOCAL_STATE is set" });
    }
  });

export interface Environment {
  /** undefined: in a cluster. */
  localState: string | undefined;
  /** undefined: the whole cluster. */
  namespace: string | undefined;
  /** undefined: all. */
  instances: readonly string[] | undefined;
  rules: Rules;
  port: number;
  /** undefined: none. */
  adminPort: number | undefined;
  host: string;
  podIp: string | undefined;
  logLevel: LogLevel | undefined;
  rootLogLevel: LogLevel | undefined;
  metricsMode: "aggregate" | "podMonitor";
  scrapeIntervalMs: number;
  scrapeTimeoutMs: number;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  drainDelayMs: number;
}

/** Throws EnvironmentError, naming every faulty variable. */
export function parseEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const found = readEnvironment(schema, env);
  const { PALLAS_LOCAL_STATE: localState, PALLAS_NAMESPACE: namespace, PALLAS_INSTANCE: instances } = found;
  return {
    localState,
    namespace: namespace === everything ? undefined : namespace,
    instances: instances?.includes(everything) === true ? undefined : instances,
    rules: { mode: localState === undefined ? "cluster" : "local", ...found[limitsVariable] },
    port: found.PALLAS_PORT,
    // The probes of kubelets; on one machine there is no kubelet.
    adminPort: found.PALLAS_ADMIN_PORT ?? (localState === undefined ? ports.registryAdmin : undefined),
    host: found.PALLAS_HOST,
    podIp: found.PALLAS_POD_IP,
    logLevel: found.PALLAS_LOG_LEVEL,
    rootLogLevel: found.PALLAS_ROOT_LOG_LEVEL,
    metricsMode: found.PALLAS_METRICS_MODE,
    scrapeIntervalMs: found.PALLAS_SCRAPE_INTERVAL_MS,
    scrapeTimeoutMs: found.PALLAS_SCRAPE_TIMEOUT_MS,
    allowedHosts: found.PALLAS_ALLOWED_HOSTS,
    allowedOrigins: found.PALLAS_ALLOWED_ORIGINS,
    // On one machine nothing lags behind.
    drainDelayMs: found.PALLAS_DRAIN_DELAY_MS ?? (localState === undefined ? 5_000 : 0),
  };
}
