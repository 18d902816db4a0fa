// The file that the operator writes and a gateway reads: everything resolved, nothing secret. It never changes while a
// gateway's process lives. Tokens are named, and their hashes read from mounted files, so that a new one needs no restart.
// Unknown keys are ignored on reading, as in an agent's run-config (OPR-11).
import * as z from "zod";
import { browseKinds, gatewayRoles, managementModes } from "./gateway.ts";

const names = z.array(z.string());

const access = z.object({
  who: z.union([
    z.object({ serviceAccount: z.string() }),
    z.object({ claim: z.object({ name: z.string(), value: z.string() }) }),
    /** A file {name}/{key} below the secrets folder, of lines `sha256:HEX [expiry]`. */
    z.object({ tokens: z.object({ name: z.string(), key: z.string() }) }),
  ]),
  as: z.union([
    /** With the names of agents and servers that it is for; `*` in them stands for any characters. */
    z.object({ role: z.enum(gatewayRoles), agents: names, servers: names }),
    z.object({ agent: z.string() }),
  ]),
});
export type GatewayAccessRule = z.output<typeof access>;

const browseSource = z.object({ name: z.string(), kind: z.enum(browseKinds), url: z.string() });
export type BrowseSource = z.output<typeof browseSource>;

const gatewayConfigSchema = z.object({
  schema: z.literal(1),
  /** `version` is that of the instance, which its MCP servers name. */
  instance: z.object({ name: z.string(), namespace: z.string(), version: z.string() }),
  /** Of the ServiceAccount tokens that it takes. */
  audience: z.string(),
  management: z.enum(managementModes),
  /** The first that fits a caller holds. */
  access: z.array(access),
  /** Whose tokens claims are read from. */
  jwt: z
    .object({
      issuer: z.string(),
      audiences: names.min(1),
      /** Absent: from the issuer's metadata. */
      jwksUrl: z.string().exactOptional(),
    })
    .exactOptional(),
  /** Absent: reading it needs a token and a role. */
  directory: z.object({ public: z.literal(true) }).exactOptional(),
  /** The dashboard. Absent: people sign in there with a token that they have. */
  ui: z
    .object({
      /** Where they sign in is the issuer of `jwt`. */
      oidc: z.object({ clientId: z.string(), scopes: names.min(1) }),
    })
    .exactOptional(),
  /** Absent: arguments and answers of calls are not kept. */
  log: z.object({ arguments: z.literal("redacted") }).exactOptional(),
  /** Absent: no place to browse; in local mode then those of npm's and pip's own configuration. */
  browse: z.object({ sources: z.array(browseSource).min(1) }).exactOptional(),
  /** Absent: the table that the gateway brings. */
  embeddings: z
    .union([
      z.object({ kind: z.literal("none") }),
      z.object({
        kind: z.literal("openai"),
        baseUrl: z.string(),
        model: z.string(),
        /** A file {name}/{key} below the secrets folder. Absent: the endpoint asks for none. */
        apiKey: z.object({ name: z.string(), key: z.string() }).exactOptional(),
      }),
    ])
    .exactOptional(),
  /** As {server}__{tool}. Absent: none. */
  pinnedTools: names.min(1).exactOptional(),
  /** How long somebody may take to decide of a call, and how long what was decided is kept. */
  approvals: z
    .object({ timeoutMs: z.number(), keepMs: z.number() })
    .default({ timeoutMs: 600_000, keepMs: 604_800_000 }),
  /** Name of the policy that calls through it are judged by; its rules come by the watch or the state file. Absent: none. */
  policyRef: z.string().exactOptional(),
  ports: z.object({ http: z.number(), admin: z.number() }),
  http: z.object({
    /** Beside the names of its Service, its pod and loopback. */
    allowedHosts: names,
    allowedOrigins: names,
    bodyLimitBytes: z.number(),
  }),
  /** How long calls in flight may go on after SIGTERM. */
  drainTimeoutMs: z.number(),
  logLevel: z.enum(["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"]),
});
export type GatewayConfig = z.output<typeof gatewayConfigSchema>;

/**
 * Reads a gateway's configuration.
 * @throws Error naming each faulty field.
 */
export function parseGatewayConfig(text: string): GatewayConfig {
  const result = gatewayConfigSchema.safeParse(JSON.parse(text));
  if (!result.success) throw new Error(`the gateway's configuration is not valid: ${z.prettifyError(result.error)}`);
  return result.data;
}
