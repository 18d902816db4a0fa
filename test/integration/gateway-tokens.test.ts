// Tokens at the built gateway's own endpoints, over HTTP, with the API server's real ones among them: what each is answered, in
// one sentence, and that nobody else notices.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { generateKeyPair } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenProtocolPrefix, websocketProtocol } from "../../lib/auth/request-credentials.ts";
import { maxTokenChars } from "../../lib/auth/token.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { ask, bearer, type Asked } from "./tokens/asking.ts";
import {
  createTokenMakers,
  hashOf,
  partOf,
  signWithPublicKey,
  withoutSignature,
  writeTokenTables,
  type TokenMakers,
} from "./tokens/makers.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";
import { startWire, type Wire } from "./wire.ts";

const table = (key: string) => ({ secretKeyRef: { name: "gateway-tokens", key } });
const access = [
  { role: "admin", serviceAccount: { name: "on-call" } },
  { role: "viewer", claim: { name: "groups", value: "engineering" } },
  { role: "caller", claim: { name: "groups", value: "callers" } },
  { role: "viewer", tokenFrom: table("viewers") },
  { role: "caller", tokenFrom: table("payroll-callers"), agents: ["payroll"] },
  { agent: "clerk", tokenFrom: table("clerk") },
];

type Render = (makers: TokenMakers) => Promise<string> | string;
const names = ["clerk", "gone", "payroll"] as const;
const seconds = (after: number): number => Math.floor(Date.now() / 1_000) + after;
const server = "https://kubernetes.default.svc.cluster.local";

const accepted: [what: string, token: Render][] = [
  ["a ServiceAccount that access names", ({ request }) => request("on-call")],
  ["the issuer's, with the claim", ({ signId }) => signId()],
  ["the issuer's, with the claim as a text", ({ signId }) => signId({ groups: "engineering" })],
  ["one of a table", () => "a-viewer"],
  ["one of a table whose hash is in upper case", () => "in-upper-case"],
];

/** 401 Invalid token, and why in the challenge. */
const invalid: [what: string, token: Render, why: string][] = [
  ["garbage", () => "garbage", "not one that is known"],
  ["dots alone", () => "..", "not one that is known"],
  ["one of the greatest length", () => "x".repeat(maxTokenChars), "not one that is known"],
  ["one longer than that", () => "x".repeat(maxTokenChars + 1), "longer than"],
  ["two in one header", () => "a-viewer a-viewer", "one token"],
  ["two with a comma", () => "a-viewer,a-viewer", "one token"],
  ["unknown to the tables", () => "a-viewer2", "not one that is known"],
  ["the hash in place of the token", () => hashOf("a-viewer"), "not one that is known"],
  ["the line of the table", () => `sha256:${hashOf("a-viewer")}`, "not one that is known"],
  ["half of whose hash stands in a table", () => "half", "not one that is known"],
  ["of a table, expired", () => "of-yesterday", "expired"],

  ["for the API server", ({ request }) => request("on-call", {}), `"aud"`],
  ["for another instance", ({ request, audience }) => request("on-call", { audiences: [`${audience}2`] }), `"aud"`],
  ["for another namespace", ({ request }) => request("on-call", { audiences: ["pallas:default/team"] }), `"aud"`],
  [
    "for the API server too",
    ({ request, audience }) => request("on-call", { audiences: [audience, server] }),
    "other audiences",
  ],
  ["of a ServiceAccount, expired", ({ forge }) => forge({ exp: seconds(-60) }), "expired"],
  ["of a ServiceAccount, of later", ({ forge }) => forge({ nbf: seconds(60) }), "not valid yet"],
  ["of a ServiceAccount, without an end", ({ forge }) => forge({ exp: undefined }), `"exp"`],
  ["of a ServiceAccount, by a key that nobody has", ({ forge }) => forge({}, { kid: "other" }), "does not have"],
  ["of an account that is not its subject", ({ forge }) => forge({ sub: "system:serviceaccount:x:root" }), "not the"],
  ["of the cluster for no account", ({ forge }) => forge({ "kubernetes.io": undefined }), "no ServiceAccount"],
  ["of the cluster's key in the issuer's name", ({ forge, issuer }) => forge({ iss: issuer.url }), "does not have"],
  ["of a pod that is no agent's", boundToNoPod, "pod has been deleted"],
  ["of a ServiceAccount without its signature", async ({ request }) => cut(await request("on-call")), "signature"],
  [
    "with another account's claims under a good signature",
    async ({ request }) => {
      const [good, other] = [await request("on-call"), await request("somebody")];
      return [partOf(good, 0), partOf(other, 1), partOf(good, 2)].join(".");
    },
    "signature is wrong",
  ],
  [
    "of a ServiceAccount, with the algorithm none",
    async (of) => withoutSignature(await of.request("on-call"), "none"),
    "can be checked|algorithm",
  ],

  ["the issuer's, expired", ({ signId }) => signId({ exp: seconds(-60) }), "expired"],
  ["the issuer's, of later", ({ signId }) => signId({ nbf: seconds(60) }), "not valid yet"],
  ["the issuer's, without an end", ({ signId }) => signId({ exp: undefined }), `"exp"`],
  ["the issuer's, whose end is a text", ({ signId }) => signId({ exp: "soon" }), `"exp"`],
  ["the issuer's, for another audience", ({ signId }) => signId({ aud: "other" }), `"aud"`],
  ["the issuer's, for nobody", ({ signId }) => signId({ aud: undefined }), `"aud"`],
  [
    "the issuer's, for the gateway as the cluster names it",
    ({ signId, audience }) => signId({ aud: audience }),
    `"aud"`,
  ],
  ["the issuer's, of nobody", ({ signId }) => signId({ sub: undefined }), `"sub"`],
  ["of another issuer", ({ signId }) => signId({ iss: "https://evil.example.com" }), "not trusted here"],
  ["of the issuer with a slash more", ({ signId, issuer }) => signId({ iss: `${issuer.url}/` }), "not trusted here"],
  ["of no issuer", ({ signId }) => signId({ iss: undefined }), "not one that is known"],
  ["of the issuer's key in the cluster's name", ({ signId }) => signId({ iss: server }), "does not have"],
  [
    "the issuer's, by a key that nobody has",
    ({ issuer, signId }) => resign(issuer, signId, { kid: "other" }),
    "does not have",
  ],
  [
    "the issuer's, by another key under a known name",
    async ({ issuer, signId }) => {
      const { privateKey } = await generateKeyPair("ES256");
      return await resign(issuer, signId, { kid: "ec", key: privateKey });
    },
    "signature is wrong",
  ],
  [
    "the issuer's, signed with its public key",
    async ({ issuer, signId }) => signWithPublicKey(await signId(), issuer.keys.ES256.publicJwk),
    "algorithm",
  ],
  ...["none", "None", "HS256", ""].map((alg): (typeof invalid)[number] => [
    `the issuer's, with the algorithm ${JSON.stringify(alg)}`,
    async ({ signId }) => withoutSignature(await signId(), alg),
    "can be checked|algorithm",
  ]),
];

const cut = (token: string): string => `${partOf(token, 0)}.${partOf(token, 1)}.`;

async function resign(
  issuer: TokenMakers["issuer"],
  signId: TokenMakers["signId"],
  options: Parameters<TokenMakers["issuer"]["sign"]>[1],
): Promise<string> {
  const claims = JSON.parse(Buffer.from(partOf(await signId(), 1), "base64url").toString());
  return await issuer.sign(claims, options);
}

/** A pod that is there, of an agent's account, and behind no Service. */
async function boundToNoPod({ request, audience }: TokenMakers): Promise<string> {
  const namespace = /^pallas:(.*)\//.exec(audience)?.[1] ?? "";
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const spec = { serviceAccountName: "clerk-agent", containers: [{ name: "c", image: "x" }] };
  const { body } = await callApi(cluster(), { method: "POST", path, body: { metadata: { generateName: "x-" }, spec } });
  const { name, uid } = JSON.parse(body).metadata;
  return await request("clerk-agent", {
    audiences: [audience],
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
  });
}

/** Where the pod of an agent is. */
const slice = (name: string, address: string) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: `${name}-by-hand`,
    labels: {
      "pallas.helu.ca/component": "agent",
      "pallas.helu.ca/agent": name,
      "pallas.helu.ca/instance": "team",
    },
  },
  addressType: "IPv4",
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
});

const header = (value: string): Asked => ({ headers: [["authorization", value]] });
const websocket = (token: string): Asked["headers"] => [
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["sec-websocket-version", "13"],
  ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ["sec-websocket-protocol", `${websocketProtocol}, ${tokenProtocolPrefix}${Buffer.from(token).toString("base64url")}`],
];
const proxied = (token: string, name = "clerk"): Asked => ({ ...bearer(token), path: `/proxy/${name}/mcp` });
const inUrl = "400 a token in the URL is not accepted: send it in the Authorization header";
const twice = "400 several tokens in one request are not accepted: send one";
const noRole = "403 this needs the role viewer, and the token's owner has no role";
const notReady = "503 The agent clerk is not ready; try again later";
const unknown = "404 Unknown agent: expected the name of an agent of this instance that you may see";

/** Whatever the token is worth: where it stands, what it is for, and what its owner may. */
const others: [what: string, asked: (makers: TokenMakers) => Promise<Asked> | Asked, answer: string][] = [
  ["no token", () => ({ headers: [] }), "401 Missing Authorization header"],
  ["an empty header", () => header(""), "401 Missing Authorization header"],
  ["another scheme", () => header("Basic YTpi"), "401 Invalid token"],
  ["a scheme without a token", () => header("Bearer"), "401 Invalid token"],
  ["a token without a scheme", () => header("a-viewer"), "401 Invalid token"],
  ["a good token in the URL", () => ({ headers: [], path: "/mcp?access_token=a-viewer" }), inUrl],
  ["a good token in the URL too", () => ({ ...bearer("a-viewer"), path: "/mcp?token=a-viewer" }), inUrl],
  ["one in the URL in disguise", () => ({ ...bearer("a-viewer"), path: "/mcp?%61ccess_token=x" }), inUrl],
  ["one in the URL of an agent", () => ({ ...bearer("a-viewer"), path: "/proxy/clerk/mcp?access_token=x" }), inUrl],
  ["two headers", () => ({ headers: [...bearer("a-viewer").headers, ...bearer("garbage").headers] }), twice],
  ["one header twice", () => ({ headers: [...bearer("a-viewer").headers, ...bearer("a-viewer").headers] }), twice],
  [
    "a header and a subprotocol",
    () => ({ method: "GET", headers: [...bearer("a-viewer").headers, ...websocket("a-viewer")] }),
    twice,
  ],
  ["an account that access does not name", async ({ request }) => bearer(await request("somebody")), noRole],
  ["the issuer's, without the claim", async ({ signId }) => bearer(await signId({ groups: undefined })), noRole],
  ["the issuer's, with another claim", async ({ signId }) => bearer(await signId({ groups: ["engineer"] })), noRole],
  ["an agent's by its account", async ({ request }) => bearer(await request("clerk-agent")), notReady],
  ["an agent's by a table", () => bearer("the-clerk"), notReady],
  [
    "an agent's where people are meant",
    () => proxied("the-clerk"),
    "403 this needs a person with the role caller, and the token is an agent's",
  ],
  [
    "a role that is too low",
    () => proxied("a-viewer"),
    "403 this needs the role caller, and the token's owner has the role viewer",
  ],
  ["the right role", async ({ signId }) => proxied(await signId({ groups: ["callers"] })), notReady],
  ["an agent that is not there", async ({ request }) => proxied(await request("on-call"), "nobody"), unknown],
  ["an agent that is for others", () => proxied("a-payroll-caller"), unknown],
];

describe.skipIf(clusterMissing())("MGM-1 SEC-1 tokens at the built gateway", () => {
  let space: WatchedNamespace;
  let elsewhere: TestNamespace;
  let gateway: GatewayProcess;
  let makers: TokenMakers;
  let beside: Client;
  let folder: string;
  /** In the place of the agent payroll, the only one that is there. */
  let payroll: Wire;
  /** What it got for a token, by request. */
  const arrived: (string | undefined)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-gateway-tokens-"));
    payroll = await startWire(({ request, response }) => {
      arrived.push(request.headers.authorization);
      response.end();
    });
    space = await watchNamespace("gateway-tokens");
    elsewhere = await createNamespace("gateway-elsewhere");
    makers = await createTokenMakers(space.name);
    const jwt = { issuer: makers.issuer.url, audiences: ["pallas"] };
    await space.apply(instance({ auth: { jwt }, gateway: { access } }), ...names.map((name) => agent({}, name)));
    await space.apply(slice("payroll", "10.9.9.9"));
    for (const name of ["on-call", "somebody"]) await space.kubectl("create", "serviceaccount", name);
    await cluster().kubectl([`--namespace=${elsewhere.name}`, "create", "serviceaccount", "on-call"]);
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    for (const name of names) await space.waitFor("pallasagent", name, "condition=Available");
    const network = { [`payroll.${space.name}.svc:8080`]: Number(new URL(payroll.url).port) };
    await writeFile(join(folder, "network.json"), JSON.stringify(network));
    gateway = await startGateway(space, "team", {
      flags: ["--import", join(import.meta.dirname, "pod-network.ts")],
      env: { POD_NETWORK: join(folder, "network.json") },
    });
    await writeTokenTables(gateway.secretsDir);
    beside = new Client({ name: "beside", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${await makers.request("on-call")}` } };
    await beside.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
  }, 240_000);
  afterAll(async () => {
    await beside?.close();
    await gateway?.[Symbol.asyncDispose]();
    await makers?.stop();
    await elsewhere?.remove();
    await space?.[Symbol.asyncDispose]();
    await payroll?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const { tools } = await beside.listTools();
    if (tools.length === 0) throw new Error("expected tools for who is well-behaved, found none");
  });

  const sentenceOf = async (asked: Asked): Promise<string> => {
    const { status, message } = await ask(gateway.url, asked);
    return status < 400 ? String(status) : `${status} ${message}`;
  };

  it("the tables are at least forty tokens long", () => {
    expect(invalid.length + others.length).toBeGreaterThanOrEqual(40);
  });

  it.each(accepted)("lets in %s", async (_what, token) => {
    expect(await sentenceOf(bearer(await token(makers)))).toBe("200");
  });

  it.each(invalid)("does not let in one %s", async (_what, token, why) => {
    const text = await token(makers);
    const { status, message, challenge } = await ask(gateway.url, bearer(text));
    expect([status, message]).toEqual([401, "Invalid token"]);
    expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^\n]+"$/);
    expect(challenge.replaceAll(/\\(.)/g, "$1").replaceAll("'", '"')).toMatch(new RegExp(why));
    expect(challenge).not.toContain(text);
  });

  it.each(others)("answers %s by what it is for", async (_what, asked, answer) => {
    expect(await sentenceOf(await asked(makers))).toBe(answer);
  });

  it("takes an account of its name elsewhere for somebody else", async () => {
    const token = await makers.request("on-call", undefined, elsewhere.name);
    expect(await sentenceOf(bearer(token))).toBe(noRole);
  });

  it("sends an agent the tokens of the issuer it asks for, and no others", async () => {
    const refusal = `403 The agent payroll asks for a token of ${makers.issuer.url}, and yours is another: sign in there`;
    const ofAccount = await makers.request("on-call");
    const forGatewayToo = await makers.signId({ groups: ["callers"], aud: ["pallas", makers.audience] });
    for (const token of [ofAccount, "a-payroll-caller", forGatewayToo]) {
      expect(await sentenceOf(proxied(token, "payroll"))).toBe(refusal);
    }
    expect(arrived).toEqual([]);
    const ofIssuer = await makers.signId({ groups: ["callers"] });
    expect(await sentenceOf(proxied(ofIssuer, "payroll"))).toBe("200");
    expect(arrived).toEqual([`Bearer ${ofIssuer}`]);
  });

  it("knows an agent that was deleted no more, nor by its old token one that was made anew", async () => {
    const before = await makers.request("gone-agent");
    expect(await sentenceOf(bearer(before))).toBe("503 The agent gone is not ready; try again later");
    await space.kubectl("delete", "pallasagent", "gone");
    await expect.poll(() => sentenceOf(bearer(before)), { timeout: 30_000 }).toBe("401 Invalid token");
    await space.kubectl("wait", "--for=delete", "serviceaccount/gone-agent", "--timeout=60s");
    await space.apply(agent({}, "gone"));
    await space.waitFor("pallasagent", "gone", "condition=Available");
    const after = await makers.request("gone-agent");
    await expect
      .poll(() => sentenceOf(bearer(after)), { timeout: 30_000 })
      .toBe("503 The agent gone is not ready; try again later");
    expect(await sentenceOf(bearer(before))).toBe("401 Invalid token");
  });

  it("takes no token of an account that was deleted, or of one before it under its name", async () => {
    await space.kubectl("create", "serviceaccount", "leaver");
    const before = await makers.request("leaver");
    await expect.poll(() => sentenceOf(bearer(before))).toBe(noRole);
    await space.kubectl("delete", "serviceaccount", "leaver");
    await expect.poll(() => sentenceOf(bearer(before))).toBe("401 Invalid token");
    await space.kubectl("create", "serviceaccount", "leaver");
    const after = await makers.request("leaver");
    await expect.poll(() => sentenceOf(bearer(after))).toBe(noRole);
    expect(await sentenceOf(bearer(before))).toBe("401 Invalid token");
  });

  it("takes tokens that the API server itself refuses, and logs none", async () => {
    const token = await makers.request("on-call");
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect((await callApi(cluster(), { method: "POST", path, body: {}, token })).status).toBe(401);
    expect(await sentenceOf(bearer(token))).toBe("200");
    const log = JSON.stringify(gateway.lines);
    for (const secret of [token, "a-viewer", "the-clerk", partOf(token, 2)]) expect(log).not.toContain(secret);
  });
});
