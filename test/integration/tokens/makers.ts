// Tokens for a gateway on the API server of the tests: such as the API server signs, such as it would never sign though its own key
// did, those of an issuer beside it, and those of token tables.
import { createHash, createHmac } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT, type JWTPayload } from "jose";
import { type Issuer, renderClaims, startIssuer } from "../../../lib/auth/testing/issuer.ts";
import { callApi } from "../../cluster/api-call.ts";
import { cluster } from "../../cluster/cluster.ts";

export interface TokenMakers {
  readonly audience: string;
  readonly issuer: Issuer;
  /** As `kubectl create token` asks for it; by default with the gateway's audience. */
  request(account: string, spec?: object, namespace?: string): Promise<string>;
  /** Claims and header of on-call's token, changed, under the cluster's own signature. */
  forge(changes: object, header?: object): Promise<string>;
  /** Of the issuer beside the cluster. */
  signId(changes?: object): Promise<string>;
  stop(): Promise<void>;
}

const without = (claims: object): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));

export async function createTokenMakers(namespace: string): Promise<TokenMakers> {
  const issuer = await startIssuer();
  const audience = `pallas:${namespace}/team`;
  const request: TokenMakers["request"] = async (account, spec = { audiences: [audience] }, home = namespace) => {
    const path = `/api/v1/namespaces/${home}/serviceaccounts/${account}/token`;
    const { status, body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
    if (status !== 201) throw new Error(`expected a token of ${account}, found ${status}: ${body}`);
    return JSON.parse(body).status.token;
  };
  return {
    audience,
    issuer,
    request,
    async forge(changes, header = {}) {
      const good = await request("on-call");
      const { alg = "", kid = "" } = decodeProtectedHeader(good);
      const path = join(dirname(cluster().caPath), "service-account.key");
      const key = await importPKCS8(await readFile(path, "utf8"), alg);
      const claims = without({ ...decodeJwt(good), ...changes });
      return await new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(key);
    },
    signId: (changes = {}) => issuer.sign(renderClaims(issuer, { groups: ["engineering"], ...changes })),
    stop: () => issuer.stop(),
  };
}

const base64url = (value: object | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
export const partOf = (token: string, at: number): string => token.split(".")[at] ?? "";

/** With another algorithm in its header and nothing for a signature. */
export const withoutSignature = (token: string, alg: string): string =>
  `${base64url({ ...decodeProtectedHeader(token), alg })}.${partOf(token, 1)}.`;

/** Signed with what everybody can read: the public key, taken for a secret. */
export function signWithPublicKey(token: string, publicKey: object): string {
  const signed = `${base64url({ ...decodeProtectedHeader(token), alg: "HS256" })}.${partOf(token, 1)}`;
  return `${signed}.${createHmac("sha256", JSON.stringify(publicKey)).update(signed).digest("base64url")}`;
}

export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The Secret `gateway-tokens` as the kubelet mounts it. */
export async function writeTokenTables(secretsDir: string): Promise<void> {
  const folder = join(secretsDir, "gateway-tokens");
  await mkdir(folder);
  const viewers = [
    `sha256:${hashOf("a-viewer")}`,
    `SHA256:${hashOf("in-upper-case").toUpperCase()} 2999-01-01T00:00:00Z`,
    `sha256:${hashOf("of-yesterday")} 2020-01-01T00:00:00Z`,
    `sha256:${hashOf("half").slice(0, 32)}`,
  ];
  await writeFile(join(folder, "viewers"), viewers.join("\n"));
  await writeFile(join(folder, "payroll-callers"), `sha256:${hashOf("a-payroll-caller")}\n`);
  await writeFile(join(folder, "clerk"), `sha256:${hashOf("the-clerk")}\n`);
}
