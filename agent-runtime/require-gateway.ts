// Lets the gateway of the agent's instance in, and nobody else: its token is checked by keys in the live configuration, so that an
// agent needs no way to the API server, and no secret that somebody would have to hand out. Without such keys nobody is let in.
import type { MiddlewareHandler } from "hono";
import type { LiveConfig } from "../crds/run-config.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { ReadLiveConfig } from "./inputs/live-config.ts";

type Gateway = NonNullable<LiveConfig["gateway"]>;

interface GatewayParts {
  readLive: ReadLiveConfig;
  clock: Clock;
}

/** For routes of the admin port that are the gateway's: 404 where there is none, 401 for anybody else (MGM-1). */
export function requireGateway({ readLive, clock }: GatewayParts): MiddlewareHandler {
  return async (c, next) => {
    const { gateway } = await readLive();
    if (gateway === undefined) {
      return c.text("nobody may use this: the instance of the agent has no gateway\n", 404);
    }
    const token = /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const problem = token === undefined ? "expected one bearer token" : await findProblem(token, gateway, clock);
    if (problem !== undefined) {
      const headers = { "WWW-Authenticate": token === undefined ? "Bearer" : 'Bearer error="invalid_token"' };
      return c.text(`${problem}; only the gateway of this agent's instance may use this\n`, 401, headers);
    }
    await next();
    return undefined;
  };
}

/** For how long a token that was the gateway's is taken for it without a look: it comes with every call. */
const knownForMs = 60_000;
/** The gateway has one token at a time in each replica. */
const maxKnown = 16;

/** Whether a token is the gateway's. Never rejects; the same token by the same keys is checked once a minute. */
export function createGatewayProof({ readLive, clock }: GatewayParts): (token: string) => Promise<boolean> {
  const known = new Map<string, number>();
  return async (token) => {
    const { gateway } = await readLive();
    if (gateway === undefined) return false;
    const key = JSON.stringify([token, gateway]);
    if (clock.now() < (known.get(key) ?? 0)) return true;
    known.delete(key);
    if ((await findProblem(token, gateway, clock)) !== undefined) return false;
    known.set(key, clock.now() + knownForMs);
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    return true;
  };
}

/** Undefined when the token is the gateway's. What checks it is loaded with the first one. */
async function findProblem(token: string, gateway: Gateway, clock: Clock): Promise<string | undefined> {
  const [{ createLocalJWKSet }, { verifyToken }] = await Promise.all([import("jose"), import("../lib/auth/token.ts")]);
  const keys = { find: createLocalJWKSet({ keys: gateway.keys }) };
  const trusted = { issuer: gateway.issuer, audiences: [gateway.audience] };
  const verdict = await verifyToken(token, trusted, keys, new Date(clock.wallNow()));
  if (verdict.kind !== "valid") return verdict.why;
  return verdict.subject === gateway.subject ? undefined : "the token is another account's";
}
