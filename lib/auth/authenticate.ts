// Who sends a request to an instance's gateway (MGM-1): by what signed its token and what the token names, never by its form. A
// token table is asked for the whole token; a signature is asked for by the issuer that the token names, and the answer rests on
// that issuer's keys alone. It lets nobody in whom it cannot judge, and keeps no token.
//
// How it is used: `createAuthenticate` once; per request `await authenticate(readRequestFacts(incoming))`, also for WebSocket
// upgrades; a `Refusal` is answered as it says; an identity is handed on, and each route asks `requireRole` or `requireAgent`.
// An identity is a NamedCaller too, so that sessions belong to it. What outlives its request ends at `expiresAtMs`.
import { defined } from "../process/defined.ts";
import { readNamedIssuer, type ClusterAccount, type ClusterTokens, type ClusterVerdict } from "./cluster-tokens.ts";
import type { TrustedIssuer } from "./discovery.ts";
import { refuseInvalid, refuseUnchecked, type Refusal } from "./refusal.ts";
import { readCredentials, type RequestFacts } from "./request-credentials.ts";
import { findGrant, findGroups, type AccessEntry, type Identity, type Proof } from "./roles.ts";
import type { TokenTable } from "./token-table.ts";
import type { VerifyToken } from "./verified-tokens.ts";
import { nameSubject } from "./subject-name.ts";

/** Whether an account is an agent's. `gone`: it was, and agent, account or pod are no more; says which. */
export type AgentFinding = { agent: string } | { gone: string } | undefined;

export interface AuthenticateOptions {
  access: readonly AccessEntry[];
  /** Of the instance. Accounts of other namespaces are nobody here. */
  namespace: string;
  /** Absent where there is no cluster. */
  cluster?: ClusterTokens | undefined;
  /** `spec.auth.jwt`; `verify` by createVerifyToken, with keys by createIssuerKeys and fetchKeys. */
  jwt?: { trusted: TrustedIssuer; verify: VerifyToken } | undefined;
  tables: readonly TokenTable[];
  /**
   * Asked for each token of an account of the namespace, from what a watch told last: it must not wait. Compare the account's
   * uid, and the pod's where the token names one, since names are used again.
   */
  findAgent: (account: ClusterAccount) => AgentFinding;
}

/**
 * Never rejects for what is in a request.
 * @param metadataUrl where an MCP client learns how to sign in (RFC 9728), when anywhere
 */
export type Authenticate = (facts: RequestFacts, metadataUrl?: string) => Promise<Identity | Refusal>;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  return async (facts, metadataUrl) => {
    const credentials = readCredentials(facts, metadataUrl);
    if (credentials.kind === "refused") return credentials;
    const opinion = await judge(credentials.token, options);
    if (opinion.kind === "unavailable") return refuseUnchecked();
    if (opinion.kind === "refused") return refuseInvalid(opinion.why, metadataUrl);
    return opinion.identity;
  };
}

type Opinion = { kind: "known"; identity: Identity } | { kind: "refused"; why: string } | { kind: "unavailable" };

/** Any table or issuer may let a caller in; while one of them cannot say, nobody is turned away for good. */
async function judge(token: string, options: AuthenticateOptions): Promise<Opinion> {
  const byTable = await judgeByTables(token, options);
  if (byTable !== undefined && byTable.kind !== "unavailable") return byTable;
  const byIssuer = await judgeByIssuers(token, options);
  return byIssuer.kind === "refused" ? (byTable ?? byIssuer) : byIssuer;
}

/** Undefined where no table knows the token, and all could be read. */
async function judgeByTables(token: string, options: AuthenticateOptions): Promise<Opinion | undefined> {
  const verdicts = await Promise.all(
    options.tables.map(async (table) => ({ table: table.name, verdict: await table.judge(token) })),
  );
  const listed = verdicts.flatMap(({ table, verdict }) => (verdict.kind === "listed" ? [{ table, ...verdict }] : []));
  const [first] = listed;
  if (first !== undefined) {
    const proofs = listed.map(({ table }): Proof => ({ kind: "table", table }));
    const { table, id, expiresAtMs } = first;
    return know({ subject: `token ${table} ${id}`, name: `token:${table}/${id}`, expiresAtMs }, proofs, options);
  }
  const others = verdicts.map(({ verdict }) => verdict);
  if (others.some(({ kind }) => kind === "unavailable")) return { kind: "unavailable" };
  return others.find((verdict) => verdict.kind === "refused");
}

async function judgeByIssuers(token: string, options: AuthenticateOptions): Promise<Opinion> {
  const issuer = readNamedIssuer(token);
  if (issuer === undefined) return { kind: "refused", why: "the token is not one that is known here" };
  const opinions = [await judgeByCluster(token, options), await judgeByJwt(token, issuer, options)].filter(
    (opinion) => opinion !== undefined,
  );
  // Where one issuer is configured twice, either way in is one.
  return (
    opinions.find(({ kind }) => kind === "known") ??
    opinions.find(({ kind }) => kind === "unavailable") ??
    opinions[0] ?? { kind: "refused", why: "the token is of an issuer that is not trusted here" }
  );
}

async function judgeByCluster(token: string, options: AuthenticateOptions): Promise<Opinion | undefined> {
  const verdict: ClusterVerdict = (await options.cluster?.judge(token)) ?? { kind: "foreign" };
  if (verdict.kind === "foreign") return undefined;
  if (verdict.kind !== "account") return verdict;
  const { account } = verdict;
  const { issuer, namespace, name, uid, expiresAtMs } = account;
  const finding = namespace === options.namespace ? options.findAgent(account) : undefined;
  if (finding !== undefined && "gone" in finding) return { kind: "refused", why: finding.gone };
  const called = `system:serviceaccount:${namespace}:${name}`;
  const subject = `${issuer} ${called} ${uid}`;
  if (finding !== undefined) {
    const { agent } = finding;
    return { kind: "known", identity: { kind: "agent", agent, name: nameAgent(agent), subject, expiresAtMs } };
  }
  return know({ subject, name: called, expiresAtMs }, [{ kind: "account", namespace, name }], options);
}

async function judgeByJwt(token: string, issuer: string, options: AuthenticateOptions): Promise<Opinion | undefined> {
  const { jwt } = options;
  if (jwt === undefined || jwt.trusted.issuer !== issuer) return undefined;
  const verdict = await jwt.verify(token, jwt.trusted);
  if (verdict.kind !== "valid") return verdict;
  const { payload } = verdict;
  const expiresAtMs = (payload.exp ?? 0) * 1_000;
  const subject = `${issuer} ${verdict.subject}`;
  return know(
    { subject, name: nameSubject(verdict.subject), expiresAtMs },
    [{ kind: "claims", claims: payload }],
    options,
  );
}

const nameAgent = (agent: string): string => `agent:${agent}`;

function know(
  { subject, name, expiresAtMs }: { subject: string; name: string; expiresAtMs?: number | undefined },
  proofs: readonly Proof[],
  { access, namespace }: AuthenticateOptions,
): Opinion {
  const grant = findGrant(access, proofs, namespace);
  const caller = { subject, ...defined({ expiresAtMs }) };
  if (grant !== undefined && "agent" in grant) {
    const { agent } = grant;
    return { kind: "known", identity: { ...caller, name: nameAgent(agent), kind: "agent", agent } };
  }
  const groups = findGroups(access, proofs, namespace);
  return { kind: "known", identity: { ...caller, name, kind: "person", groups, ...grant } };
}
