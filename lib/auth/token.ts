// Whether a JSON Web Token is good (AGT-11, MGM-1): signature, issuer, audience, times, algorithm, subject.
import { errors, jwtVerify, type JWTPayload } from "jose";
import type { ProvenCaller } from "./gateway-caller.ts";
import type { TrustedIssuer } from "./discovery.ts";
import { KeysUnavailable, type IssuerKeys } from "./keys.ts";
import { nameSubject } from "./subject-name.ts";

/** Signatures only, and none that a public key could forge: neither `none` nor HMAC. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const leewaySeconds = 30;
export const leewayMs = leewaySeconds * 1_000;
/** Larger than any token in use, smaller than what is worth parsing for a stranger. */
export const maxTokenChars = 8_192;

export type Verdict =
  | { kind: "caller"; caller: ProvenCaller }
  | { kind: "refused"; why: string }
  | { kind: "unavailable"; why: string };

/** What a good token says, or why it is none. */
export type TokenVerdict =
  | { kind: "valid"; subject: string; payload: JWTPayload }
  | Exclude<Verdict, { kind: "caller" }>;

/** Judges a token. Never rejects, and never lets in what it cannot judge. `now` is for the times in it. */
export async function judgeToken(token: string, trusted: TrustedIssuer, keys: IssuerKeys, now: Date): Promise<Verdict> {
  const verdict = await verifyToken(token, trusted, keys, now);
  if (verdict.kind !== "valid") return verdict;
  const { subject } = verdict;
  return { kind: "caller", caller: { subject: `${trusted.issuer} ${subject}`, name: nameSubject(subject) } };
}

/** As `judgeToken`, for who reads more of a token than its subject. Its times may be off by 30 s. */
export async function verifyToken(
  token: string,
  trusted: Pick<TrustedIssuer, "issuer" | "audiences">,
  keys: Pick<IssuerKeys, "find">,
  now: Date,
): Promise<TokenVerdict> {
  if (token.length > maxTokenChars) {
    return { kind: "refused", why: `the token is longer than ${maxTokenChars} characters` };
  }
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      issuer: trusted.issuer,
      audience: trusted.audiences,
      algorithms,
      clockTolerance: leewaySeconds,
      requiredClaims: ["exp", "sub"],
      currentDate: now,
    });
    if (typeof payload.sub !== "string" || payload.sub === "") {
      return { kind: "refused", why: "the token has no subject" };
    }
    return { kind: "valid", subject: payload.sub, payload };
  } catch (error) {
    if (error instanceof KeysUnavailable) return { kind: "unavailable", why: error.message };
    return { kind: "refused", why: renderRefusal(error) };
  }
}

/** Without anything of the token: the answer may end up in a log. */
function renderRefusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === "nbf"
      ? "the token is not valid yet"
      : `the token's claim "${error.claim}" is missing or wrong`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "the token is signed with an algorithm that is not allowed";
  if (error instanceof errors.JWKSNoMatchingKey) return "the token is signed with a key that its issuer does not have";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the token's signature is wrong";
  return "the token is not a JSON Web Token that can be checked";
}
