// What a provider is called with: base URL, key or caller's token, headers. Resolved anew for every turn, so that a
// rotated key needs no restart and a caller's token reaches that caller's turn only (BRR-3). Keeps nothing.
import type { RunOauth, RunProvider, SecretKey } from "../../crds/run-config.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import type { AccessTokens } from "../access-tokens.ts";
import type { ReadSecret } from "../inputs/secrets.ts";
import { ModelError } from "./types.ts";

export interface Access {
  /** Credentials and configured headers, ready to be sent. */
  headers: Record<string, string>;
  /** Values that must never show in a text. */
  secrets: string[];
  /** Where the credential came from. */
  credential: "bearer" | "key" | "token" | "header" | "none";
  /** For the agent's own token, when it got HTTP 401: the headers with another one. */
  renew?: () => Promise<Record<string, string>>;
  /** What to check when the credential is refused. */
  cure: string;
}

const vendorUrls: Partial<Record<RunProvider["kind"], string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  huggingface: "https://router.huggingface.co/v1",
};

/**
 * Base URL without a trailing slash; Anthropic's without its /v1, so that both habits of writing it work.
 * Undefined where the vendor's library knows better (region).
 */
export function baseUrlOf(provider: RunProvider): string | undefined {
  const given = provider.baseUrl ?? vendorUrls[provider.kind];
  const url = given === undefined ? undefined : withoutEndSlashes(given);
  return provider.kind === "anthropic" ? url?.replace(/\/v1$/, "") : url;
}

export interface AccessSources {
  readSecret: ReadSecret;
  tokens: AccessTokens;
}

/**
 * Reads keys and headers of a provider.
 * @throws ModelError auth when a Secret is missing or no HTTP header could carry its value; or as the token endpoint failed.
 */
export async function readAccess(
  provider: RunProvider,
  { readSecret, tokens }: AccessSources,
  bearer: string | undefined,
): Promise<Access> {
  const secrets: string[] = [];
  const headers: Record<string, string> = {};
  const read = async (ref: SecretKey) => {
    const value = await readSecret(ref).catch((error: unknown) => {
      throw refused(provider, error instanceof Error ? error.message : String(error), error);
    });
    secrets.push(value);
    return value;
  };

  for (const header of provider.headers) {
    const name = header.name.toLowerCase();
    headers[name] = "value" in header ? header.value : await read(header.secret);
  }
  if (provider.oauth !== undefined) return readTokenAccess(provider, provider.oauth, tokens, { headers, secrets });
  if ("authorization" in headers || "x-api-key" in headers) {
    return { headers, secrets, credential: "header", cure: `check headers of provider "${provider.name}"` };
  }
  if (provider.forwardInboundAuth && bearer !== undefined) {
    secrets.push(bearer);
    if (!isHeaderValue(bearer)) throw refused(provider, "the caller's token holds characters that no token has");
    headers["authorization"] = `Bearer ${bearer}`;
    return { headers, secrets, credential: "bearer", cure: "check the caller's token" };
  }
  if (provider.apiKey === undefined) return { headers, secrets, credential: "none", cure: cureOfNone(provider) };
  const key = await read(provider.apiKey);
  Object.assign(headers, keyHeader(provider.kind, key));
  const cure = `check Secret "${provider.apiKey.name}" key "${provider.apiKey.key}"`;
  return { headers, secrets, credential: "key", cure };
}

/** The token goes as Bearer to every kind of provider: those with other headers for keys take it there too. */
async function readTokenAccess(
  provider: RunProvider,
  oauth: RunOauth,
  tokens: AccessTokens,
  { headers, secrets }: Pick<Access, "headers" | "secrets">,
): Promise<Access> {
  const withToken = async () => {
    try {
      const token = await tokens.get(oauth);
      secrets.push(token);
      return { token, headers: { ...headers, authorization: `Bearer ${token}` } };
    } catch (error) {
      const kind = error instanceof McpError && /^(unreachable|timeout)$/.test(error.kind) ? "network" : "auth";
      const sentence = error instanceof Error ? error.message : String(error);
      throw new ModelError(`${provider.name}: ${sentence}`, { kind, provider: provider.name, cause: error });
    }
  };
  let sent = await withToken();
  const renew = async () => {
    tokens.refuse(oauth, sent.token);
    sent = await withToken();
    return sent.headers;
  };
  const cure = `check what client "${oauth.clientId}" may do, and scopes and audience of provider "${provider.name}"`;
  return { headers: sent.headers, secrets, credential: "token", cure, renew };
}

function cureOfNone({ name, kind, forwardInboundAuth }: RunProvider): string {
  if (forwardInboundAuth) return "call the agent with a bearer token";
  if (kind !== "bedrock") return `set apiKey of provider "${name}"`;
  return `set apiKey and region of provider "${name}", or in local mode AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`;
}

function keyHeader(kind: RunProvider["kind"], key: string): Record<string, string> {
  if (kind === "anthropic") return { "x-api-key": key };
  if (kind === "google") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}

const isHeaderValue = (value: string) => /^[\x20-\x7e]*$/.test(value);

const refused = (provider: RunProvider, text: string, cause?: unknown) =>
  new ModelError(`${provider.name}: ${text}`, { kind: "auth", provider: provider.name, cause });
