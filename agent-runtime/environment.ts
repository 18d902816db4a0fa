// The environment variables of an agent's process, read once at start.
import * as z from "zod";
import { mounts, ports, tokenNames } from "../crds/names.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import { logVariables } from "../lib/process/log-variables.ts";

const port = (preset: number) => z.coerce.number().int().min(1).max(65_535).default(preset);
const milliseconds = (preset: number) => z.coerce.number().int().min(0).max(3_600_000).default(preset);

const url = z.url({ protocol: /^https?$/ }).optional();
/** As OpenTelemetry reads them: true in any case, everything else is false. */
const flag = z
  .string()
  .default("false")
  .transform((text) => text.trim().toLowerCase() === "true");

const schema = z.object({
  PALLAS_RUN_CONFIG: z.string().default(mounts.runConfig).describe("the run configuration, a JSON file"),
  PALLAS_LIVE_CONFIG: z.string().default(mounts.liveConfig).describe("what may change while it runs, a JSON file"),
  PALLAS_TEXTS_DIR: z.string().default(mounts.texts).describe("folder of instruction texts, {configMap}/{key}"),
  PALLAS_SECRETS_DIR: z.string().default(mounts.secrets).describe("folder of secrets, {secret}/{key}"),
  PALLAS_HISTORIES_DIR: z.string().default("/var/lib/pallas/histories").describe("folder of this agent's histories"),
  PALLAS_GATEWAY_TOKEN: z
    .string()
    .default(`${mounts.tokens}/${tokenNames.gateway}`)
    .describe("file of the agent's own token for its gateway"),
  PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
  PALLAS_PORT: port(ports.agentMcp).describe("port of /mcp"),
  PALLAS_ADMIN_PORT: port(ports.agentAdmin).describe("port of probes, health and metrics"),
  PALLAS_ADMIN_HOST: z.string().optional().describe("address of the admin port; default: PALLAS_HOST"),
  PALLAS_CALLER_TOKEN_FILE: z
    .string()
    .optional()
    .describe("file of the token that callers from other machines must send (local mode)"),
  PALLAS_POD_IP: z.string().optional().describe("the pod's address, a further allowed Host"),
  ...logVariables,
  PALLAS_EXPAND_ENV: z
    .enum(["0", "1"])
    .default("0")
    .describe("1 expands ${NAME} in URLs and headers, to PALLAS_FILL_NAME (local mode)"),
  PALLAS_DRAIN_DELAY_MS: milliseconds(5_000).describe("how long to serve on after SIGTERM, while endpoints lag"),
  PALLAS_SLOW_PROBE_MS: milliseconds(2_000).describe("a downstream that takes longer than this counts as slow"),
  PALLAS_SLOW_ANSWER_MS: milliseconds(60_000).describe("model turns longer than this on average count as slow"),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.describe(
    "where traces and metrics go; default: the instance's telemetry.otlpEndpoint",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.describe("whole URL for traces, in place of {endpoint}/v1/traces"),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url.describe("whole URL for metrics, in place of {endpoint}/v1/metrics"),
  OTEL_SDK_DISABLED: flag.describe("true sends nothing"),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag.describe("true sends prompts, arguments and results too"),
});

export type Environment = z.infer<typeof schema>;

/** Throws EnvironmentError, naming every faulty variable. */
export const parseEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment =>
  readEnvironment(schema, env);
