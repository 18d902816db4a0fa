// An issuer for tests, which refuses what real ones refuse: another client, a redirect URI that is not registered word by word, a flow
// without PKCE, a code that was used before, and a verifier that does not belong to it. It answers only pages of one origin.

export const clientId = "pallas-dashboard";
export const redirectUri = "https://team.example.com/ui/";

interface Granted {
  challenge: string;
  nonce: string | undefined;
  isUsed: boolean;
}

export interface FakeIssuer {
  readonly issuer: string;
  /** In place of the browser's, for pages of the redirect URI's origin. */
  readonly fetch: typeof fetch;
  /** Requests to the token endpoint. */
  readonly exchanges: URLSearchParams[];
  /** What a browser is sent back to after somebody has signed in, or refused. */
  signIn(authorizationUrl: string, options?: { isRefused?: boolean }): Promise<URL>;
  /** Changes what it says from now on. */
  readonly says: {
    document: Record<string, unknown>;
    /** Claims of the ID token, over those that are right. */
    claims: Record<string, unknown>;
    /** What comes with the tokens, over what is right. */
    tokens: Record<string, unknown>;
    /** Answers in place of its own, by what is asked for. */
    inPlace: { document?: () => Promise<Response>; tokens?: () => Promise<Response> };
  };
}

const encode = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A JWT that nobody signed: the page does not look. */
export const renderToken = (claims: object): string =>
  `${encode('{"alg":"RS256"}')}.${encode(JSON.stringify(claims))}.${encode("signature")}`;

async function digest(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return encode(String.fromCharCode(...new Uint8Array(hash)));
}

const refuse = (error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status: 400 });

/** @param now milliseconds since the epoch */
export function createFakeIssuer(issuer: string, now: () => number): FakeIssuer {
  const grants = new Map<string, Granted>();
  const exchanges: URLSearchParams[] = [];
  const says: FakeIssuer["says"] = {
    document: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    },
    claims: {},
    tokens: {},
    inPlace: {},
  };
  async function exchange(sent: URLSearchParams): Promise<Response> {
    exchanges.push(sent);
    const grant = grants.get(sent.get("code") ?? "");
    if (sent.get("grant_type") !== "authorization_code") return refuse("unsupported_grant_type", "only codes");
    if (sent.get("client_id") !== clientId) return refuse("invalid_client", "no such client");
    if (grant === undefined || grant.isUsed) return refuse("invalid_grant", "the code is unknown or was used");
    grant.isUsed = true;
    if (sent.get("redirect_uri") !== redirectUri) return refuse("invalid_grant", "another redirect URI");
    if ((await digest(sent.get("code_verifier") ?? "")) !== grant.challenge) {
      return refuse("invalid_grant", "the verifier does not belong to the code");
    }
    const seconds = Math.floor(now() / 1_000);
    const { nonce } = grant;
    const claims = { iss: issuer, aud: clientId, sub: "ada", iat: seconds, exp: seconds + 300, nonce, ...says.claims };
    const right = { access_token: "opaque", token_type: "Bearer", expires_in: 300, id_token: renderToken(claims) };
    return Response.json({ ...right, ...says.tokens });
  }
  return {
    issuer,
    exchanges,
    says,
    async fetch(target, init) {
      const request = new Request(target, {
        ...init,
        ...(init?.body instanceof URLSearchParams && { body: init.body }),
      });
      if (request.credentials !== "omit") throw new TypeError("expected a request without cookies");
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/.well-known/openid-configuration")) {
        return await (says.inPlace.document?.() ?? Promise.resolve(Response.json(says.document)));
      }
      if (pathname.endsWith("/token") && request.method === "POST") {
        if (says.inPlace.tokens !== undefined) return await says.inPlace.tokens();
        const type = request.headers.get("content-type") ?? "";
        if (!type.startsWith("application/x-www-form-urlencoded")) return refuse("invalid_request", "expected a form");
        return await exchange(new URLSearchParams(await request.text()));
      }
      return new Response("not found", { status: 404 });
    },
    async signIn(authorizationUrl, { isRefused = false } = {}) {
      const url = new URL(authorizationUrl);
      const asked = url.searchParams;
      // Of these two nobody is sent back: the issuer shows a page of its own.
      if (asked.get("client_id") !== clientId) throw new Error("the issuer knows no such client");
      if (asked.get("redirect_uri") !== redirectUri) throw new Error("the redirect URI is not registered");
      const back = new URL(redirectUri);
      back.searchParams.set("state", asked.get("state") ?? "");
      back.searchParams.set("iss", issuer);
      const problem = isRefused ? "access_denied" : findProblem(asked);
      if (problem !== undefined) {
        back.searchParams.set("error", problem);
        back.searchParams.set("error_description", isRefused ? "ada said\nno" : "wrong request");
        return back;
      }
      const code = crypto.randomUUID();
      grants.set(code, {
        challenge: asked.get("code_challenge") ?? "",
        nonce: asked.get("nonce") ?? undefined,
        isUsed: false,
      });
      back.searchParams.set("code", code);
      return back;
    },
  };
}

function findProblem(asked: URLSearchParams): string | undefined {
  if (asked.get("response_type") !== "code") return "unsupported_response_type";
  if (asked.get("scope")?.split(" ").includes("openid") !== true) return "invalid_scope";
  const isPkce = asked.get("code_challenge_method") === "S256" && /^[-\w]{43}$/.test(asked.get("code_challenge") ?? "");
  return isPkce ? undefined : "invalid_request";
}
