// Where an issuer's keys are, and the keys themselves: by its metadata (OpenID Connect or RFC 8414), or at a URL that was
// configured. Every answer is bounded in size and time, and no address may be asked that SEC-5 forbids.
import { createLocalJWKSet } from "jose";
import * as z from "zod";
import type { SafeFetch } from "../mcp/safe-fetch.ts";

const timeoutMs = 5_000;

const metadataSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
/** A JSON Web Key Set (RFC 7517), of no more keys than an issuer needs. */
export const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(200) });

/** Whose tokens are believed, and for whom they must be. */
export interface TrustedIssuer {
  issuer: string;
  /** One of them must be in a token. */
  audiences: string[];
  /** Where its keys are; absent: where its metadata says. */
  jwksUrl?: string;
}

/** Finds the key of a token. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Reads the issuer's current keys. Rejects with a sentence that names the URL. */
export async function fetchKeys(
  { issuer, jwksUrl }: Omit<TrustedIssuer, "audiences">,
  { fetch }: Pick<SafeFetch, "fetch">,
): Promise<KeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const get = (wanted: string) => send(fetch, wanted, signal);
  const url = jwksUrl ?? (await discover(issuer, get));
  const keys = keySetSchema.safeParse(await readJson(url, await get(url)));
  if (!keys.success) throw new Error(`${url} holds no JSON Web Key Set: expected an object with a list "keys"`);
  return createLocalJWKSet(keys.data);
}

async function discover(issuer: string, get: (url: string) => Promise<Response>): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const urls = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
  for (const url of urls) {
    const response = await get(url);
    if (response.status === 404) {
      await response.body?.cancel();
      continue;
    }
    const metadata = metadataSchema.safeParse(await readJson(url, response));
    if (!metadata.success) throw new Error(`${url} is not issuer metadata: expected "issuer" and "jwks_uri"`);
    // RFC 8414 section 3.3: metadata of another issuer must not be used.
    if (metadata.data.issuer !== issuer) {
      throw new Error(`${url} says that it is issuer "${metadata.data.issuer}", but "${issuer}" is configured`);
    }
    return metadata.data.jwks_uri;
  }
  throw new Error(`the issuer has metadata neither at ${urls.join(" nor at ")}: set auth.jwt.jwksUrl`);
}

async function send(fetch: SafeFetch["fetch"], url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { headers: { Accept: "application/json" }, signal });
  } catch (cause) {
    const why = signal.aborted ? `no answer within ${timeoutMs} ms` : renderCause(cause);
    throw new Error(`${url} cannot be read: ${why}`, { cause });
  }
}

async function readJson(url: string, response: Response): Promise<unknown> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered with HTTP ${response.status}`);
  }
  try {
    return await response.json();
  } catch (cause) {
    throw new Error(`${url} did not answer with JSON that can be read: ${renderCause(cause)}`, { cause });
  }
}

function renderCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
