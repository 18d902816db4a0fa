// What an issuer says of itself (OpenID Connect Discovery), as far as signing in needs it. A document of another issuer, an endpoint
// that anybody on the way could read, and a flow without PKCE are refused before anybody is sent there.
import * as z from "zod";
import { fill } from "../words/fill.ts";
import { signInWords as words } from "../words/sign-in.ts";
import { askIssuer, type Asking } from "./ask-issuer.ts";
import { SignInProblem } from "./problem.ts";

const documentSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  response_types_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

export interface IssuerEndpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Whether its answers name it (RFC 9207). */
  readonly namesItself: boolean;
}

const withoutEndSlash = (url: string): string => (url.endsWith("/") ? url.slice(0, -1) : url);

export async function discover(issuer: string, parts: Pick<Asking, "fetch" | "origin">): Promise<IssuerEndpoints> {
  const url = `${withoutEndSlash(issuer)}/.well-known/openid-configuration`;
  const what = words.documentName;
  const found = documentSchema.safeParse(await askIssuer(url, {}, { ...parts, issuer, what }));
  if (!found.success) throw new SignInProblem(fill(words.strange, { issuer, what }));
  const document = found.data;
  if (document.issuer !== issuer) {
    throw new SignInProblem(fill(words.otherIssuer, { issuer, found: document.issuer }));
  }
  const { response_types_supported: types, code_challenge_methods_supported: methods } = document;
  // Many do not list the methods, and take S256 all the same.
  if (types?.includes("code") === false || methods?.includes("S256") === false) {
    throw new SignInProblem(fill(words.noPkce, { issuer }));
  }
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint } = document;
  for (const endpoint of [authorizationEndpoint, tokenEndpoint]) {
    if (!isSafe(endpoint, issuer)) throw new SignInProblem(fill(words.badEndpoint, { issuer, found: endpoint }));
  }
  // The page's policy lets it connect to the issuer's own origin alone.
  if (new URL(tokenEndpoint).origin !== new URL(issuer).origin) {
    throw new SignInProblem(fill(words.otherHost, { issuer, found: new URL(tokenEndpoint).origin }));
  }
  return {
    authorizationEndpoint,
    tokenEndpoint,
    namesItself: document.authorization_response_iss_parameter_supported === true,
  };
}

/** https, or as little as the issuer itself, which was chosen by who runs the gateway. */
function isSafe(endpoint: string, issuer: string): boolean {
  const url = URL.parse(endpoint);
  if (url === null) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && url.origin === URL.parse(issuer)?.origin);
}
