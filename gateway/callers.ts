// Who asks (MGM-1), put together from the configuration: the cluster's own tokens, those of an issuer, and the tables of
// tokens that are mounted. What is configured is all that is believed.
import { join } from "node:path";
import type { GatewayAccessRule, GatewayConfig } from "../crds/gateway-config.ts";
import { createAuthenticate, type Authenticate, type AuthenticateOptions } from "../lib/auth/authenticate.ts";
import type { ApiServerReader } from "../lib/auth/cluster-issuer.ts";
import { createClusterTokens } from "../lib/auth/cluster-tokens.ts";
import { fetchKeys } from "../lib/auth/discovery.ts";
import { createIssuerKeys } from "../lib/auth/keys.ts";
import type { AccessEntry } from "../lib/auth/roles.ts";
import { createTokenTable } from "../lib/auth/token-table.ts";
import { createVerifyToken } from "../lib/auth/verified-tokens.ts";
import { createSafeFetch } from "../lib/mcp/safe-fetch.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";

const fetchLimits = { connectTimeoutMs: 3_000, maxResponseBytes: 1024 * 1024 };

export interface Callers {
  authenticate: Authenticate;
  /** What callers are judged by and cannot be read now, a sentence each. */
  observeTroubles(): string[];
  close(): Promise<void>;
}

export interface CallersOptions extends Pick<AuthenticateOptions, "findAgent"> {
  config: Pick<GatewayConfig, "access" | "audience" | "instance" | "jwt">;
  /** Of token tables: `{secret}/{key}`. */
  secretsDir: string;
  /** Absent where there is no cluster. */
  server?: ApiServerReader | undefined;
  clock: Clock;
  log: Logger;
}

/** Two entries may name the same table. */
const tableName = ({ name, key }: { name: string; key: string }): string => `${name}/${key}`;

function renderEntry({ who, as }: GatewayAccessRule): AccessEntry {
  if ("serviceAccount" in who) return { serviceAccount: { name: who.serviceAccount }, ...as };
  if ("claim" in who) return { claim: who.claim, ...as };
  return { tokenTable: tableName(who.tokens), ...as };
}

/** Asks for the keys of cluster and issuer at once. */
export function createCallers({ config, secretsDir, server, findAgent, clock, log }: CallersOptions): Callers {
  const { access, audience, instance, jwt: trusted } = config;
  const names = new Set(access.flatMap(({ who }) => ("tokens" in who ? [tableName(who.tokens)] : [])));
  const tables = [...names].map((name) => createTokenTable({ name, path: join(secretsDir, name), clock, log }));
  const cluster = server && createClusterTokens({ server, audience, clock, log });
  const safeFetch = trusted && createSafeFetch(fetchLimits);
  const keys = trusted && safeFetch && createIssuerKeys({ fetchKeys: () => fetchKeys(trusted, safeFetch), clock, log });
  const authenticate = createAuthenticate({
    access: access.map(renderEntry),
    namespace: instance.namespace,
    cluster,
    jwt: trusted && keys && { trusted, verify: createVerifyToken({ keys, clock }) },
    tables,
    findAgent,
  });
  return {
    authenticate,
    observeTroubles: () => [cluster, keys, ...tables].flatMap((each) => each?.observeTrouble() ?? []),
    close: async () => safeFetch?.close(),
  };
}
