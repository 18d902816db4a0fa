// Signing in with the issuer that the gateway names: the authorization code flow with PKCE, in this tab. What the answer is checked by
// is kept for the tab until it comes, and the answer is taken out of the address before anything else is done with it.
import * as z from "zod";
import { fill } from "../words/fill.ts";
import { signInWords as words } from "../words/sign-in.ts";
import { askIssuer, renderReason } from "./ask-issuer.ts";
import { discover } from "./discovery.ts";
import { makeSecrets, type PageCrypto } from "./pkce.ts";
import { SignInProblem } from "./problem.ts";
import { answerSchema, checkIdToken, chooseToken } from "./tokens.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Those that the gateway takes tokens for. */
  readonly audiences: readonly string[];
}

export interface OidcPlace {
  location: Pick<Location, "origin" | "pathname" | "search" | "hash" | "assign">;
  history: Pick<History, "replaceState">;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** `subtle` is there over https and on localhost only. */
  crypto: Pick<PageCrypto, "getRandomValues"> & Partial<Pick<PageCrypto, "subtle">>;
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export interface SignedIn {
  readonly token: string;
  /** As it was asked for when the person left. */
  readonly keep: boolean;
}

export interface OidcSignIn {
  /** Leaves the page for the issuer. Rejects with a SignInProblem where it does not. */
  begin(keep: boolean): Promise<void>;
  /** Undefined where the address holds no answer of an issuer. Rejects with a SignInProblem where the answer is no sign-in. */
  finish(): Promise<SignedIn | undefined>;
}

const storageKey = "pallas.sign-in";
/** People look for their second factor. */
export const maxSignInMs = 15 * 60_000;

const pendingSchema = z.object({
  issuer: z.string(),
  clientId: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  tokenEndpoint: z.string(),
  namesItself: z.boolean(),
  keep: z.boolean(),
  /** The view to go back to. */
  hash: z.string(),
  beganAtMs: z.number(),
});
type Pending = z.output<typeof pendingSchema>;

export function createOidcSignIn(settings: OidcSettings, place: OidcPlace): OidcSignIn {
  return {
    begin: (keep) => beginSignIn(settings, place, keep),
    finish: async () => {
      const taken = takeAnswer(place);
      return taken && (await finishSignIn(taken, settings, place));
    },
  };
}

async function beginSignIn(settings: OidcSettings, place: OidcPlace, keep: boolean): Promise<void> {
  const { issuer, clientId, scopes } = settings;
  const { location, storage, crypto, fetch, now } = place;
  const { getRandomValues, subtle } = crypto;
  if (subtle === undefined) throw new SignInProblem(words.unsafe);
  const found = await discover(issuer, { fetch, origin: location.origin });
  const { authorizationEndpoint, tokenEndpoint, namesItself } = found;
  const secrets = await makeSecrets({ getRandomValues: getRandomValues.bind(crypto), subtle });
  const { state, nonce, verifier, challenge } = secrets;
  const redirectUri = `${location.origin}${location.pathname}`;
  const { hash } = location;
  const pending: Pending = {
    ...{ issuer, clientId, state, nonce, verifier, redirectUri, tokenEndpoint, namesItself, keep, hash },
    beganAtMs: now(),
  };
  storage.setItem(storageKey, JSON.stringify(pending));
  const target = new URL(authorizationEndpoint);
  const asked = {
    response_type: "code",
    response_mode: "query",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) target.searchParams.set(name, value);
  location.assign(target.href);
}

interface Taken {
  answer: URLSearchParams;
  pending: Pending | undefined;
}

/** The answer, which is in the address no more, and what it belongs to, which holds for one answer. */
function takeAnswer({ location, history, storage }: OidcPlace): Taken | undefined {
  const answer = new URLSearchParams(location.search);
  if (!answer.has("code") && !answer.has("error")) return undefined;
  const pending = parsePending(storage.getItem(storageKey));
  storage.removeItem(storageKey);
  history.replaceState(null, "", `${location.pathname}${pending?.hash ?? ""}`);
  return { answer, pending };
}

function parsePending(text: string | null): Pending | undefined {
  if (text === null) return undefined;
  try {
    return pendingSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function finishSignIn({ answer, pending }: Taken, settings: OidcSettings, place: OidcPlace): Promise<SignedIn> {
  const { issuer, clientId, audiences } = settings;
  const { now } = place;
  if (pending === undefined || answer.get("state") !== pending.state || !belongsTo(pending, settings)) {
    throw new SignInProblem(words.otherTab);
  }
  if (now() - pending.beganAtMs > maxSignInMs) {
    throw new SignInProblem(fill(words.late, { minutes: maxSignInMs / 60_000 }));
  }
  const named = answer.get("iss");
  if (named === null ? pending.namesItself : named !== issuer) {
    throw new SignInProblem(fill(words.mixedUp, { issuer, found: named ?? words.nobody }));
  }
  const code = answer.get("code");
  if (code === null) {
    const reason = renderReason(answer.get("error") ?? "", answer.get("error_description") ?? undefined);
    throw new SignInProblem(fill(words.refused, { issuer, reason }));
  }
  const tokens = await exchange(code, pending, place);
  const { token_type: type = "Bearer" } = tokens;
  if (type.toLowerCase() !== "bearer") throw new SignInProblem(fill(words.noBearer, { issuer, found: type }));
  checkIdToken(tokens.id_token, { issuer, clientId, nonce: pending.nonce, nowMs: now() });
  return { token: chooseToken(tokens, { issuer, audiences }), keep: pending.keep };
}

/** What the gateway names may have changed while somebody was away. */
const belongsTo = (pending: Pending, { issuer, clientId }: OidcSettings): boolean =>
  pending.issuer === issuer && pending.clientId === clientId;

async function exchange(code: string, pending: Pending, { fetch, location }: OidcPlace) {
  const { issuer, clientId, verifier, redirectUri, tokenEndpoint } = pending;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  });
  const asking = { fetch, issuer, origin: location.origin, what: words.tokenName };
  const headers = { Accept: "application/json" };
  const answer = answerSchema.safeParse(await askIssuer(tokenEndpoint, { method: "POST", body, headers }, asking));
  if (answer.success) return answer.data;
  throw new SignInProblem(fill(words.strange, { issuer, what: words.tokenName }));
}
