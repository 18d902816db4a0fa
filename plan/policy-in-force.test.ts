import { describe, expect, test } from "vitest";
import { policyActions, policyMaxima, maxPolicyBytes } from "../crds/policy.ts";
import { actions, maxima } from "../lib/policy/rules.ts";
import { findPolicyInForce, rulesProblems } from "./policy-in-force.ts";

const sound = { rules: [{ name: "a", action: "allow" }] };
const faulty = { rules: [{ name: "a", action: "perhaps" }] };

test("the schema allows what the rules do, and no more", () => {
  expect(maxima).toMatchObject(policyMaxima);
  expect(policyActions).toEqual(actions);
});

describe("MGM-5 which rules hold", () => {
  test("those of the spec", () => {
    const live = findPolicyInForce({ metadata: { generation: 3 }, spec: { ...sound, default: "denyAbort" } }, "p");
    expect(live).toEqual({ name: "p", generation: 3, ...sound, default: "denyAbort" });
  });

  test("the last ones while those of the spec are faulty or cannot be read, with what is wrong", () => {
    const status = { inForce: { generation: 2, ...sound } };
    const metadata = { generation: 3 };
    expect(findPolicyInForce({ metadata, spec: faulty, status }, "p")).toEqual({
      ...{ name: "p", generation: 2, ...sound },
      faulty: expect.stringContaining("rule a, action: expected one of allow, ask, denyContinue, denyAbort"),
    });
    expect(findPolicyInForce({ metadata, unreadable: "spec.rules: is missing", status }, "p")).toMatchObject({
      ...{ generation: 2, faulty: "spec.rules: is missing" },
    });
  });

  test.each([
    ["there is no policy", undefined, "does not exist"],
    ["its spec is faulty and always was", { metadata: {}, spec: faulty }, "is not valid, and never was"],
    [
      "what was in force is faulty, too",
      { metadata: {}, spec: faulty, status: { inForce: { generation: 1, rules: [{}] } } },
      "is not valid",
    ],
  ])("none where %s", (_, policy, words) => {
    expect(findPolicyInForce(policy, "p")).toEqual({ name: "p", fault: expect.stringContaining(words) });
  });

  test("of at most 256 KiB as JSON", () => {
    // Grown by whole names, which may be no longer than 256 characters.
    const grow = (bytes: number) => {
      const rules: { name: string; action: string; match: { tools: string[] } }[] = [];
      const size = () => JSON.stringify({ rules }).length;
      for (let at = 0; size() < bytes - 6_000; at += 1) {
        rules.push({
          name: `r${at}`,
          action: "ask",
          match: { tools: Array.from({ length: 20 }, () => "x".repeat(250)) },
        });
      }
      const tools: string[] = ["x"];
      rules.push({ name: "last", action: "ask", match: { tools } });
      for (const rest = () => bytes - size(); rest() > 0;) {
        const room = rest();
        if (room > 400) tools.push("x".repeat(200));
        else if (room > 250) tools.push("x".repeat(100));
        else tools[0] = "x".repeat((tools[0]?.length ?? 0) + Math.min(room, 250));
      }
      return { rules };
    };
    expect(rulesProblems(grow(maxPolicyBytes))).toEqual([]);
    expect(rulesProblems(grow(maxPolicyBytes + 1))).toMatchObject([{ message: expect.stringContaining("262145") }]);
  });
});
