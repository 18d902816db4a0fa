// What is refused in a policy, and in which words; at each limit and one past it.
import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide, deniesAll } from "./decide.ts";
import { denyAll } from "./policy.ts";

const call = { server: "s", tool: "t", caller: "c", role: "caller", agent: "a" };
const problemsOf = (rules: unknown) => compilePolicy(rules).problems.map(({ message }) => message);
const withRule = (rule: object) => ({ rules: [{ name: "r", action: "ask", ...rule }], default: "allow" });
const withTest = (test: object) => withRule({ match: { args: [{ path: "/a", ...test }] } });
const list = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);

describe("MGM-5 a policy that cannot be read", () => {
  it("denies every call, and says why", () => {
    const { policy, problems } = compilePolicy({ rules: [{ name: "pay", action: "alow" }], default: "allow" });
    const message = 'rule pay, action: expected one of allow, ask, denyContinue, denyAbort, found "alow"';
    expect(problems).toEqual([{ rule: "pay", field: "action", message }]);
    expect(decide(policy, call)).toMatchObject({
      action: "denyAbort",
      rule: undefined,
      fault: message,
      reason: message,
    });
    expect(deniesAll(policy, call)).toBe(true);
  });

  it("says of many problems the first and the number of the others, and lists 16", () => {
    const bad = (count: number) =>
      compilePolicy({ rules: Array.from({ length: count }, (_, at) => ({ name: `r${at}` })) });
    expect(bad(16).problems).toHaveLength(16);
    expect(bad(17).problems).toHaveLength(16);
    expect(decide(bad(2).policy, call).fault).toBe(
      "rule r0, action: expected one of allow, ask, denyContinue, denyAbort, found nothing (and 1 more)",
    );
  });

  it("may be none at all", () => {
    expect(decide(denyAll("no policy was read"), call)).toMatchObject({
      action: "denyAbort",
      fault: "no policy was read",
    });
  });

  it.each([
    [undefined, "policy: expected an object with rules, default, found nothing"],
    ["allow", 'policy: expected an object with rules, default, found "allow"'],
    [[], "policy: expected an object with rules, default, found a list of 0"],
    [{}, "policy, rules: expected a list of at most 128, found nothing"],
    [{ rules: {} }, "policy, rules: expected a list of at most 128, found an object"],
    [{ rules: [], defaults: "ask" }, 'policy: expected of rules, default only, found "defaults", which is unknown'],
    [{ rules: [], default: null }, "policy, default: expected one of allow, ask, denyContinue, denyAbort, found null"],
    [
      JSON.parse('{"rules":[],"__proto__":{}}'),
      'policy: expected of rules, default only, found "__proto__", which is unknown',
    ],
    [{ rules: [null] }, /^rule \[0\]: expected an object with name, match, .*, found null/],
    [
      { rules: [{ action: "ask" }] },
      'rule [0], name: expected 1 to 63 letters, digits, ".", "_" and "-", found nothing',
    ],
    [{ rules: [{ name: "a b", action: "ask" }] }, /rule \[0\], name: expected .*, found "a b"/],
    [
      { rules: list(2, { name: "a", action: "ask" }) },
      "rule a, name: expected a name of its own, found an earlier rule's",
    ],
    [withRule({ when: 1 }), /rule r: expected of .* only, found "when", which is unknown/],
    [withRule({ match: [] }), /rule r, match: expected an object with servers, .*, found a list of 0/],
    [withRule({ match: { tool: ["a"] } }), /rule r, match: .* found "tool", which is unknown/],
    [withRule({ match: { tools: [] } }), /match\.tools: expected a list of 1 to 64, found a list of 0; leave it out/],
    [withRule({ match: { tools: "a" } }), 'rule r, match.tools: expected a list of 1 to 64, found "a"'],
    [
      withRule({ match: { callers: ["a", 7] } }),
      "rule r, match.callers[1]: expected a text of 1 to 256 characters, found 7",
    ],
    [withRule({ match: { roles: [""] } }), 'rule r, match.roles[0]: expected a text of 1 to 256 characters, found ""'],
    [withRule({ match: { hints: {} } }), "rule r, match.hints: expected readOnly, destructive or both, found neither"],
    [withRule({ match: { hints: { readOnly: "yes" } } }), 'match.hints.readOnly: expected true or false, found "yes"'],
    [withRule({ match: { hints: { safe: true } } }), 'found "safe", which is unknown'],
    [withTest({}), /match\.args\[0\]: expected exactly one of equals, .*, absent, found none/],
    [withTest({ equals: 1, absent: true }), /expected exactly one of .*, found equals and absent/],
    [withTest({ matches: ".*" }), 'found "matches", which is unknown'],
    [
      withTest({ path: "a", equals: 1 }),
      'match.args[0].path: expected a JSON pointer: "" or parts that begin with "/"',
    ],
    [withTest({ path: 1, equals: 1 }), "match.args[0].path: expected a JSON pointer, found 1"],
    [
      withTest({ equals: {} }),
      "equals: expected a text of at most 256 characters, a number, true, false or null, found an",
    ],
    [withTest({ equals: Number.NaN }), "found NaN"],
    [withTest({ in: [] }), "match.args[0].in: expected a list of 1 to 64, found a list of 0"],
    [withTest({ in: [1, []] }), /match\.args\[0\]\.in\[1\]: .* found a list of 0/],
    [withTest({ prefix: 1 }), "match.args[0].prefix: expected a text of 1 to 256 characters, found 1"],
    [withTest({ glob: null }), "match.args[0].glob: expected a text of 1 to 256 characters, found null"],
    [withTest({ lessThan: "100" }), 'rule r, match.args[0].lessThan: expected a number, found "100"'],
    [withTest({ greaterThan: Infinity }), "match.args[0].greaterThan: expected a number, found Infinity"],
    [withTest({ absent: "true" }), 'match.args[0].absent: expected true or false, found "true"'],
    [withRule({ reason: "" }), 'rule r, reason: expected a text of 1 to 1024 characters, found ""'],
    [
      withRule({ approvers: ["a", {}] }),
      "rule r, approvers[1]: expected a text of 1 to 256 characters, found an object",
    ],
    [withRule({ askCaller: 1 }), "rule r, askCaller: expected true or false, found 1"],
    [
      withRule({ action: "allow", approvers: ["a"] }),
      "approvers: expected it beside action ask only, found action allow",
    ],
    [
      withRule({ action: "allow", askCaller: false }),
      "askCaller: expected it beside action ask only, found action allow",
    ],
    [withRule({ redact: ["/a", "b"] }), /rule r, redact\[1\]: expected a JSON pointer: .*, found "b"/],
    [withRule({ limit: {} }), "rule r, limit: expected perMinute, perDay or both, found neither"],
    [withRule({ limit: { perDay: 0 } }), "limit.perDay: expected a whole number from 1 to 1000000, found 0"],
    [withRule({ limit: { perDay: 1.5 } }), "limit.perDay: expected a whole number from 1 to 1000000, found 1.5"],
    [withRule({ limit: { perDay: 1, per: "tool" } }), 'limit.per: expected one of caller, agent, found "tool"'],
    [
      withRule({ action: "denyAbort", limit: { perDay: 1 } }),
      "limit: expected it beside actions allow and ask only, found action denyAbort",
    ],
    [
      withRule({ action: "allow", match: { hints: { readOnly: true } } }),
      "rule r, action: expected one of ask, denyContinue, denyAbort for what is matched by hints, found allow",
    ],
  ])("%j is refused in words", (rules, words) => {
    const { policy, problems } = compilePolicy(rules);
    const said = problems.map(({ message }) => message).join("\n");
    expect(said).toMatch(words);
    expect(decide(policy, call)).toMatchObject({ action: "denyAbort", fault: expect.any(String) });
  });

  it("is not repeated at length", () => {
    const [message = ""] = problemsOf(withRule({ action: "x".repeat(100_000) }));
    expect(message.length).toBeLessThan(150);
    expect(problemsOf({ rules: [], ["y".repeat(100_000)]: 1 })[0]?.length).toBeLessThan(150);
  });
});

describe("a policy has at most", () => {
  /** So many rules with 16 tests by glob, but for the last, which has `last`; below 256 other tests do not count. */
  const globbed = (rules: number, last: number) => ({
    rules: Array.from({ length: rules }, (_, at) => ({
      name: `r${at}`,
      action: "ask",
      match: {
        args: [
          ...list(at === 16 ? last : 15, { path: "/a", glob: "*" }),
          { path: "/a", [at === 16 ? "prefix" : "glob"]: "a" },
        ],
      },
    })),
  });
  const named = (count: number) => ({
    rules: Array.from({ length: count }, (_, at) => ({ name: `r${at}`, action: "ask" })),
  });
  it.each([
    ["128 rules", named(128), named(129)],
    ["63 characters of a name", withRule({ name: "n".repeat(63) }), withRule({ name: "n".repeat(64) })],
    ["64 globs", withRule({ match: { tools: list(64, "a") } }), withRule({ match: { tools: list(65, "a") } })],
    [
      "256 characters of a glob",
      withRule({ match: { servers: ["a".repeat(256)] } }),
      withRule({ match: { servers: ["a".repeat(257)] } }),
    ],
    [
      "16 tests of arguments",
      withRule({ match: { args: list(16, { path: "", equals: 1 }) } }),
      withRule({ match: { args: list(17, { path: "", equals: 1 }) } }),
    ],
    ["256 tests by glob", globbed(16, 1), globbed(17, 1)],
    ["64 values of in", withTest({ in: list(64, 1) }), withTest({ in: list(65, 1) })],
    ["256 characters of a value", withTest({ equals: "a".repeat(256) }), withTest({ equals: "a".repeat(257) })],
    ["1,024 characters of a reason", withRule({ reason: "a".repeat(1_024) }), withRule({ reason: "a".repeat(1_025) })],
    ["64 approvers", withRule({ approvers: list(64, "a") }), withRule({ approvers: list(65, "a") })],
    ["32 redactions", withRule({ redact: list(32, "/a") }), withRule({ redact: list(33, "/a") })],
    [
      "a million calls",
      withRule({ limit: { perMinute: 1_000_000, perDay: 1 } }),
      withRule({ limit: { perMinute: 1_000_001, perDay: 1 } }),
    ],
  ])("%s", (_, most, more) => {
    expect(problemsOf(most)).toEqual([]);
    expect(problemsOf(more)).toHaveLength(1);
  });
});
