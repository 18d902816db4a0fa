// Signing in with an issuer from the button to the token, against a small issuer that refuses what real ones refuse.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { issuerTimeoutMs, maxAnswerBytes } from "./ask-issuer.ts";
import { createOidcSignIn, maxSignInMs, type OidcPlace, type OidcSettings } from "./oidc.ts";
import { SignInProblem } from "./problem.ts";
import { clientId, createFakeIssuer, redirectUri, renderToken, type FakeIssuer } from "./testing/fake-issuer.ts";

const issuerUrl = "https://id.example.com/realm";
const start = new URL(`${redirectUri}#/agents?state=ready`);

/** A tab, and what stands in its address. */
function openTab(changes: Partial<OidcSettings> = {}, url: URL = start) {
  let nowMs = Date.UTC(2026, 0, 1);
  const issuer = createFakeIssuer(issuerUrl, () => nowMs);
  const stored = new Map<string, string>();
  const tab = { url, left: undefined as string | undefined };
  const place: OidcPlace = {
    location: {
      get origin() {
        return tab.url.origin;
      },
      get pathname() {
        return tab.url.pathname;
      },
      get search() {
        return tab.url.search;
      },
      get hash() {
        return tab.url.hash;
      },
      assign: (to) => void (tab.left = String(to)),
    },
    history: { replaceState: (_state, _unused, to) => void (tab.url = new URL(String(to), tab.url)) },
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    crypto,
    fetch: issuer.fetch,
    now: () => nowMs,
  };
  const settings = { issuer: issuerUrl, clientId, scopes: ["openid", "groups"], audiences: [clientId], ...changes };
  const signIn = createOidcSignIn(settings, place);
  return { signIn, place, tab, stored, issuer, settings, wait: (ms: number) => (nowMs += ms) };
}

type Tab = ReturnType<typeof openTab>;

/** The person presses the button, signs in, and is sent back. */
async function comeBack(opened: Tab, options?: Parameters<FakeIssuer["signIn"]>[1]): Promise<URL> {
  await opened.signIn.begin(false);
  const back = await opened.issuer.signIn(opened.tab.left ?? "", options);
  opened.tab.url = back;
  return back;
}

const problemOf = async (promise: Promise<unknown>): Promise<string> => {
  const error: unknown = await promise.then(
    () => undefined,
    (found: unknown) => found,
  );
  expect(error).toBeInstanceOf(SignInProblem);
  return error instanceof Error ? error.message : "";
};

describe("UI-1 signing in with an issuer", () => {
  it("ends with a token that is made out to the gateway, in the view that the person left", async () => {
    const opened = openTab();
    await comeBack(opened);
    const signedIn = await opened.signIn.finish();
    expect(signedIn?.token.split(".")).toHaveLength(3);
    expect(signedIn?.keep).toBe(false);
    expect(opened.tab.url.href).toBe(start.href);
    expect(opened.stored.size).toBe(0);
  });

  it("asks for what is needed, by secrets that are new each time", async () => {
    const [first, second] = [openTab(), openTab()];
    const asked = await Promise.all(
      [first, second].map(async ({ signIn, tab }) => {
        await signIn.begin(true);
        return new URL(tab.left ?? "").searchParams;
      }),
    );
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      response_type: "code",
      response_mode: "query",
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: "openid groups",
      state: expect.stringMatching(/^[-\w]{43}$/),
      nonce: expect.stringMatching(/^[-\w]{43}$/),
      code_challenge: expect.stringMatching(/^[-\w]{43}$/),
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked[0]?.get(name)).not.toBe(asked[1]?.get(name));
    // The verifier stays here.
    expect(first.tab.left).not.toContain(JSON.parse(first.stored.get("pallas.sign-in") ?? "{}").verifier);
  });

  it("remembers whether the token is to be kept for the tab", async () => {
    const opened = openTab();
    await opened.signIn.begin(true);
    opened.tab.url = await opened.issuer.signIn(opened.tab.left ?? "");
    expect((await opened.signIn.finish())?.keep).toBe(true);
  });

  it("is nothing where the address holds no answer, and leaves the address alone", async () => {
    const opened = openTab();
    expect(await opened.signIn.finish()).toBeUndefined();
    expect(opened.tab.url.href).toBe(start.href);
  });

  it("takes the access token where that is made out to the gateway, and else the ID token", async () => {
    const opened = openTab({ audiences: ["gateway", clientId] });
    const access = renderToken({ aud: ["other", "gateway"] });
    opened.issuer.says.tokens = { access_token: access };
    await comeBack(opened);
    expect((await opened.signIn.finish())?.token).toBe(access);
  });

  it("says whom the tokens are made out to where the gateway takes neither", async () => {
    const opened = openTab({ audiences: ["gateway"] });
    opened.issuer.says.tokens = { access_token: renderToken({ aud: "account" }) };
    await comeBack(opened);
    expect(await problemOf(opened.signIn.finish())).toBe(
      `The tokens of ${issuerUrl} are made out to account, ${clientId}, and the gateway takes those made out to gateway. Correct the client at the issuer, or spec.auth.jwt.audiences.`,
    );
  });
});

describe("UI-1 an answer that is no sign-in of this tab", () => {
  it("is refused without the state of this tab, and no code is sent anywhere", async () => {
    const opened = openTab();
    const back = await comeBack(opened);
    back.searchParams.set("state", "another");
    opened.tab.url = back;
    expect(await problemOf(opened.signIn.finish())).toMatch(/belongs to no sign-in that this tab began/);
    expect(opened.issuer.exchanges).toEqual([]);
    expect(opened.tab.url.href).toBe(start.href);
  });

  it("is refused in a tab that asked for none, where the code is taken out of the address too", async () => {
    const opened = openTab({}, new URL(`${redirectUri}?code=stolen&state=x#/agents`));
    expect(await problemOf(opened.signIn.finish())).toMatch(/belongs to no sign-in/);
    expect(opened.tab.url.href).toBe(redirectUri);
    expect(opened.issuer.exchanges).toEqual([]);
  });

  it("counts once: the same answer again is refused", async () => {
    const opened = openTab();
    const back = await comeBack(opened);
    expect(await opened.signIn.finish()).toBeDefined();
    opened.tab.url = back;
    expect(await problemOf(opened.signIn.finish())).toMatch(/belongs to no sign-in/);
    expect(opened.issuer.exchanges).toHaveLength(1);
  });

  it("is refused where what was stored is no JSON, or of an issuer that the gateway no longer names", async () => {
    for (const change of [() => "{", (text: string) => text.replace(issuerUrl, "https://other.example")]) {
      const opened = openTab();
      await comeBack(opened);
      opened.stored.set("pallas.sign-in", change(opened.stored.get("pallas.sign-in") ?? ""));
      expect(await problemOf(opened.signIn.finish())).toMatch(/belongs to no sign-in/);
      expect(opened.issuer.exchanges).toEqual([]);
    }
  });

  it("is refused when it took longer than the limit, and not at the limit", async () => {
    const [atLimit, late] = [openTab(), openTab()];
    await comeBack(atLimit);
    atLimit.wait(maxSignInMs);
    atLimit.issuer.says.claims = {};
    expect(await atLimit.signIn.finish()).toBeDefined();
    await comeBack(late);
    late.wait(maxSignInMs + 1);
    expect(await problemOf(late.signIn.finish())).toMatch(/took longer than 15 minutes/);
  });

  it.each([
    ["names another issuer", "https://evil.example"],
    ["names none, though the issuer says that it does", undefined],
  ])("is refused where it %s (RFC 9207)", async (_what, iss) => {
    const opened = openTab();
    const back = await comeBack(opened);
    if (iss === undefined) back.searchParams.delete("iss");
    else back.searchParams.set("iss", iss);
    opened.tab.url = back;
    expect(await problemOf(opened.signIn.finish())).toMatch(/Sign in again, and tell who runs the issuer/);
    expect(opened.issuer.exchanges).toEqual([]);
  });

  it("needs no name of an issuer that names itself in no answer", async () => {
    const opened = openTab();
    delete opened.issuer.says.document["authorization_response_iss_parameter_supported"];
    const back = await comeBack(opened);
    back.searchParams.delete("iss");
    opened.tab.url = back;
    expect(await opened.signIn.finish()).toBeDefined();
  });
});

describe("UI-1 what the issuer refuses", () => {
  it("is shown in its own words, on one line", async () => {
    const opened = openTab();
    await comeBack(opened, { isRefused: true });
    expect(await problemOf(opened.signIn.finish())).toBe(`${issuerUrl} refused: ada said no`);
    expect(opened.tab.url.href).toBe(start.href);
  });

  it("is a verifier of another sign-in", async () => {
    const opened = openTab();
    await comeBack(opened);
    const pending = JSON.parse(opened.stored.get("pallas.sign-in") ?? "{}");
    opened.stored.set("pallas.sign-in", JSON.stringify({ ...pending, verifier: "x".repeat(43) }));
    expect(await problemOf(opened.signIn.finish())).toBe(
      `${issuerUrl} refused: the verifier does not belong to the code`,
    );
  });

  it("is a page whose address is not registered, which it does not come back to", async () => {
    const opened = openTab({}, new URL("https://team.example.com/ui"));
    await opened.signIn.begin(false);
    await expect(opened.issuer.signIn(opened.tab.left ?? "")).rejects.toThrow("not registered");
  });
});

describe("UI-1 what the page refuses of an issuer", () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["a document of another", { issuer: "https://evil.example" }, /is one of https:\/\/evil\.example/],
    ["one with a slash too many", { issuer: `${issuerUrl}/` }, /Correct spec\.auth\.jwt\.issuer/],
    ["an endpoint without TLS", { token_endpoint: "http://id.example.com/token" }, /neither https nor on this machine/],
    ["an endpoint that is a script", { authorization_endpoint: "javascript:alert(1)" }, /neither https/],
    ["tokens from another host", { token_endpoint: "https://tokens.example/token" }, /may ask nobody but/],
    ["no code flow", { response_types_supported: ["token"] }, /does not offer the code flow/],
    ["no PKCE", { code_challenge_methods_supported: ["plain"] }, /does not offer the code flow/],
    ["no endpoints", { token_endpoint: undefined }, /something else than its discovery document/],
  ])("%s, before anybody is sent there", async (_what, changes, problem) => {
    const opened = openTab();
    Object.assign(opened.issuer.says.document, changes);
    expect(await problemOf(opened.signIn.begin(false))).toMatch(problem);
    expect([opened.tab.left, opened.stored.size]).toEqual([undefined, 0]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["of another issuer", { iss: "https://evil.example" }, "it is of another issuer"],
    ["for another client", { aud: "other" }, "it is made out to another client"],
    ["for ours and given to another", { aud: [clientId, "other"], azp: "other" }, "it is made out to another client"],
    ["of another sign-in", { nonce: "another" }, "it belongs to another sign-in"],
    ["without a nonce", { nonce: undefined }, "it belongs to another sign-in"],
    ["that has expired", { exp: Date.UTC(2026, 0, 1) / 1_000 - 60 }, "it has expired"],
  ])("an ID token %s", async (_what, claims, problem) => {
    const opened = openTab();
    opened.issuer.says.claims = claims;
    await comeBack(opened);
    expect(await problemOf(opened.signIn.finish())).toContain(problem);
  });

  it("is no ID token that expires within the difference of two clocks", async () => {
    const opened = openTab();
    opened.issuer.says.claims = { exp: Date.UTC(2026, 0, 1) / 1_000 - 59 };
    await comeBack(opened);
    expect(await opened.signIn.finish()).toBeDefined();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["no ID token", { id_token: undefined }, /hands out no ID token/],
    ["an ID token that is no JWT", { id_token: "a.b" }, /it is no JWT/],
    ["a token bound to a key", { token_type: "DPoP" }, /takes Bearer/],
  ])("%s", async (_what, tokens, problem) => {
    const opened = openTab();
    opened.issuer.says.tokens = tokens;
    await comeBack(opened);
    expect(await problemOf(opened.signIn.finish())).toMatch(problem);
  });

  it("is an answer of exactly the limit no more, and one that is longer", async () => {
    const answer = (bytes: number) => async () => {
      const text = JSON.stringify(openTab().issuer.says.document);
      return new Response(text.padEnd(bytes));
    };
    const [atLimit, longer] = [openTab(), openTab()];
    atLimit.issuer.says.inPlace.document = answer(maxAnswerBytes);
    await atLimit.signIn.begin(false);
    expect(atLimit.tab.left).toBeDefined();
    longer.issuer.says.inPlace.document = answer(maxAnswerBytes + 1);
    expect(await problemOf(longer.signIn.begin(false))).toMatch(/something else than its discovery document/);
  });

  it.each<[string, () => Promise<Response>, RegExp]>([
    [
      "nothing, as when its CORS does not let the page read",
      () => Promise.reject(new TypeError("failed")),
      /must answer pages of https:\/\/team\.example\.com \(CORS\)/,
    ],
    ["a page of HTML", async () => new Response("<html>"), /something else than its discovery document/],
    ["an error without words", async () => new Response("", { status: 503 }), /answers with HTTP status 503/],
  ])("%s", async (_what, answer, problem) => {
    const opened = openTab();
    opened.issuer.says.inPlace.document = answer;
    expect(await problemOf(opened.signIn.begin(false))).toMatch(problem);
  });
});

it("UI-1 waits for an issuer no longer than a deadline, and says so", async () => {
  const opened = openTab();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort(new Error("late")));
  onTestFinished(() => timeout.mockRestore());
  // As a browser does with a signal that has ended.
  const fetch: OidcPlace["fetch"] = (_target, init) => Promise.reject(init?.signal?.reason);
  const signIn = createOidcSignIn(opened.settings, { ...opened.place, fetch });
  expect(await problemOf(signIn.begin(false))).toBe(`${issuerUrl} took longer than 10 s to answer. Try again.`);
  expect(timeout).toHaveBeenCalledWith(issuerTimeoutMs);
});

it("UI-1 says why a browser cannot sign in with an issuer over plain HTTP", async () => {
  const { settings, place } = openTab();
  const { getRandomValues } = crypto;
  const signIn = createOidcSignIn(settings, { ...place, crypto: { getRandomValues } });
  expect(await problemOf(signIn.begin(false))).toMatch(/only over https, or on localhost/);
});
