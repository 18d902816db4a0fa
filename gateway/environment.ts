// The environment variables of a gateway's process, read once at start. What it serves, and to whom, is in its configuration.
import * as z from "zod";
import { mounts, tokenNames } from "../crds/names.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import { logVariables } from "../lib/process/log-variables.ts";
import { limitsText, limitsVariable } from "../plan/rules.ts";

const schema = z.object({
  PALLAS_GATEWAY_CONFIG: z.string().default(mounts.gatewayConfig).describe("the gateway's configuration, a JSON file"),
  PALLAS_SECRETS_DIR: z.string().default(mounts.secrets).describe("folder of token tables, {secret}/{key}"),
  PALLAS_LOCAL_STATE: z.string().optional().describe("file that holds the resources, for a run without a cluster"),
  PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
  PALLAS_ADMIN_HOST: z.string().optional().describe("address of the admin port; default: PALLAS_HOST"),
  PALLAS_POD_IP: z.string().optional().describe("the pod's address, a further allowed Host"),
  [limitsVariable]: limitsText.default({}).describe("what its operator accepts; the operator writes it"),
  PALLAS_IMAGE: z.string().optional().describe("the image it runs in, as people are told"),
  PALLAS_AGENTS_TOKEN: z
    .string()
    .default(`${mounts.tokens}/${tokenNames.agents}`)
    .describe("file of its own token for its agents' admin ports"),
  PALLAS_SESSIONS_FILE: z.string().default(mounts.sessions).describe("file in which sessions outlive the process"),
  PALLAS_REGISTRATIONS_FILE: z
    .string()
    .optional()
    .describe("file of what is registered in the directory, for a run without a cluster"),
  PALLAS_APPROVALS_FILE: z.string().optional().describe("file of approvals, for a run without a cluster"),
  ...logVariables,
  PALLAS_DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(5_000)
    .describe("how long to serve on after SIGTERM, while endpoints lag"),
});

export type Environment = z.infer<typeof schema>;

/** Throws EnvironmentError, naming every faulty variable. */
export const parseEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment =>
  readEnvironment(schema, env);
