// Who may do what: the entries of `access`, the first of which that fits a proven caller says its role, or that it is an
// agent. Pure. It proves nobody, and knows no names of agents or servers beyond the globs that narrow what somebody sees.
import type { Refusal } from "./refusal.ts";

/** Each may do what those before it may. */
export const roles = ["viewer", "caller", "approver", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

/** One way to say who somebody is. */
type Who =
  | { serviceAccount: { name: string } }
  /** Of a token of the configured issuer: its claim of this name is this text, or a list that holds it. */
  | { claim: { name: string; value: string } }
  /** Whoever holds a token of this table. */
  | { tokenTable: string };

/** What somebody is taken for. */
export type Grant =
  | { agent: string }
  | {
      role: Role;
      /** Globs of what the role is narrowed to; absent: all, and empty: none. */
      agents?: readonly string[];
      servers?: readonly string[];
    };

/** An entry of `spec.gateway.access`, its Secret replaced by the name of the token table that is read from it. */
export type AccessEntry = Who & Grant;

/** What was proven of a caller. One token may prove several things. */
export type Proof =
  | { kind: "account"; namespace: string; name: string }
  | { kind: "claims"; claims: Readonly<Record<string, unknown>> }
  | { kind: "table"; table: string };

/**
 * What the first entry that fits any of the proofs grants; undefined where none does. A ServiceAccount fits only from
 * `namespace`, the instance's own: anybody may have one of the same name elsewhere.
 */
export function findGrant(
  access: readonly AccessEntry[],
  proofs: readonly Proof[],
  namespace: string,
): Grant | undefined {
  const entry = access.find((each) => proofs.some((proof) => fits(each, proof, namespace)));
  if (entry === undefined || "agent" in entry) return entry && { agent: entry.agent };
  const { role, agents, servers } = entry;
  return { role, ...(agents && { agents }), ...(servers && { servers }) };
}

/**
 * What a caller is called beside their name, by every entry with a role that fits: the claim's value, the ServiceAccount's name,
 * the key of the token table. Only what `access` lists becomes a group, so that nobody gives themselves one.
 */
export function findGroups(access: readonly AccessEntry[], proofs: readonly Proof[], namespace: string): string[] {
  const fitting = access.filter((each) => "role" in each && proofs.some((proof) => fits(each, proof, namespace)));
  return [...new Set(fitting.map(groupOf))];
}

function groupOf(who: Who): string {
  if ("serviceAccount" in who) return who.serviceAccount.name;
  if ("claim" in who) return who.claim.value;
  return who.tokenTable.slice(who.tokenTable.lastIndexOf("/") + 1);
}

function fits(who: Who, proof: Proof, namespace: string): boolean {
  if (proof.kind === "account") {
    return "serviceAccount" in who && proof.namespace === namespace && who.serviceAccount.name === proof.name;
  }
  if (proof.kind === "table") return "tokenTable" in who && who.tokenTable === proof.table;
  if (!("claim" in who) || !Object.hasOwn(proof.claims, who.claim.name)) return false;
  const held = proof.claims[who.claim.name];
  return held === who.claim.value || (Array.isArray(held) && held.includes(who.claim.value));
}

/** Who asks, once that is known. The same subject is the same caller, whichever token it came with. */
interface KnownCaller {
  readonly subject: string;
  /**
   * What people and policies call them, which nobody chooses for themselves: `system:serviceaccount:NAMESPACE:NAME`,
   * `agent:NAME`, `token:TABLE/ID`, or the subject that an issuer gave.
   */
  readonly name: string;
  /** When what it came with ends, by the wall clock: what lasts longer than a request ends then. Absent: never. */
  readonly expiresAtMs?: number;
}

/** A program that runs as this agent; it has no role, and reaches what is that agent's own. */
export interface AgentIdentity extends KnownCaller {
  readonly kind: "agent";
  readonly agent: string;
}

/** Anybody else. Without a role it is known who it is, and may do nothing. */
export interface PersonIdentity extends KnownCaller {
  readonly kind: "person";
  /** By which approvers may be named, beside the name. */
  readonly groups: readonly string[];
  readonly role?: Role;
  readonly agents?: readonly string[];
  readonly servers?: readonly string[];
}

export type Identity = AgentIdentity | PersonIdentity;

/** Undefined where the identity has the role or a higher one; else why not, with the role that is missing. */
export function requireRole(identity: Identity, needed: Role): Refusal | undefined {
  if (identity.kind === "agent") {
    return forbid(`this needs a person with the role ${needed}, and the token is an agent's`);
  }
  if (identity.role === undefined) return forbid(`this needs the role ${needed}, and the token's owner has no role`);
  if (roles.indexOf(identity.role) >= roles.indexOf(needed)) return undefined;
  return forbid(`this needs the role ${needed}, and the token's owner has the role ${identity.role}`);
}

/** The agent that asks, where it is one; else why what is for agents alone is not for this caller. */
export function requireAgent(identity: Identity): AgentIdentity | Refusal {
  return identity.kind === "agent" ? identity : forbid("this needs the token of an agent, and the token is a person's");
}

const forbid = (message: string): Refusal => ({ kind: "refused", status: 403, message, headers: {} });

/** Whether an identity that is narrowed to `globs` sees what has this name. `matches` says what a glob means. */
export function isVisible(
  globs: readonly string[] | undefined,
  name: string,
  matches: (name: string, glob: string) => boolean,
): boolean {
  return globs === undefined || globs.some((glob) => matches(name, glob));
}
