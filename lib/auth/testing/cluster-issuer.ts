// A cluster's issuer for tests: real keys, what the API server publishes of them, ServiceAccount tokens as it signs them, and a
// switch that takes it away.
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from "jose";
import type { Clock } from "../../process/clock.ts";
import type { ApiServerReader } from "../cluster-issuer.ts";

export const clusterIssuer = "https://kubernetes.default.svc.cluster.local";
export const testAudience = "pallas:agents/ouranos";

export interface TestClusterIssuer extends ApiServerReader {
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Fails every request with this; undefined: answers. */
  breakWith(error: Error | undefined): void;
  /** From now on tokens are signed with a new key, and it alone is published. */
  rotate(kid: string): Promise<void>;
  publicJwk(): JWK;
  sign(claims: JWTPayload, header?: { alg?: string; kid?: string; key?: CryptoKey | Uint8Array }): Promise<string>;
}

export async function createClusterIssuer(): Promise<TestClusterIssuer> {
  const asked: string[] = [];
  let current = await createKey("first");
  let broken: Error | undefined;
  return {
    asked,
    breakWith: (error) => (broken = error),
    async rotate(kid) {
      current = await createKey(kid);
    },
    publicJwk: () => current.jwk,
    async request({ path }) {
      asked.push(path);
      if (broken !== undefined) throw broken;
      return path === "/openid/v1/jwks" ? { keys: [current.jwk] } : { issuer: clusterIssuer, jwks_uri: "elsewhere" };
    },
    sign(claims, { alg = "RS256", kid = current.jwk.kid ?? "", key = current.privateKey } = {}) {
      return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
    },
  };
}

async function createKey(kid: string): Promise<{ jwk: JWK; privateKey: CryptoKey }> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
}

/** The claims of a good token of the ServiceAccount agents/on-call, changed where a test says so; an undefined one is left out. */
export function renderAccountClaims(clock: Clock, changes: JWTPayload = {}): JWTPayload {
  const nowSeconds = Math.floor(clock.wallNow() / 1_000);
  const claims: JWTPayload = {
    iss: clusterIssuer,
    sub: "system:serviceaccount:agents:on-call",
    aud: [testAudience],
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 600,
    "kubernetes.io": { namespace: "agents", serviceaccount: { name: "on-call", uid: "uid-on-call" } },
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** The claims that name another account, with the pod that its token is bound to. */
export const renderOther = (namespace: string, name: string, uid: string, pod?: { name: string; uid: string }) => ({
  sub: `system:serviceaccount:${namespace}:${name}`,
  "kubernetes.io": { namespace, serviceaccount: { name, uid }, ...(pod && { pod }) },
});
