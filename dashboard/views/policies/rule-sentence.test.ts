// Rules of policies in words.
import { describe, expect, it } from "vitest";
import { ruleSchema, type ShownRule } from "../../data/policies.ts";
import { tellDefault, tellRule, toText } from "./rule-sentence.ts";

const tell = (rule: Omit<ShownRule, "name">): string => toText(tellRule(ruleSchema.parse({ name: "r", ...rule })));

describe("a rule as a sentence", () => {
  it("says what becomes of the calls, for each action", () => {
    expect(tell({ action: "allow" })).toBe("Allows every call.");
    expect(tell({ action: "ask" })).toBe("Asks an approver about every call.");
    expect(tell({ action: "denyContinue" })).toBe("Denies every call; the run goes on.");
    expect(tell({ action: "denyAbort" })).toBe("Denies every call and ends the run.");
  });

  it("names tools, servers, callers and roles, of which any one is enough", () => {
    const match = {
      tools: ["read_*", "list_*", "now"],
      servers: ["k8s"],
      callers: ["agent:clerk"],
      roles: ["admin", "none"],
    };
    expect(tell({ action: "allow", match })).toBe(
      "Allows calls of read_*, list_*, or now on k8s made by agent:clerk with the role admin or none.",
    );
    expect(tell({ action: "allow", match: { servers: ["k8s"] } })).toBe("Allows every call on k8s.");
  });

  it("names tests of arguments, which all must hold, with values told apart by their type", () => {
    const args = [
      { path: "/a", equals: 1 },
      { path: "/b", in: ["1", null] },
      { path: "/c", prefix: "prod-" },
      { path: "/d", glob: "x*" },
      { path: "/e", lessThan: 100 },
      { path: "/f", greaterThan: 0 },
      { path: "/g", absent: true },
      { path: "/h", absent: false },
      { path: "", equals: null },
    ];
    expect(tell({ action: "allow", match: { args } })).toBe(
      'Allows every call where /a is 1, /b is "1" or null, /c begins with "prod-", /d is like "x*", /e is less than 100, ' +
        "/f is more than 0, /g is not there, /h is there, and the arguments is null.",
    );
    expect(tell({ action: "allow", match: { args: [{ path: "/a" }] } })).toContain("does not know");
  });

  it("tells hints as what tools say", () => {
    const match = { hints: { readOnly: false, destructive: true } };
    expect(tell({ action: "ask", match })).toBe(
      "Asks an approver about every call of tools that say they do not only read and may destroy something.",
    );
  });

  it("names who is asked, and the caller where they may answer", () => {
    expect(tell({ action: "ask", approvers: ["finance", "lea"] })).toBe("Asks finance or lea about every call.");
    expect(tell({ action: "ask", askCaller: true })).toBe("Asks an approver or the caller about every call.");
  });

  it("tells limits and what nobody is shown", () => {
    expect(tell({ action: "allow", limit: { perMinute: 2, perDay: 5_000 } })).toBe(
      "Allows every call. At most 2 a minute and 5,000 a day for each caller; more are denied.",
    );
    expect(tell({ action: "allow", limit: { perDay: 5, per: "agent" }, redact: ["/card/*", "/pin"] })).toBe(
      "Allows every call. At most 5 a day for each agent; more are denied. Nobody is shown /card/* and /pin.",
    );
  });

  it("keeps names apart from words, whatever is in them", () => {
    const pieces = tellRule(ruleSchema.parse({ name: "r", action: "allow", match: { tools: ["{servers}"] } }));
    expect(pieces.filter(({ kind }) => kind === "name")).toEqual([{ kind: "name", text: "{servers}" }]);
    expect(toText(pieces)).toBe("Allows calls of {servers}.");
  });
});

it("the default is told of every other call, and of every one where there is no rule", () => {
  expect(toText(tellDefault("ask", false))).toBe("Asks an approver about every other call.");
  expect(toText(tellDefault("denyContinue", true))).toBe("Denies every call; the run goes on.");
});
