// The headers of requests to one server or sub-agent: configured ones, read from secrets each time, and one token: the
// agent's own where the server wants OAuth or is its gateway, else the caller's where the server asks for it and nothing configured takes its
// place (BRR-1).
import type { RunHeader, RunOauth } from "../../crds/run-config.ts";
import type { AccessTokens } from "../access-tokens.ts";
import type { ReadSecret } from "../inputs/secrets.ts";

/** Whether calls to it carry the caller's token. */
export const forwardsBearer = (target: { headers?: readonly RunHeader[]; forwardInboundAuth: boolean }): boolean =>
  target.forwardInboundAuth && !(target.headers ?? []).some(({ name }) => name.toLowerCase() === "authorization");

export interface HeaderSources {
  readSecret: ReadSecret;
  tokens: AccessTokens;
  /** The agent's own token for its gateway, as of now. Rejects with a sentence. */
  readGatewayToken: () => Promise<string>;
}

export interface Addressee {
  headers?: readonly RunHeader[];
  oauth?: RunOauth;
  /** Whether it is the agent's gateway. */
  registry?: true;
}

const scheme = "Bearer ";

/**
 * The configured headers, and `Authorization: Bearer` with the agent's own token or `bearer`. `refused` are those that got
 * HTTP 401: a token of ours in them is not sent again. Rejects with a sentence on the secret or the token that is not to be had.
 */
export async function observeHeaders(
  { headers = [], oauth, registry }: Addressee,
  { readSecret, tokens, readGatewayToken }: HeaderSources,
  { bearer, refused }: { bearer?: string | undefined; refused?: Record<string, string> | undefined } = {},
): Promise<Record<string, string>> {
  const rendered: Record<string, string> = {};
  for (const header of headers) {
    rendered[header.name] = "value" in header ? header.value : await readSecret(header.secret);
  }
  if (oauth !== undefined) {
    const sent = refused?.["Authorization"];
    if (sent?.startsWith(scheme) === true) tokens.refuse(oauth, sent.slice(scheme.length));
    rendered["Authorization"] = `${scheme}${await tokens.get(oauth)}`;
  } else if (registry === true) {
    rendered["Authorization"] = `${scheme}${await readGatewayToken()}`;
  } else if (bearer !== undefined) {
    rendered["Authorization"] = `${scheme}${bearer}`;
  }
  return rendered;
}
