// The file that the operator (or `pallas up`) writes and a bridge reads: one MCP server, resolved, nothing secret. It never
// changes while a bridge's process lives. Secrets are named, and read from mounted files when they are used.
// Unknown keys are ignored on reading, as in an agent's run-config (OPR-11).
import * as z from "zod";

const fileKey = z.object({ name: z.string(), key: z.string() });
const valueOrSecret = z.union([
  z.object({ name: z.string(), value: z.string() }),
  /** A file {name}/{key} below the secrets folder. */
  z.object({ name: z.string(), secret: fileKey }),
]);
export type BridgeValue = z.output<typeof valueOrSecret>;

const target = z.discriminatedUnion("kind", [
  /** A child process of the bridge: of a package of pypi in a pod, and of any program in local mode. */
  z.object({
    kind: z.literal("command"),
    command: z.array(z.string()).min(1),
    /** Absent: the bridge's work folder. */
    cwd: z.string().exactOptional(),
    env: z.array(valueOrSecret),
  }),
  /** A package of npm, which the bridge installs below its work folder and starts as a child process. */
  z.object({
    kind: z.literal("npm"),
    package: z.object({
      name: z.string(),
      version: z.string().exactOptional(),
      /** Absent: its only one, or that of its own name. */
      program: z.string().exactOptional(),
    }),
    args: z.array(z.string()),
    env: z.array(valueOrSecret),
  }),
  /** A container beside the bridge, whose supervisor starts the server with its standard streams on named pipes of a shared folder. */
  z.object({ kind: z.literal("pipes"), folder: z.string() }),
  z.object({
    kind: z.literal("remote"),
    url: z.string(),
    headers: z.array(valueOrSecret),
    forwardInboundAuth: z.boolean(),
  }),
]);
export type BridgeTarget = z.output<typeof target>;

const bridgeConfigSchema = z.object({
  schema: z.literal(1),
  /** `name` as agents refer to it; `resource` is its metadata.name, absent where that is the same; `version` is the instance's. */
  server: z.object({
    name: z.string(),
    resource: z.string().exactOptional(),
    namespace: z.string(),
    instance: z.string(),
    version: z.string(),
  }),
  target,
  sessions: z.object({
    processes: z.enum(["perSession", "shared"]),
    max: z.number(),
    idleTtlMs: z.number(),
  }),
  /** Names of tools that are offered, `*` for any characters; deny wins. No allow: all. */
  tools: z.object({ allow: z.array(z.string()), deny: z.array(z.string()) }),
  /** Deadline of one call, restarted by its progress. */
  timeoutMs: z.number(),
  ports: z.object({ http: z.number(), admin: z.number() }),
  http: z.object({
    /** Beside the names of its Service, its pod and loopback. */
    allowedHosts: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    bodyLimitBytes: z.number(),
  }),
  drainTimeoutMs: z.number(),
  logLevel: z.enum(["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"]),
});
export type BridgeConfig = z.output<typeof bridgeConfigSchema>;

/**
 * Reads a bridge's configuration.
 * @throws Error naming each faulty field.
 */
export function parseBridgeConfig(text: string): BridgeConfig {
  const result = bridgeConfigSchema.safeParse(JSON.parse(text));
  if (!result.success) throw new Error(`the bridge's configuration is not valid: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** What a bridge says at /health of its admin port, for the operator and `pallas up`. */
export const bridgeHealthSchema = z.object({
  /** starting: no process has answered yet. down: it cannot be started or reached now; it is tried again. */
  status: z.enum(["ok", "starting", "down"]),
  /** Why, with the last line that the server wrote to standard error, redacted. */
  message: z.string().exactOptional(),
  processes: z.number(),
  /** Of its last list. */
  toolCount: z.number().exactOptional(),
});
export type BridgeHealth = z.output<typeof bridgeHealthSchema>;
