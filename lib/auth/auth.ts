// Inbound authentication put together (AGT-11): the issuer's keys by way of the safe fetch, and the routes that use them.
import type { Hono } from "hono";
import { createSafeFetch } from "../mcp/safe-fetch.ts";
import type { McpVariables } from "../mcp/serve.ts";
import type { Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";
import { fetchKeys, type TrustedIssuer } from "./discovery.ts";
import { createAuthApp, metadataPath, type AuthParts } from "./guard.ts";
import { createIssuerKeys } from "./keys.ts";

const fetchLimits = { connectTimeoutMs: 3_000, maxResponseBytes: 1024 * 1024 };

export interface Auth {
  /** Mount before what only callers with a token may reach. */
  app: Hono<McpVariables>;
  /** Paths that pages of every origin may read. */
  isPublicRead(path: string): boolean;
  /** Why nobody could be let in lately; undefined when all is well. */
  observeTrouble(): string | undefined;
  close(): Promise<void>;
}

export interface AuthOptions extends Pick<AuthParts, "title" | "resourceAt"> {
  clock: Clock;
  log: Logger;
}

/** Asks for the issuer's keys at once. */
export function createAuth(trusted: TrustedIssuer, { title, resourceAt, clock, log }: AuthOptions): Auth {
  const safeFetch = createSafeFetch(fetchLimits);
  const keys = createIssuerKeys({ fetchKeys: () => fetchKeys(trusted, safeFetch), clock, log });
  return {
    app: createAuthApp({ trusted, resourceAt, title, keys, clock }),
    isPublicRead: (path) => path.startsWith(metadataPath),
    observeTrouble() {
      const trouble = keys.observeTrouble();
      return trouble === undefined ? undefined : `Authentication: ${trouble}`;
    },
    close: safeFetch.close,
  };
}
