import { createHash, createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalJWKSet, exportJWK, exportSPKI, generateKeyPair, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../process/log.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createAuthenticate, type AgentFinding, type Authenticate } from "./authenticate.ts";
import { createClusterTokens, type ClusterAccount } from "./cluster-tokens.ts";
import type { KeySet } from "./discovery.ts";
import { createIssuerKeys } from "./keys.ts";
import { tokenProtocolPrefix, websocketProtocol, type RequestFacts } from "./request-credentials.ts";
import type { AccessEntry } from "./roles.ts";
import {
  clusterIssuer,
  createClusterIssuer,
  renderAccountClaims,
  renderOther,
  testAudience,
  type TestClusterIssuer,
} from "./testing/cluster-issuer.ts";
import { maxTokenChars } from "./token.ts";
import { createTokenTable } from "./token-table.ts";
import { createVerifyToken } from "./verified-tokens.ts";

const log = createLogger({ logger: "test", level: "SILENT" });
const clock = new ManualClock();
const nowSeconds = clock.wallNow() / 1_000;
const trusted = { issuer: "https://id.example.com", audiences: ["pallas"] };

const access: AccessEntry[] = [
  { role: "approver", serviceAccount: { name: "on-call" } },
  { role: "viewer", claim: { name: "groups", value: "engineering" }, agents: ["research-*"] },
  { role: "admin", tokenTable: "admins" },
  { agent: "clerk", tokenTable: "clerk" },
];
const pods = { live: { name: "clerk-1", uid: "pod-1" }, gone: { name: "clerk-0", uid: "pod-0" } };

/** What a watch told last: one agent with one pod. */
function findAgent({ name, uid, pod }: ClusterAccount): AgentFinding {
  if (name !== "clerk-agent") return undefined;
  if (uid !== "uid-clerk") return { gone: "the token's ServiceAccount has been deleted" };
  return pod?.uid === pods.live.uid ? { agent: "clerk" } : { gone: "the token's pod has been deleted" };
}

let cluster: TestClusterIssuer;
let stranger: TestClusterIssuer;
let authenticate: Authenticate;
let folder: string;
let idKey: CryptoKey;
afterAll(() => rm(folder, { recursive: true }));

const lineOf = (token: string, expiry = "") => `sha256:${createHash("sha256").update(token).digest("hex")} ${expiry}\n`;

beforeAll(async () => {
  [cluster, stranger] = await Promise.all([createClusterIssuer(), createClusterIssuer()]);
  folder = await mkdtemp(join(tmpdir(), "pallas-tokens-"));
  const past = new Date(clock.wallNow() - 1).toISOString();
  const future = new Date(clock.wallNow() + 1).toISOString();
  await writeFile(join(folder, "admins"), lineOf("the-admin") + lineOf("of-yesterday", past) + lineOf("brief", future));
  // A token that looks signed, and is only a line in a table.
  await writeFile(join(folder, "clerk"), lineOf("the-clerk") + lineOf("e30.e30.e30"));
  const tables = ["admins", "clerk"].map((name) => createTokenTable({ name, path: join(folder, name), clock, log }));
  const pair = await generateKeyPair("ES256", { extractable: true });
  idKey = pair.privateKey;
  const set = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: "id", alg: "ES256" }] });
  authenticate = createAuthenticate({
    access,
    namespace: "agents",
    cluster: createClusterTokens({ server: cluster, audience: testAudience, clock, log }),
    jwt: { trusted, verify: verifyBy(async () => set) },
    tables,
    findAgent,
  });
});

const verifyBy = (fetchKeys: () => Promise<KeySet>) =>
  createVerifyToken({ keys: createIssuerKeys({ fetchKeys, clock, log }), clock });
const bearer = (token: string): RequestFacts => ({ url: "/mcp", authorization: [`Bearer ${token}`], protocols: [] });
const ask = async (changes: Partial<RequestFacts>) => {
  const facts: RequestFacts = { url: "/mcp", authorization: [], protocols: [], ...changes };
  return await authenticate(facts);
};
const sign = (changes: object = {}) => cluster.sign(renderAccountClaims(clock, { ...changes }));
const signId = (changes: object = {}) =>
  cluster.sign(
    { iss: trusted.issuer, aud: "pallas", sub: "alice", exp: nowSeconds + 60, groups: ["engineering"], ...changes },
    { alg: "ES256", kid: "id", key: idKey },
  );
const base64url = (text: string) => Buffer.from(text).toString("base64url");
const part = (token: string, at: number) => token.split(".")[at] ?? "";
const protocolOf = (token: string) => `${tokenProtocolPrefix}${base64url(token)}`;

async function forgeWithPublicKey(secret: "pem" | "jwk"): Promise<string> {
  const jwk = cluster.publicJwk();
  const key = await importJWK(jwk, "RS256", { extractable: true });
  if (key instanceof Uint8Array) throw new Error("expected a public key");
  const claims = JSON.stringify(renderAccountClaims(clock));
  const signed = `${base64url(JSON.stringify({ alg: "HS256", kid: jwk.kid }))}.${base64url(claims)}`;
  const by = secret === "pem" ? await exportSPKI(key) : JSON.stringify(jwk);
  return `${signed}.${createHmac("sha256", by).update(signed).digest("base64url")}`;
}

describe("MGM-1 who is let in, and as whom", () => {
  const agentPod = () => sign(renderOther("agents", "clerk-agent", "uid-clerk", pods.live));
  const person = (role: string | undefined) => ({ kind: "person", role });
  const clerk = { kind: "agent", agent: "clerk" };
  const accepted: [string, () => Promise<string> | string, object][] = [
    ["a ServiceAccount that access names", () => sign(), person("approver")],
    ["with one audience as a text", () => sign({ aud: testAudience }), person("approver")],
    ["a live agent's pod", agentPod, clerk],
    ["a ServiceAccount that access does not name", () => sign(renderOther("agents", "x", "u")), person(undefined)],
    ["one of that name elsewhere", () => sign(renderOther("other", "on-call", "u")), person(undefined)],
    [
      "an agent's of that name elsewhere",
      () => sign(renderOther("other", "clerk-agent", "uid-clerk", pods.live)),
      person(undefined),
    ],
    ["a token of the configured issuer", () => signId(), { ...person("viewer"), agents: ["research-*"] }],
    ["the claim as a text", () => signId({ groups: "engineering" }), person("viewer")],
    ["the claim with another value", () => signId({ groups: ["sales", "engineering2"] }), person(undefined)],
    ["without the claim", () => signId({ groups: undefined }), person(undefined)],
    ["a token of a table", () => "the-admin", person("admin")],
    ["one of a table in its last millisecond", () => "brief", person("admin")],
    ["a table's for an agent", () => "the-clerk", clerk],
    ["a table's that looks signed", () => "e30.e30.e30", clerk],
    ["expired for 29 s", () => sign({ exp: nowSeconds - 29 }), person("approver")],
    ["valid in 30 s", () => sign({ nbf: nowSeconds + 30 }), person("approver")],
  ];
  test.each(accepted)("%s", async (_name, token, expected) => {
    const identity = await authenticate(bearer(await token()));
    expect({ role: undefined, ...identity }).toMatchObject(expected);
  });

  test("the subject says whose token it is, apart for each account, issuer and table, and never the token", async () => {
    const tokens = [sign(), sign(renderOther("agents", "on-call", "another-uid")), signId(), "the-admin", "the-clerk"];
    const identities = await Promise.all(tokens.map(async (token) => authenticate(bearer(await token))));
    const subjects = identities.map((identity) => (identity.kind === "refused" ? "" : identity.subject));
    expect(new Set(subjects).size).toBe(tokens.length);
    expect(subjects[0]).toContain("system:serviceaccount:agents:on-call uid-on-call");
    expect(subjects.join(" ")).not.toMatch(/the-admin|eyJ/);
    expect(identities[0]).toMatchObject({ expiresAtMs: (nowSeconds + 600) * 1_000 });
  });

  const idOf = (sub: string) => () => signId({ sub });
  const named: [string, () => Promise<string> | string, string | RegExp, string[] | undefined][] = [
    ["an account", () => sign(), "system:serviceaccount:agents:on-call", ["on-call"]],
    [
      "an account that access does not name",
      () => sign(renderOther("other", "on-call", "u")),
      "system:serviceaccount:other:on-call",
      [],
    ],
    ["an agent's account", agentPod, "agent:clerk", undefined],
    ["a token of a table", () => "the-admin", /^token:admins\/[0-9a-f]{12}$/, ["admins"]],
    ["an agent's of a table", () => "the-clerk", "agent:clerk", undefined],
    ["a subject of the issuer", () => signId(), "alice", ["engineering"]],
    ["without the claim", () => signId({ groups: undefined }), "alice", []],
    [
      "with all claims that access names",
      () => signId({ groups: ["sales", "on-call", "engineering"] }),
      "alice",
      ["engineering"],
    ],
    [
      "a subject like an account",
      idOf("system:serviceaccount:agents:on-call"),
      "oidc:system:serviceaccount:agents:on-call",
      ["engineering"],
    ],
    ["a subject like an agent", idOf("agent:clerk"), "oidc:agent:clerk", ["engineering"]],
    ["a subject like a token", idOf("token:admins/0"), "oidc:token:admins/0", ["engineering"]],
    ["a subject that is told apart already", idOf("oidc:agent:clerk"), "oidc:oidc:agent:clerk", ["engineering"]],
    ["a subject like nobody", idOf("anonymous"), "oidc:anonymous", ["engineering"]],
    ["a subject that only begins alike", idOf("systematic"), "systematic", ["engineering"]],
  ];
  test.each(named)("the name of %s is nobody else's", async (_name, token, name, groups) => {
    const identity = await authenticate(bearer(await token()));
    if (identity.kind === "refused") throw new Error(identity.message);
    expect(identity.name).toMatch(typeof name === "string" ? new RegExp(`^${name}$`) : name);
    expect("groups" in identity ? identity.groups : undefined).toEqual(groups);
  });

  test("a WebSocket's token comes as a subprotocol, beside the one that is spoken", async () => {
    const protocols = [websocketProtocol, protocolOf(await sign())];
    expect(await ask({ protocols })).toMatchObject({ kind: "person", role: "approver" });
  });
});

describe("MGM-1 what is refused, with 401 and one sentence", () => {
  const refused: [string, () => Promise<string> | string, string][] = [
    ["garbage", () => "garbage", "not one that is known"],
    ["dots alone", () => "..", "not one that is known"],
    ["a header and claims of nothing", () => "e30.e30.", "not one that is known"],
    ["an unknown token of a table", () => "the-admin2", "not one that is known"],
    ["the hash of a table in place of the token", () => lineOf("the-admin").slice(7, 71), "not one that is known"],
    ["one of a table that has ended", () => "of-yesterday", "expired"],
    ["a token of later", () => sign({ nbf: nowSeconds + 31 }), "not valid yet"],
    ["an expired token", () => sign({ exp: nowSeconds - 30 }), "expired"],
    ["one without expiry", () => sign({ exp: undefined }), "'exp'"],
    ["an expiry that is a text", () => sign({ exp: "soon" }), "'exp'"],
    ["another issuer", () => sign({ iss: "https://evil.example.com" }), "not trusted here"],
    ["the issuer with a slash more", () => sign({ iss: `${trusted.issuer}/` }), "not trusted here"],
    ["no issuer", () => sign({ iss: undefined }), "not one that is known"],
    ["the audience of the API server", () => sign({ aud: ["https://kubernetes.default.svc"] }), "'aud'"],
    ["the audience of another namespace", () => sign({ aud: ["pallas:other/ouranos"] }), "'aud'"],
    ["the audience of another instance", () => sign({ aud: ["pallas:agents/gaia"] }), "'aud'"],
    ["an audience that begins like ours", () => sign({ aud: [`${testAudience}2`] }), "'aud'"],
    ["an audience in another case", () => sign({ aud: [testAudience.toUpperCase()] }), "'aud'"],
    ["no audience", () => sign({ aud: undefined }), "'aud'"],
    [
      "ours beside the API server's",
      () => sign({ aud: [testAudience, "https://kubernetes.default.svc"] }),
      "other audiences",
    ],
    ["no subject", () => sign({ sub: undefined }), "'sub'"],
    [
      "a subject that is not the account",
      () => sign({ sub: "system:serviceaccount:agents:root" }),
      "not the ServiceAccount",
    ],
    ["no account", () => sign({ "kubernetes.io": undefined }), "names no ServiceAccount"],
    [
      "a user of the cluster",
      () => sign({ sub: "admin", "kubernetes.io": { namespace: "agents" } }),
      "names no ServiceAccount",
    ],
    [
      "an account without uid",
      () => sign({ "kubernetes.io": { namespace: "agents", serviceaccount: { name: "on-call" } } }),
      "names no ServiceAccount",
    ],
    [
      "a deleted pod of a live agent",
      () => sign(renderOther("agents", "clerk-agent", "uid-clerk", pods.gone)),
      "pod has been deleted",
    ],
    [
      "an agent's account without a pod",
      () => sign(renderOther("agents", "clerk-agent", "uid-clerk")),
      "pod has been deleted",
    ],
    [
      "an agent's account that was made anew",
      () => sign(renderOther("agents", "clerk-agent", "uid-0", pods.live)),
      "ServiceAccount has been deleted",
    ],
    ["a key id that nobody has", () => cluster.sign(renderAccountClaims(clock), { kid: "other" }), "does not have"],
    ["a stranger's key under a known id", () => stranger.sign(renderAccountClaims(clock)), "signature is wrong"],
    [
      "the configured issuer's key for the cluster",
      () => cluster.sign(renderAccountClaims(clock), { alg: "ES256", kid: "first", key: idKey }),
      "does not have",
    ],
    [
      "the cluster's key for the configured issuer",
      () => cluster.sign({ iss: trusted.issuer, aud: "pallas", sub: "alice", exp: nowSeconds + 60 }),
      "does not have",
    ],
    ["an HMAC with the public key in PEM", () => forgeWithPublicKey("pem"), "algorithm"],
    ["an HMAC with the public key as JSON", () => forgeWithPublicKey("jwk"), "algorithm"],
    ["no signature", async () => `${(await sign()).split(".").slice(0, 2).join(".")}.`, "signature is wrong"],
    [
      "another's claims under a good signature",
      async () => {
        const [good, other] = [await sign(), await sign(renderOther("agents", "root", "u"))];
        return [part(good, 0), part(other, 1), part(good, 2)].join(".");
      },
      "signature is wrong",
    ],
    ["the configured issuer for another audience", () => signId({ aud: "other" }), "'aud'"],
    ["the configured issuer, expired", () => signId({ exp: nowSeconds - 30 }), "expired"],
    ["a claim in place of the configured issuer", () => sign({ iss: trusted.issuer }), "does not have"],
    ["one character over the limit", () => "x".repeat(maxTokenChars + 1), "longer than"],
    ["two tokens in one header", () => "the-admin the-admin", "one token"],
    ["two tokens with a comma", () => "the-admin,the-admin", "one token"],
    ["what no header holds", () => "the-admin\u00e9", "one token"],
  ];
  const algorithms = ["none", "None", "NONE", "", "HS1", "dir"].map((alg): (typeof refused)[number] => [
    `the algorithm ${JSON.stringify(alg)}`,
    () =>
      `${base64url(JSON.stringify({ alg, kid: "first" }))}.${base64url(JSON.stringify(renderAccountClaims(clock)))}.`,
    "can be checked|algorithm",
  ]);
  test("the table is at least forty tokens long", () => {
    expect(refused.length + algorithms.length).toBeGreaterThanOrEqual(40);
  });
  test.each([...refused, ...algorithms])("%s", async (_name, token, why) => {
    const text = await token();
    const refusal = await authenticate(bearer(text));
    expect(refusal).toMatchObject({ kind: "refused", status: 401, message: "Invalid token" });
    const challenge = refusal.kind === "refused" ? (refusal.headers["WWW-Authenticate"] ?? "") : "";
    expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"]+"$/);
    expect(challenge).toMatch(new RegExp(why));
    expect(challenge).not.toContain(text);
  });

  test("a token at the limit is judged by what it is", async () => {
    expect(await authenticate(bearer("x".repeat(maxTokenChars)))).toMatchObject({
      headers: { "WWW-Authenticate": expect.stringContaining("not one that is known") },
    });
  });

  test.each([[[]], [[""]]])("no token: %j", async (authorization) => {
    expect(await ask({ authorization })).toEqual({
      kind: "refused",
      status: 401,
      message: "Missing Authorization header",
      headers: { "WWW-Authenticate": "Bearer" },
    });
  });

  test.each(["Basic YTpi", "Bearer", "Bearer ", "bearer", "Token the-admin", "the-admin"])(
    "the header %j",
    async (header) => {
      expect(await ask({ authorization: [header] })).toMatchObject({ status: 401, message: "Invalid token" });
    },
  );
});

describe("MGM-1 a token in the wrong place is refused with 400, a good one in the right place beside it too", () => {
  const good = "the-admin";
  const wrong: [string, Partial<RequestFacts>, string][] = [
    ["in the URL", { url: `/mcp?access_token=${good}` }, "in the URL"],
    ["in the URL under another name", { url: `/mcp?a=b&token=${good}` }, "in the URL"],
    ["in the URL with its name encoded", { url: `/mcp?%61ccess_token=${good}` }, "in the URL"],
    [
      "in the URL and in the header",
      { url: `/mcp?access_token=${good}`, authorization: [`Bearer ${good}`] },
      "in the URL",
    ],
    ["twice", { authorization: [`Bearer ${good}`, `Bearer ${good}`] }, "send one"],
    ["beside another scheme", { authorization: [`Bearer ${good}`, "Basic YTpi"] }, "send one"],
    [
      "in header and subprotocol",
      { authorization: [`Bearer ${good}`], protocols: ["pallas.v1", protocolOf(good)] },
      "send one",
    ],
    ["in two subprotocols", { protocols: ["pallas.v1", protocolOf(good), protocolOf("x")] }, "send one"],
    ["in a subprotocol alone", { protocols: [protocolOf(good)] }, "must offer pallas.v1"],
  ];
  test.each(wrong)("%s", async (_name, facts, sentence) => {
    const refusal = await ask(facts);
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(sentence) });
    expect(JSON.stringify(refusal)).not.toContain(good);
  });

  test.each(["", "!", "dGhlLWFkbWlu=", "the-admin"])(
    "a subprotocol that holds no base64url of a token: %j",
    async (text) => {
      const protocols = ["pallas.v1", `base64url.bearer.authorization.pallas.${text}`];
      expect(await ask({ protocols })).toMatchObject({ status: 401, message: "Invalid token" });
    },
  );
});

test("MGM-1 where the cluster's issuer is the configured one too, either audience is a way in", async () => {
  const verify = verifyBy(async () => createLocalJWKSet({ keys: [cluster.publicJwk()] }));
  const both = createAuthenticate({
    access: [...access, { role: "operator", claim: { name: "sub", value: "system:serviceaccount:agents:on-call" } }],
    namespace: "agents",
    cluster: createClusterTokens({ server: cluster, audience: testAudience, clock, log }),
    jwt: { trusted: { issuer: clusterIssuer, audiences: ["pallas"] }, verify },
    tables: [],
    findAgent,
  });
  expect(await both(bearer(await sign()))).toMatchObject({ role: "approver" });
  expect(await both(bearer(await sign({ aud: "pallas" })))).toMatchObject({ role: "operator" });
  expect(await both(bearer(await sign({ aud: "other" })))).toMatchObject({ status: 401 });
});

describe("MGM-1 while tokens cannot be checked", () => {
  const unchecked = { kind: "refused", status: 503, headers: { "Retry-After": "15" } };
  const start = async (broken: "cluster" | "table") => {
    const server = await createClusterIssuer();
    if (broken === "cluster") server.breakWith(new Error("connection refused"));
    // A folder is no file that can be read.
    const path = broken === "table" ? folder : join(folder, "admins");
    return createAuthenticate({
      access,
      namespace: "agents",
      cluster: createClusterTokens({ server, audience: testAudience, clock, log }),
      tables: [createTokenTable({ name: "admins", path, clock, log })],
      findAgent,
    });
  };

  test("nobody gets in, and who could be let in by what is away gets 503", async () => {
    const withoutCluster = await start("cluster");
    expect(await withoutCluster(bearer(await sign()))).toMatchObject(unchecked);
    expect(await withoutCluster(bearer("the-admin"))).toMatchObject({ kind: "person", role: "admin" });
    expect(await withoutCluster(bearer("garbage"))).toMatchObject({ status: 401 });
    const withoutTable = await start("table");
    expect(await withoutTable(bearer("the-admin"))).toMatchObject(unchecked);
    expect(await withoutTable(bearer("e30.e30.e30"))).toMatchObject(unchecked);
  });
});
