// The agent's own access tokens for servers and providers that want OAuth: one source for each client it is configured as,
// shared by health, tools and models. Tokens are of the agent, never of a caller, and live in memory only.
import type { RunOauth } from "../crds/run-config.ts";
import type { TokenSource } from "../lib/mcp/client-credentials.ts";
import type { OpenFetch } from "../lib/mcp/safe-fetch.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { ReadSecret } from "./inputs/secrets.ts";

export interface AccessTokens {
  /** A token for whoever `oauth` is configured for. Rejects with a sentence that names the token URL or the Secret. */
  get(oauth: RunOauth): Promise<string>;
  /** The server refused it: another one is asked for next time. */
  refuse(oauth: RunOauth, token: string): void;
}

export interface AccessTokensOptions {
  readSecret: ReadSecret;
  clock: Clock;
  /** In place of the network. */
  openFetch?: OpenFetch | undefined;
}

/** Asks nobody for anything yet. */
export function createAccessTokens({ readSecret, clock, openFetch }: AccessTokensOptions): AccessTokens {
  // As many as the configuration has clients.
  const sources = new Map<string, Promise<TokenSource>>();
  const open = async ({ clientSecret, ...credentials }: RunOauth) => {
    const { createTokenSource } = await import("../lib/mcp/client-credentials.ts");
    const readClientSecret = () => readSecret(clientSecret);
    return createTokenSource(credentials, { readClientSecret, clock, openFetch });
  };
  const sourceOf = (oauth: RunOauth) => {
    const key = JSON.stringify(oauth);
    const source = sources.get(key) ?? open(oauth);
    sources.set(key, source);
    return source;
  };
  return {
    get: async (oauth) => (await sourceOf(oauth)).get(),
    refuse: (oauth, token) => void sourceOf(oauth).then((source) => source.refuse(token)),
  };
}
