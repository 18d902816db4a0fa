// The tokens of an issuer as the page judges them: whether the ID token is the answer to this sign-in (OpenID Connect Core 3.1.3.7;
// it came from the issuer itself, which stands for its signature), and which of them the gateway takes.
import * as z from "zod";
import { fill } from "../words/fill.ts";
import { signInWords as words } from "../words/sign-in.ts";
import { SignInProblem } from "./problem.ts";

const audience = z.union([z.string(), z.array(z.string())]).transform((found) => [found].flat());
const claimsSchema = z.object({
  iss: z.string().optional(),
  aud: audience.optional(),
  azp: z.string().optional(),
  exp: z.number().optional(),
  nonce: z.string().optional(),
});
type TokenClaims = z.output<typeof claimsSchema>;

export const answerSchema = z.object({
  access_token: z.string().optional(),
  id_token: z.string().optional(),
  token_type: z.string().optional(),
});
export type TokenAnswer = z.output<typeof answerSchema>;

/** Undefined where it is no JWT. */
function readClaims(token: string): TokenClaims | undefined {
  const [, payload, signature, ...more] = token.split(".");
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  try {
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0);
    return claimsSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

export interface ExpectedToken {
  issuer: string;
  clientId: string;
  nonce: string;
  /** Milliseconds since the epoch. */
  nowMs: number;
}

/** Clocks of two machines differ by this much. */
const leewayMs = 60_000;

/** Throws a SignInProblem where the ID token is not the answer to this sign-in. */
export function checkIdToken(token: string | undefined, expected: ExpectedToken): void {
  const { issuer, clientId, nonce, nowMs } = expected;
  if (token === undefined) throw new SignInProblem(fill(words.noIdToken, { issuer }));
  const claims = readClaims(token);
  const problem = findProblem();
  if (problem !== undefined) {
    throw new SignInProblem(fill(words.badIdToken, { issuer, problem: words.idProblems[problem] }));
  }
  function findProblem(): keyof typeof words.idProblems | undefined {
    if (claims === undefined) return "form";
    if (claims.iss !== issuer) return "issuer";
    const { aud = [], azp, exp = 0 } = claims;
    if (!aud.includes(clientId) || (azp ?? clientId) !== clientId) return "audience";
    if (claims.nonce !== nonce) return "nonce";
    return exp * 1_000 + leewayMs <= nowMs ? "expired" : undefined;
  }
}

export interface Accepted {
  issuer: string;
  /** Those that the gateway takes tokens for. */
  audiences: readonly string[];
}

/** The access token where it is made out to the gateway, else the ID token where that is. Throws a SignInProblem where neither is. */
export function chooseToken(answer: TokenAnswer, { issuer, audiences }: Accepted): string {
  const candidates = [answer.access_token, answer.id_token].filter((token) => token !== undefined);
  const audiencesOf = (token: string) => readClaims(token)?.aud ?? [];
  const chosen = candidates.find((token) => audiencesOf(token).some((each) => audiences.includes(each)));
  if (chosen !== undefined) return chosen;
  const found = [...new Set(candidates.flatMap(audiencesOf))].join(", ");
  throw new SignInProblem(
    fill(words.otherAudience, { issuer, found: found === "" ? words.nobody : found, wanted: audiences.join(", ") }),
  );
}
