// Whose token an agent may see (BRR-1, AGT-11): one that the issuer of spec.auth.jwt made out to the instance's agents, since
// they check it themselves and send it on where their servers forward inbound auth. A token of a ServiceAccount, or of a
// token table, is good at the gateway and nowhere else: an agent that got it could act as its owner there.
import { decodeJwt } from "jose";

export interface TokenRules {
  /** Of spec.auth.jwt; absent: no agent of the instance asks for a token. */
  issuer: string | undefined;
  /** Of the gateway's own tokens, which agents never get, whoever issued them. */
  audience: string;
}

/** The Authorization header for the agent; undefined where there is none that it may have. It checks no signature. */
export function findAgentAuthorization(authorization: string | undefined, rules: TokenRules): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || rules.issuer === undefined) return undefined;
  const claims = readClaims(token);
  const audiences = [claims?.aud ?? []].flat();
  if (claims?.iss !== rules.issuer || audiences.includes(rules.audience)) return undefined;
  return `Bearer ${token}`;
}

function readClaims(token: string): { iss?: string | undefined; aud?: string | string[] | undefined } | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined; // No JWT.
  }
}
