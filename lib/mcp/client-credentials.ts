// Access tokens by OAuth 2.0 client credentials (RFC 6749 §4.4): asked for when first needed, kept until shortly before they
// expire, by one request at a time. No redirect is followed, which could take the secret elsewhere. What an endpoint says is
// told by its error code only; no message holds secret or token.
import { createGuardedFetch } from "../outgoing/guarded-fetch.ts";
import type { Clock } from "../process/clock.ts";
import { isJsonObject } from "./json-rpc.ts";
import { findNetworkProblem, McpError, renderPlace } from "./mcp-error.ts";
import type { OpenFetch } from "./safe-fetch.ts";

export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  /** `post` sends id and secret in the form, for endpoints that do not take HTTP Basic. */
  clientAuth: "basic" | "post";
  scopes: readonly string[];
  audience?: string | undefined;
  /** RFC 8707: the URL of what the token is for. */
  resource?: string | undefined;
}

export interface TokenSourceOptions {
  /** Asked before each request, so that a rotated secret needs no restart. Rejects with a sentence. */
  readClientSecret: () => Promise<string>;
  clock: Clock;
  /** For the whole of asking. */
  timeoutMs?: number;
  /** In place of the network. */
  openFetch?: OpenFetch | undefined;
}

export interface TokenSource {
  /** A token that is good for a while. Rejects with McpError, or as `readClientSecret` does. */
  get(): Promise<string>;
  /** A server took it for invalid: it is not handed out again. */
  refuse(token: string): void;
}

const defaultTimeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;
/** No server takes a longer header. */
const maxTokenChars = 16 * 1024;
/** Where the endpoint does not say how long. */
const unsaidLifetimeMs = 300_000;
const maxLifetimeMs = 24 * 3_600_000;
/** A token is replaced this long before it expires, or after nine tenths of its time when that is later. */
const renewBeforeMs = 60_000;
/** An endpoint that refused the client is left alone for this long: it would refuse again, and may count. */
const refusalKeptMs = 5_000;

/** Asks for nothing yet. */
export function createTokenSource(credentials: ClientCredentials, options: TokenSourceOptions): TokenSource {
  const { clock } = options;
  let kept: { token: string; until: number } | undefined;
  let refused: { error: McpError; until: number } | undefined;
  let asking: Promise<string> | undefined;

  const ask = async () => {
    const askedAt = clock.now();
    try {
      const { token, lifetimeMs } = await requestToken(credentials, options);
      kept = { token, until: askedAt + Math.max(lifetimeMs * 0.9, lifetimeMs - renewBeforeMs) };
      refused = undefined;
      return token;
    } catch (error) {
      if (error instanceof McpError && error.kind === "unauthorized") {
        refused = { error, until: clock.now() + refusalKeptMs };
      }
      throw error;
    } finally {
      asking = undefined;
    }
  };
  return {
    async get() {
      if (kept !== undefined && clock.now() < kept.until) return kept.token;
      if (refused !== undefined && clock.now() < refused.until) throw refused.error;
      asking ??= ask();
      return await asking;
    },
    refuse(token) {
      // One that was replaced meanwhile says nothing about its successor.
      if (kept?.token === token) kept = undefined;
    },
  };
}

interface Granted {
  token: string;
  lifetimeMs: number;
}

async function requestToken(credentials: ClientCredentials, options: TokenSourceOptions): Promise<Granted> {
  const { timeoutMs = defaultTimeoutMs, openFetch = createGuardedFetch } = options;
  const where = `the token endpoint ${renderPlace(credentials.tokenUrl)}`;
  const request = renderTokenRequest(credentials, await options.readClientSecret());
  const signal = AbortSignal.timeout(timeoutMs);
  const safeFetch = openFetch({ connectTimeoutMs: timeoutMs, maxResponseBytes: maxAnswerBytes });
  try {
    const answer = await safeFetch.fetch(credentials.tokenUrl, { method: "POST", ...request, signal });
    const body = await readJson(answer);
    if (answer.ok) return parseGranted(body, where);
    throw renderRefusal(answer.status, body, where, credentials.clientId);
  } catch (error) {
    if (error instanceof McpError) throw error;
    if (signal.aborted) {
      throw new McpError("timeout", `${where} gave no token within ${timeoutMs} ms`, { cause: error });
    }
    const problem = findNetworkProblem(error) ?? "no connection";
    throw new McpError("unreachable", `${where} cannot be reached: ${problem}`, { cause: error });
  } finally {
    await safeFetch.close();
  }
}

/** As RFC 6749 §2.3.1 has it: in Basic, id and secret are form-encoded first. */
function renderTokenRequest(
  { clientId, clientAuth, scopes, audience, resource }: ClientCredentials,
  clientSecret: string,
): { headers: Record<string, string>; body: string } {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  if (audience !== undefined) form.set("audience", audience);
  if (resource !== undefined) form.set("resource", resource);
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (clientAuth === "post") {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  } else {
    const pair = `${encodeForm(clientId)}:${encodeForm(clientSecret)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  return { headers, body: form.toString() };
}

const encodeForm = (text: string) => new URLSearchParams({ x: text }).toString().slice("x=".length);

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // What is no JSON is judged by its status.
  }
}

function parseGranted(body: unknown, where: string): Granted {
  const granted = isJsonObject(body) ? body : {};
  const { access_token: token, token_type: type = "bearer", expires_in: seconds } = granted;
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token) || token.length > maxTokenChars) {
    throw new McpError("protocol", `${where} answered without a usable access_token; check tokenUrl`);
  }
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw new McpError("protocol", `${where} gave a token of another type than Bearer, which only it can be used as`);
  }
  const said = seconds === undefined || seconds === null ? Number.NaN : Number(seconds) * 1_000;
  const lifetimeMs = Number.isNaN(said) ? unsaidLifetimeMs : Math.min(maxLifetimeMs, Math.max(0, said));
  return { token, lifetimeMs };
}

const cures: Readonly<Record<string, string>> = {
  invalid_client: "check clientId, clientSecret and clientAuth",
  invalid_scope: "check scopes",
  invalid_target: "check audience and resource",
  unauthorized_client: "allow the client the grant client_credentials",
  unsupported_grant_type: "allow the grant client_credentials there",
};

function renderRefusal(status: number, body: unknown, where: string, clientId: string): McpError {
  const code = isJsonObject(body) ? body["error"] : undefined;
  if (typeof code === "string" && /^[\w.-]{1,64}$/.test(code)) {
    const cure = cures[code] ?? "look at its log";
    return new McpError("unauthorized", `${where} refused client "${clientId}" with ${code}; ${cure}`);
  }
  const kind = status >= 500 || status === 429 ? "unreachable" : "unauthorized";
  return new McpError(
    kind,
    `${where} answered client "${clientId}" with HTTP ${status} and no OAuth error; check tokenUrl`,
  );
}
