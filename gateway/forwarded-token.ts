// Which callers' tokens agents may see (BRR-1, AGT-11): those that the issuer of spec.auth.jwt made out to the instance's agents, since
// they check them themselves and send them on where their servers forward inbound auth. A token of a ServiceAccount, or of a
// token table, is good at the gateway and nowhere else: an agent that got it could act as its owner there.
import { decodeJwt } from "jose";
import type { GatewayConfig } from "../crds/gateway-config.ts";

/** The Authorization header for agents; undefined where there is none that they may have. It checks no signature. */
export function findForwardedAuthorization(
  authorization: string | undefined,
  { jwt, audience }: Pick<GatewayConfig, "jwt" | "audience">,
): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || jwt === undefined) return undefined;
  const claims = readClaims(token);
  // What is made out to the gateway is never an agent's, whoever issued it.
  if (claims?.iss !== jwt.issuer || [claims.aud ?? []].flat().includes(audience)) return undefined;
  return `Bearer ${token}`;
}

function readClaims(token: string): { iss?: string | undefined; aud?: string | string[] | undefined } | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined; // No JWT.
  }
}
