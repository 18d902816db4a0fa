// Inbound authentication put together (AGT-11): the issuer's keys by way of the safe fetch, and the routes that use them.
import type { Hono } from "hono";
import type { RunAuth } from "../../crds/run-config.ts";
import { createSafeFetch } from "../../lib/mcp/safe-fetch.ts";
import type { McpVariables } from "../../lib/mcp/serve.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { fetchKeys } from "./discovery.ts";
import { createAuthApp, metadataPath } from "./guard.ts";
import { createIssuerKeys } from "./keys.ts";

const fetchLimits = { connectTimeoutMs: 3_000, responseLimitBytes: 1024 * 1024 };

export interface Auth {
  /** Mount before what only callers with a token may reach. */
  app: Hono<McpVariables>;
  /** Paths that pages of every origin may read. */
  isPublicRead(path: string): boolean;
  /** Why nobody could be let in lately; undefined when all is well. */
  observeTrouble(): string | undefined;
  close(): Promise<void>;
}

/** `title` is the agent's, for people who are asked to sign in. */
export function createAuth(auth: RunAuth, { title, clock, log }: { title: string; clock: Clock; log: Logger }): Auth {
  const safeFetch = createSafeFetch(fetchLimits);
  const keys = createIssuerKeys({ fetchKeys: () => fetchKeys(auth, safeFetch), clock, log });
  return {
    app: createAuthApp({ auth, title, keys, clock }),
    isPublicRead: (path) => path.startsWith(metadataPath),
    observeTrouble() {
      const trouble = keys.observeTrouble();
      return trouble === undefined ? undefined : `Authentication: ${trouble}`;
    },
    close: safeFetch.close,
  };
}
