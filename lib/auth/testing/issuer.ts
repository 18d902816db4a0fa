// An issuer of tokens for tests: real keys of several kinds, its metadata and key set over HTTP, and a switch to break it.
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from "jose";
import { listen } from "../../process/http-server.ts";
import { createLogger } from "../../process/log.ts";

export const signingAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export interface Issuer {
  url: string;
  jwksUrl: string;
  keys: Record<SigningAlgorithm, SigningKey>;
  /** How often the key set was read. */
  reads: () => number;
  /** Answers with this from now on; undefined: as it should. */
  breakWith(answer: (() => Response) | undefined): void;
  /** Adds a key under a new id to the set that is served. */
  addKey(kid: string): Promise<SigningKey>;
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
  stop(): Promise<void>;
}

export interface SignOptions {
  alg?: SigningAlgorithm;
  kid?: string;
  key?: CryptoKey;
}

async function createKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** Starts it on a free port; `metadata` is where it tells of its keys. */
export async function startIssuer(metadata = "/.well-known/openid-configuration"): Promise<Issuer> {
  const [RS256, PS256, ES256, EdDSA] = await Promise.all([
    createKey("RS256", "rsa"),
    createKey("PS256", "pss"),
    createKey("ES256", "ec"),
    createKey("EdDSA", "ed"),
  ]);
  const keys = { RS256, PS256, ES256, EdDSA };
  const served: JWK[] = Object.values(keys).map(({ publicJwk }) => publicJwk);
  let broken: (() => Response) | undefined;
  let reads = 0;
  const server = await listen(
    (request) => {
      const { origin, pathname } = new URL(request.url);
      if (broken !== undefined) return broken();
      if (pathname === metadata) return Response.json({ issuer: origin, jwks_uri: `${origin}/keys` });
      if (pathname !== "/keys") return new Response("nothing here", { status: 404 });
      reads += 1;
      return Response.json({ keys: served });
    },
    { port: 0, hostname: "127.0.0.1", log: createLogger({ logger: "test", level: "SILENT" }) },
  );
  const { url } = server;
  return {
    url,
    jwksUrl: `${url}/keys`,
    keys,
    reads: () => reads,
    breakWith: (answer) => (broken = answer),
    async addKey(kid) {
      const key = await createKey("ES256", kid);
      served.push(key.publicJwk);
      return key;
    },
    sign(claims, { alg = "ES256", kid = keys[alg].kid, key = keys[alg].privateKey } = {}) {
      return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: "at+jwt" }).sign(key);
    },
    stop: () => server.close({ graceMs: 0 }).then(() => undefined),
  };
}

/** The claims of a good token, changed where a test says so; an undefined one is left out. */
export function renderClaims(issuer: Pick<Issuer, "url">, changes: JWTPayload = {}): JWTPayload {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer.url, aud: "pallas", sub: "alice", iat: nowSeconds, exp: nowSeconds + 300, ...changes };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
