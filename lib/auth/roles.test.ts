import { describe, expect, test } from "vitest";
import {
  findGrant,
  findGroups,
  isVisible,
  requireAgent,
  requireRole,
  roles,
  type AccessEntry,
  type Identity,
} from "./roles.ts";

const account = (name: string, namespace = "agents") => ({ kind: "account" as const, namespace, name });
const claims = (held: Record<string, unknown>) => ({ kind: "claims" as const, claims: held });
const person = (role?: (typeof roles)[number]): Identity => ({
  kind: "person",
  subject: "p",
  name: "p",
  groups: [],
  ...(role && { role }),
});
const agent: Identity = { kind: "agent", subject: "a", agent: "clerk", name: "agent:clerk" };

describe("MGM-1 access", () => {
  const access: AccessEntry[] = [
    { role: "viewer", serviceAccount: { name: "both" }, agents: ["a-*"] },
    { role: "admin", serviceAccount: { name: "both" } },
    { role: "caller", claim: { name: "constructor", value: "x" } },
    { role: "caller", claim: { name: "groups", value: "1" } },
    { agent: "clerk", tokenTable: "clerk" },
  ];

  test("goes by the first entry that fits, with what narrows it", () => {
    expect(findGrant(access, [account("both")], "agents")).toEqual({ role: "viewer", agents: ["a-*"] });
    expect(
      findGrant(
        access,
        [
          { kind: "table", table: "other" },
          { kind: "table", table: "clerk" },
        ],
        "agents",
      ),
    ).toEqual({
      agent: "clerk",
    });
  });

  test.each([
    ["an account of another namespace", account("both", "other")],
    ["an account of another name", account("both2")],
    ["a claim that every object has", claims({})],
    ["a claim of another type", claims({ groups: 1 })],
    ["a claim nested in a list", claims({ groups: [["1"]] })],
    ["a claim that is a part of the value", claims({ groups: "12" })],
    ["another table", { kind: "table" as const, table: "clerks" }],
  ])("grants nothing to %s", (_name, proof) => {
    expect(findGrant(access, [proof], "agents")).toBeUndefined();
  });
});

describe("MGM-6 groups", () => {
  const access: AccessEntry[] = [
    { role: "approver", claim: { name: "groups", value: "finance" } },
    { role: "viewer", claim: { name: "groups", value: "ops" } },
    { role: "admin", claim: { name: "teams", value: "ops" } },
    { role: "admin", tokenTable: "gateway-tokens/admins" },
    { agent: "clerk", tokenTable: "clerk" },
    { role: "viewer", serviceAccount: { name: "on-call" } },
  ];

  test("are of all entries with a role that fit, each once, by the word that access has for them", () => {
    const groupsOf = (...proofs: Parameters<typeof findGroups>[1]) => findGroups(access, proofs, "agents");
    expect(groupsOf(claims({ groups: ["ops", "finance", "root"], teams: "ops" }))).toEqual(["finance", "ops"]);
    expect(groupsOf(account("on-call"))).toEqual(["on-call"]);
    expect(groupsOf(account("on-call", "other"))).toEqual([]);
    expect(groupsOf({ kind: "table", table: "gateway-tokens/admins" }, { kind: "table", table: "clerk" })).toEqual([
      "admins",
    ]);
  });
});

describe("MGM-1 roles", () => {
  test("each may do what those before it may, and nothing above", () => {
    for (const [at, held] of roles.entries()) {
      for (const [neededAt, needed] of roles.entries()) {
        const answer = requireRole(person(held), needed)?.message ?? "allowed";
        expect(answer).toMatch(at >= neededAt ? /^allowed$/ : `needs the role ${needed}, and`);
      }
    }
  });

  test("nobody without a role, and no agent, does what needs one", () => {
    expect(requireRole(person(), "viewer")).toMatchObject({ status: 403, message: expect.stringContaining("no role") });
    expect(requireRole(agent, "viewer")).toMatchObject({ status: 403, message: expect.stringContaining("an agent's") });
  });

  test("what is for agents is for no person, whatever the role", () => {
    expect(requireAgent(agent)).toBe(agent);
    expect(requireAgent(person("admin"))).toMatchObject({ kind: "refused", status: 403 });
  });
});

describe("MGM-1 what somebody sees", () => {
  const matches = (name: string, glob: string) => name.startsWith(glob.replace("*", ""));
  test("is all without globs, nothing with none, and else what one of them names", () => {
    expect(isVisible(undefined, "x", matches)).toBe(true);
    expect(isVisible([], "x", matches)).toBe(false);
    expect(isVisible(["a", "x*"], "xy", matches)).toBe(true);
    expect(isVisible(["a", "b"], "xy", matches)).toBe(false);
  });
});
