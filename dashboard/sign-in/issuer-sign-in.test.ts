import { expect, it } from "vitest";
import { createIssuerSignIn } from "./issuer-sign-in.ts";
import type { OidcPlace } from "./oidc.ts";
import { clientId, createFakeIssuer, redirectUri } from "./testing/fake-issuer.ts";

function open() {
  const issuer = createFakeIssuer("https://id.example.com/realm", Date.now);
  const stored = new Map<string, string>();
  const tab = { url: new URL(redirectUri), left: "" };
  const place: OidcPlace = {
    location: {
      origin: tab.url.origin,
      pathname: tab.url.pathname,
      get search() {
        return tab.url.search;
      },
      hash: "",
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
    now: Date.now,
  };
  const signedIn: [string, boolean][] = [];
  const session = { signIn: (token: string, keep: boolean) => void signedIn.push([token, keep]) };
  const settings = { issuer: issuer.issuer, clientId, scopes: ["openid"], audiences: [clientId] };
  return { signIn: createIssuerSignIn(settings, place, session), issuer, tab, signedIn };
}

it("UI-1 signs in who comes back from the issuer, and nobody where nobody does", async () => {
  const { signIn, issuer, tab, signedIn } = open();
  expect(signIn.name).toBe("id.example.com");
  await signIn.finish();
  expect(signedIn).toEqual([]);
  await signIn.begin(true);
  tab.url = await issuer.signIn(tab.left);
  const finishing = signIn.finish();
  expect(signIn.isWorking.value).toBe(true);
  await finishing;
  expect([signIn.isWorking.value, signIn.problem.value]).toEqual([false, undefined]);
  expect(signedIn).toEqual([[expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), true]]);
});

it("UI-1 says beside the button what went wrong until somebody tries again", async () => {
  const { signIn, issuer, tab, signedIn } = open();
  await signIn.begin(false);
  tab.url = await issuer.signIn(tab.left, { isRefused: true });
  await signIn.finish();
  expect(signIn.problem.value).toMatch(/ada said no/);
  expect(signedIn).toEqual([]);
  await signIn.begin(false);
  expect(signIn.problem.value).toBeUndefined();
});
