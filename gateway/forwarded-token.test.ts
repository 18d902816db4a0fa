// Which tokens go on to agents (BRR-1): those that are made out to them.
import { expect, test } from "vitest";
import { findForwardedAuthorization } from "./forwarded-token.ts";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (claims: object) => `${encode({ alg: "ES256" })}.${encode(claims)}.signature`;
const audience = "pallas:agents/team";
const jwt = { issuer: "https://idp", audiences: ["agents"] };

test.each([
  ["one of the issuer that agents trust goes on", { iss: "https://idp", aud: "agents" }, true],
  ["one of another issuer stays", { iss: "https://other", aud: "agents" }, false],
  [
    "one that is good at the gateway stays, whoever issued it",
    { iss: "https://idp", aud: ["agents", audience] },
    false,
  ],
])("%s", (_what, claims, passes) => {
  const authorization = `Bearer ${sign(claims)}`;
  expect(findForwardedAuthorization(authorization, { jwt, audience })).toBe(passes ? authorization : undefined);
  expect(findForwardedAuthorization(authorization, { audience })).toBeUndefined();
});

test.each([undefined, "", "Bearer ", "Basic YTpi", "Bearer opaque", "Bearer a.b.c", "Bearer one two"])(
  "%j stays",
  (text) => {
    expect(findForwardedAuthorization(text, { jwt, audience })).toBeUndefined();
  },
);
