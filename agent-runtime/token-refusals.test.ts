// AGT-11 no token but a good one gets in: a generated table of bad ones against a running agent.
import { createHmac } from "node:crypto";
import { exportSPKI, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../lib/mcp/json-rpc.ts";
import {
  renderClaims,
  signingAlgorithms,
  startIssuer,
  type Issuer,
  type SigningAlgorithm,
} from "../lib/auth/testing/issuer.ts";
import { startAgent, type TestAgent } from "./testing/servers.ts";
import { maxTokenChars } from "../lib/auth/token.ts";

const nowSeconds = Math.floor(Date.now() / 1_000);
const base64url = (text: string) => Buffer.from(text).toString("base64url");

let issuer: Issuer;
let stranger: Issuer;
let agent: TestAgent;

beforeAll(async () => {
  [issuer, stranger] = await Promise.all([startIssuer(), startIssuer()]);
  const auth = { issuer: issuer.url, audiences: ["pallas", "other"], resource: "https://agents.example.com/a/mcp" };
  agent = await startAgent({ auth });
});
afterAll(() => Promise.all([agent.stop(), issuer.stop(), stranger.stop()]));

const toolsList = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

const post = (headers: Record<string, string>, query = "") =>
  fetch(`${agent.mcpUrl}${query}`, {
    method: "POST",
    headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json", ...headers },
    body: toolsList,
  });

/** What a caller learns of a refusal: the status, the error code, and that it is told where to get a token. */
async function readRefusal(response: Response) {
  const challenge = response.headers.get("www-authenticate") ?? "";
  const body: unknown = await response.json();
  const metadata = `resource_metadata="${agent.url}/.well-known/oauth-protected-resource/mcp"`;
  return {
    status: response.status,
    error: /error="(\w+)"/.exec(challenge)?.[1],
    namesMetadata: challenge.startsWith("Bearer ") && challenge.includes(metadata),
    isRpcError: isJsonObject(body) && body["jsonrpc"] === "2.0" && isJsonObject(body["error"]),
  };
}

const refusal = (status: number, error?: string) => ({ status, error, namesMetadata: true, isRpcError: true });
const invalidToken = refusal(401, "invalid_token");

/** Problems that any kind of key may sign. */
const claimProblems = {
  "an expired token": { exp: nowSeconds - 31 },
  "a token that expired long ago": { exp: 1 },
  "a token without expiry": { exp: undefined },
  "an expiry that is no number": { exp: "soon" },
  "a token of later": { nbf: nowSeconds + 120 },
  "another audience": { aud: "pallas2" },
  "an audience in another case": { aud: "Pallas" },
  "several other audiences": { aud: ["a", "b"] },
  "no audience": { aud: undefined },
  "another issuer": { iss: "https://evil.example.com" },
  "the issuer with a slash more": { iss: "/" },
  "no issuer": { iss: undefined },
  "no subject": { sub: undefined },
  "an empty subject": { sub: "" },
} as const;

describe.each(signingAlgorithms)("AGT-11 signed with %s", (alg) => {
  it.each(Object.entries(claimProblems))("%s is refused", async (_name, problem) => {
    const changes: Record<string, unknown> = { ...problem };
    if (changes["iss"] === "/") changes["iss"] = `${issuer.url}/`;
    const token = await issuer.sign(renderClaims(issuer, changes), { alg });
    expect(await readRefusal(await post({ Authorization: `Bearer ${token}` }))).toEqual(invalidToken);
  });

  const signatures: Record<string, (own: Issuer, other: Issuer) => Promise<string>> = {
    "a key id that the issuer does not have": (own) => own.sign(renderClaims(own), { alg, kid: "unknown" }),
    "another issuer's key under a known id": (own, other) =>
      own.sign(renderClaims(own), { alg, key: other.keys[alg].privateKey }),
    "a payload that was changed after signing": async (own) => {
      const [head, , signature] = (await own.sign(renderClaims(own), { alg })).split(".");
      return [head, base64url(JSON.stringify(renderClaims(own, { sub: "root" }))), signature].join(".");
    },
    "no signature": async (own) => `${(await own.sign(renderClaims(own), { alg })).split(".").slice(0, 2).join(".")}.`,
    "a header that says another algorithm": async (own) => {
      const [, payload, signature] = (await own.sign(renderClaims(own), { alg })).split(".");
      const other: SigningAlgorithm = alg === "ES256" ? "RS256" : "ES256";
      return [base64url(JSON.stringify({ alg: other, kid: own.keys[alg].kid })), payload, signature].join(".");
    },
    "a critical header nobody knows": async (own) => {
      const [, payload, signature] = (await own.sign(renderClaims(own), { alg })).split(".");
      const head = { alg, kid: own.keys[alg].kid, crit: ["x"], x: 1 };
      return [base64url(JSON.stringify(head)), payload, signature].join(".");
    },
  };
  it.each(Object.entries(signatures))("%s is refused", async (_name, render) => {
    expect(await readRefusal(await post({ Authorization: `Bearer ${await render(issuer, stranger)}` }))).toEqual(
      invalidToken,
    );
  });

  it.each(["HS256", "HS384", "HS512"])("an HMAC by %s with the public key as its secret is refused", async (hmac) => {
    const { kid, publicJwk } = issuer.keys[alg];
    const publicKey = await importJWK(publicJwk, alg, { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error("expected a public key");
    const signed = `${base64url(JSON.stringify({ alg: hmac, kid }))}.${base64url(JSON.stringify(renderClaims(issuer)))}`;
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(publicJwk)]) {
      const signature = createHmac(hmac.replace("HS", "sha"), secret).update(signed).digest("base64url");
      expect(await readRefusal(await post({ Authorization: `Bearer ${signed}.${signature}` }))).toEqual(invalidToken);
    }
  });
});

describe("AGT-11 what is no signed token", () => {
  it.each(["none", "None", "NONE", "nOnE", "", "HS1", "dir"])("the algorithm %j is refused", async (alg) => {
    const head = base64url(JSON.stringify({ alg, kid: "ec" }));
    for (const signature of ["", "AAAA"]) {
      const token = `${head}.${base64url(JSON.stringify(renderClaims(issuer)))}.${signature}`;
      expect(await readRefusal(await post({ Authorization: `Bearer ${token}` }))).toEqual(invalidToken);
    }
  });

  // A table from a fixed seed, so that a failure can be had again.
  const garbage = Array.from({ length: 60 }, (_, seed) =>
    Array.from({ length: 1 + ((seed * 37) % 90) }, (_unused, at) =>
      String.fromCodePoint(33 + ((seed * 7_919 + at * (seed + 104_729)) % 94)),
    ).join(""),
  );
  it.each([...garbage, ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30.", "null", "0", "{}"])(
    "the garbage %j is refused",
    async (token) => {
      expect(await readRefusal(await post({ Authorization: `Bearer ${token}` }))).toEqual(invalidToken);
    },
  );

  it.each(["", "Basic YTpi", "Token abc", "Negotiate abc"])("the header %j asks for a token", async (Authorization) => {
    expect(await readRefusal(await post(Authorization === "" ? {} : { Authorization }))).toEqual(refusal(401));
  });

  it.each(["Bearer", "Bearer a b", "bearer "])("the header %j names no token", async (Authorization) => {
    expect(await readRefusal(await post({ Authorization }))).toEqual(invalidToken);
  });

  it("a good token in the URL is refused, beside one in the header too", async () => {
    const token = await issuer.sign(renderClaims(issuer));
    expect(await readRefusal(await post({}, `?access_token=${token}`))).toEqual(refusal(400, "invalid_request"));
    const both = await post({ Authorization: `Bearer ${token}` }, `?access_token=${token}`);
    expect(await readRefusal(both)).toEqual(refusal(400, "invalid_request"));
  });

  it("a token over the limit is refused unread, and one at the limit is read", async () => {
    const good = await issuer.sign(renderClaims(issuer));
    const padded = async (chars: number) => {
      const scope = "x".repeat(Math.floor(((chars - good.length) * 3) / 4) - 12);
      return await issuer.sign(renderClaims(issuer, { scope }));
    };
    const fitting = await padded(maxTokenChars);
    expect(fitting.length).toBeLessThanOrEqual(maxTokenChars);
    expect((await post({ Authorization: `Bearer ${fitting}` })).status).not.toBe(401);
    const large = await padded(maxTokenChars + 100);
    expect(large.length).toBeGreaterThan(maxTokenChars);
    expect(await readRefusal(await post({ Authorization: `Bearer ${large}` }))).toEqual(invalidToken);
  });

  it.each(["GET", "DELETE", "PUT", "OPTIONS"])("%s without a token is refused", async (method) => {
    expect(await readRefusal(await fetch(agent.mcpUrl, { method }))).toEqual(refusal(401));
  });

  it("no other path gets an answer without a token either", async () => {
    for (const path of ["/", "/mcp/", "//mcp", "/MCP", "/mcp/x", "/.well-known/oauth-protected-resource/x"]) {
      expect((await fetch(`${agent.url}${path}`, { method: "POST" })).status).toBe(401);
    }
  });

  it("nothing of a token is in the log", () => {
    expect(JSON.stringify(agent.lines)).not.toMatch(/eyJ[\w-]{10}/);
  });
});
