// Tokens of ServiceAccounts, as the cluster's own issuer signs them for one audience: `kubectl create token NAME --audience A`,
// or a projected volume in a pod. They are verified here, by the keys that the API server publishes to every ServiceAccount,
// so that no TokenReview and no right is needed. What offline checks cannot see is that an account or pod has been deleted
// since: the answer names both with their uids, for who watches them.
import { createLocalJWKSet, decodeJwt } from "jose";
import * as z from "zod";
import type { Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";
import { keySetSchema, type KeySet } from "./discovery.ts";
import { createIssuerKeys, KeysUnavailable } from "./keys.ts";
import { verifyToken } from "./token.ts";

const metadataPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";
/** The API server answers 406 where a client takes JSON alone. */
const accept = "application/jwk-set+json, application/json";
const timeoutMs = 5_000;

/** What is needed of a connection to the API server; lib/kube's Transport is one. */
export interface ApiServerReader {
  /** Resolves to the parsed JSON of a 2xx answer, rejects in all other cases. */
  request(call: { method: "GET"; path: string; accept: string; timeoutMs: number }): Promise<unknown>;
}

/** A ServiceAccount that its token proves, as of when that was signed. */
export interface ClusterAccount {
  issuer: string;
  namespace: string;
  name: string;
  uid: string;
  /** The pod that the token is bound to. */
  pod?: { name: string; uid: string };
  /** By the wall clock. */
  expiresAtMs: number;
}

export type ClusterVerdict =
  | { kind: "account"; account: ClusterAccount }
  /** Another issuer's, whatever else it is. */
  | { kind: "foreign" }
  | { kind: "refused"; why: string }
  | { kind: "unavailable"; why: string };

export interface ClusterTokens {
  /** Never rejects. Asks the API server only where its keys are not known, are old, or lack the one that the token names. */
  judge(token: string): Promise<ClusterVerdict>;
  /** Why the keys could not be read the last time; undefined when they could. Tries again by itself. */
  observeTrouble(): string | undefined;
}

/** The audience that tokens for the gateway of an instance must have, and no other beside it. */
export function gatewayAudience({ namespace, instance }: { namespace: string; instance: string }): string {
  return `pallas:${namespace}/${instance}`;
}

export interface ClusterTokensOptions {
  server: ApiServerReader;
  audience: string;
  clock: Clock;
  log: Logger;
}

/** Asks the API server for issuer and keys at once; both are read again as `keyTimes` says, and kept while it is away. */
export function createClusterTokens({ server, audience, clock, log }: ClusterTokensOptions): ClusterTokens {
  let issuer: string | undefined;
  const fetchKeys = async () => {
    const read = await readIssuer(server);
    issuer = read.issuer;
    return read.keys;
  };
  const keys = createIssuerKeys({ fetchKeys, clock, log });
  return {
    async judge(token) {
      try {
        await keys.ready();
      } catch (error) {
        if (error instanceof KeysUnavailable) return { kind: "unavailable", why: error.message };
        throw error;
      }
      if (issuer === undefined || readNamedIssuer(token) !== issuer) return { kind: "foreign" };
      const now = new Date(clock.wallNow());
      const verdict = await verifyToken(token, { issuer, audiences: [audience] }, keys, now);
      return verdict.kind === "valid" ? renderAccount(verdict.payload, { issuer, audience }) : verdict;
    },
    observeTrouble: keys.observeTrouble,
  };
}

/** Who signed a token by its own words, which nobody has checked; undefined when it is no JSON Web Token. */
export function readNamedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

const metadataSchema = z.looseObject({ issuer: z.string().min(1) });

async function readIssuer(server: ApiServerReader): Promise<{ issuer: string; keys: KeySet }> {
  const get = (path: string) => server.request({ method: "GET", path, accept, timeoutMs });
  const [metadata, keys] = await Promise.all([get(metadataPath), get(keysPath)]);
  const { success, data } = metadataSchema.safeParse(metadata);
  if (!success) throw new Error(`${metadataPath} of the API server is not issuer metadata: expected "issuer"`);
  const set = keySetSchema.safeParse(keys);
  if (!set.success) throw new Error(`${keysPath} of the API server holds no JSON Web Key Set: expected a list "keys"`);
  return { issuer: data.issuer, keys: createLocalJWKSet(set.data) };
}

const named = z.object({ name: z.string().min(1), uid: z.string().min(1) });
const claimsSchema = z.object({
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  "kubernetes.io": z.object({ namespace: z.string().min(1), serviceaccount: named, pod: named.exactOptional() }),
});

function renderAccount(payload: unknown, expected: { issuer: string; audience: string }): ClusterVerdict {
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) return { kind: "refused", why: "the token names no ServiceAccount" };
  const { sub, aud, exp, "kubernetes.io": bound } = claims.data;
  const { namespace, serviceaccount, pod } = bound;
  if (sub !== `system:serviceaccount:${namespace}:${serviceaccount.name}`) {
    return { kind: "refused", why: "the token's subject is not the ServiceAccount that it names" };
  }
  // Who holds it could use it elsewhere too: at the API server, or at another gateway.
  if ([aud].flat().some((each) => each !== expected.audience)) {
    return { kind: "refused", why: `the token has other audiences beside "${expected.audience}"` };
  }
  const account = { issuer: expected.issuer, namespace, ...serviceaccount, expiresAtMs: exp * 1_000 };
  return { kind: "account", account: pod === undefined ? account : { ...account, pod } };
}
