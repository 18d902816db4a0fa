// Tokens of ServiceAccounts, as the cluster's own issuer signs them for one audience: `kubectl create token NAME --audience A`,
// or a projected volume in a pod. They are verified here, by the keys that the API server publishes to every ServiceAccount,
// so that no TokenReview and no right is needed. What offline checks cannot see is that an account or pod has been deleted
// since: the answer names both with their uids, for who watches them.
import { createLocalJWKSet, decodeJwt } from "jose";
import * as z from "zod";
import type { Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";
import { readClusterIssuer, type ApiServerReader } from "./cluster-issuer.ts";
import { createIssuerKeys, KeysUnavailable } from "./keys.ts";
import { createVerifyToken } from "./verified-tokens.ts";

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
    const read = await readClusterIssuer(server);
    issuer = read.issuer;
    return createLocalJWKSet({ keys: read.keys });
  };
  const keys = createIssuerKeys({ fetchKeys, clock, log });
  const verifyToken = createVerifyToken({ keys, clock });
  return {
    async judge(token) {
      try {
        await keys.ready();
      } catch (error) {
        if (error instanceof KeysUnavailable) return { kind: "unavailable", why: error.message };
        throw error;
      }
      if (issuer === undefined || readNamedIssuer(token) !== issuer) return { kind: "foreign" };
      const verdict = await verifyToken(token, { issuer, audiences: [audience] });
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
