// OPR-9 over all tests: the vitest project `rights` runs after the others and compares every call that our programs made
// of an API server with what they are granted. It needs a whole run, but for files that are left out where a program is
// missing: after a part of one it is skipped, in CI it fails.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { renderGatewayChildren } from "../../operator/render/gateway-children.ts";
import { renderInstanceChildren } from "../../operator/render/instance-children.ts";
import { makeInstance, releaseImages, releaseRules } from "../../operator/render/testing/resources.ts";
import { ownRules, watchedRules } from "../../operator/rights.ts";
import { auditDir } from "../cluster/audit.ts";
import { needsPresent } from "../tools/needs.ts";
import { readAuditLogs, type AuditedCall } from "./audited-call.ts";
import { callsOutside, compareRights, expandRules, judgeRefusals, rightsUsed, unwantedRights } from "./comparison.ts";
import { provokedRefusals, unheardPrefixes } from "./provoked-refusals.ts";
import { runNotes } from "./started.ts";

const root = join(import.meta.dirname, "../..");
const integration = "test/integration";
/** What a test file imports that starts one of our programs in a cluster. */
const starters = /gateway-process\.ts|operator-process\.ts|watched-namespace\.ts|program-account\.ts/;

const starts = runNotes.readStarts();
const startingFiles = readdirSync(join(root, integration))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(root, integration, name))
  .filter((path) => starters.test(readFileSync(path, "utf8")));
const notRun = runNotes.findNotRun(startingFiles).map((path) => relative(root, path));
const isPart = notRun.length > 0;
const needed = needsPresent(
  isPart
    ? `expected a whole run to compare rights with, found no calls of ${notRun.join(", ")}; run \`make test\``
    : undefined,
);

const calls: readonly AuditedCall[] = isPart ? [] : await readAuditLogs(auditDir);
const accountsOf = (program: string) =>
  new Set(starts.filter((start) => start.program === program).map(({ account }) => account));
const callsOf = (program: string): AuditedCall[] => {
  const accounts = accountsOf(program);
  return calls.filter(({ account }) => accounts.has(account));
};
const { role } = renderInstanceChildren(makeInstance(), releaseImages, releaseRules);
const operatorRights = expandRules([...watchedRules(), ...ownRules()]);
const registryRights = expandRules(role.rules ?? []);
const managing = renderGatewayChildren(
  makeInstance({ gateway: { management: "readWrite" } }),
  releaseImages,
  releaseRules,
);
const gatewayRights = expandRules(managing?.role.rules ?? []);

/** Of namespaces in which a test asks the API server with the tokens of people. */
const peoplesPrefixes = ["tokens-"];
/** Of people that tests of whole gateways let in. */
const people = /\/on-call$/;

describe("OPR-9 SEC-2 every call of all tests", needed, () => {
  it("is recorded: each program that a test started shows in a log", () => {
    expect(startingFiles.length).toBeGreaterThanOrEqual(14);
    const seen = new Set(calls.map(({ account }) => account));
    const isUnheard = (account: string) => unheardPrefixes.some((prefix) => account.startsWith(prefix));
    expect(starts.filter(({ account }) => !seen.has(account) && !isUnheard(account))).toEqual([]);
  });

  it("of the operator: what it is granted is what it uses, or hands on to registries and gateways", () => {
    const used = rightsUsed(callsOf("operator"));
    expect(compareRights(operatorRights, used, [...registryRights, ...gatewayRights])).toEqual({
      idle: [],
      missing: [],
    });
  });

  it("of registries: what their Role grants is what they use", () => {
    expect(compareRights(registryRights, rightsUsed(callsOf("registry")))).toEqual({ idle: [], missing: [] });
  });

  it("of gateways: what their Role grants is what they use", () => {
    expect(compareRights(gatewayRights, rightsUsed(callsOf("gateway")))).toEqual({ idle: [], missing: [] });
  });

  it("is allowed, but where a test takes rights away on purpose", () => {
    // Who sent a token that is not valid is told by its user agent only.
    const ours = calls.filter(({ account, userAgent }) => account !== "" || userAgent.startsWith("pallas-"));
    expect(judgeRefusals(ours, provokedRefusals)).toEqual({ unexpected: [], notProvoked: [] });
  });

  it("stays in the namespaces that are listed, where they are", () => {
    const scopes = new Map<string, Set<string>>();
    for (const { account, namespaces } of starts.filter((start) => start.namespaces.length > 0)) {
      scopes.set(account, new Set([...(scopes.get(account) ?? []), ...namespaces]));
    }
    const byAccount = Map.groupBy(calls, ({ account }) => account);
    expect([...scopes].flatMap(([account, scope]) => callsOutside(byAccount.get(account) ?? [], scope))).toEqual([]);
    expect(scopes.size).toBeGreaterThan(15);
  });

  it("is of the operator, a registry or a gateway: agents' accounts make none", () => {
    const known = new Set(["operator", "registry", "gateway"].flatMap((program) => [...accountsOf(program)]));
    const isPerson = (account: string) => peoplesPrefixes.some((prefix) => account.startsWith(prefix));
    const others = calls.filter(
      ({ account }) => account !== "" && !known.has(account) && !isPerson(account) && !people.test(account),
    );
    expect([...new Set(others.map(({ account }) => account))]).toEqual([]);
  });
});

describe("OPR-9 what is granted", () => {
  it("names no wildcard, no Secret and nothing that leads to more rights", () => {
    expect(operatorRights.length).toBeGreaterThan(50);
    expect(unwantedRights([...operatorRights, ...registryRights, ...gatewayRights])).toEqual([]);
  });
});
