import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../manifests/find-files.ts";
import { recordTerminal, writeFolder } from "../testing/manifests.ts";
import { tryPolicy } from "./try-policy.ts";

const policyYaml = (name: string, spec: string): string =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasPolicy\nmetadata: { name: ${name} }\nspec:\n  instanceRef: { name: i }\n${spec}---\n`;

const shop = policyYaml(
  "shop",
  `  rules:
    - { name: reads, match: { tools: ["read_*", "list_*"] }, action: allow, limit: { perMinute: 60 } }
    - { name: prod, match: { servers: [k8s], args: [{ path: /namespace, glob: "prod-*" }] }, action: denyAbort, reason: people do that }
    - { name: pay, match: { tools: [pay], args: [{ path: /amount, lessThan: 100 }] }, action: ask, approvers: [finance], askCaller: true, redact: [/card] }
    - { name: wild, match: { hints: { destructive: true } }, action: denyContinue }
    - { name: none, match: { servers: [secrets] }, action: denyContinue }
  default: allow
`,
);

async function run(files: Record<string, string>, options: { policy?: string; calls?: object[]; json?: boolean } = {}) {
  const folder = await writeFolder(files);
  const calls = join(folder, "calls.jsonl");
  await writeFile(calls, (options.calls ?? []).map((call) => `${JSON.stringify(call)}\n`).join(""));
  const terminal = recordTerminal(folder);
  const code = await tryPolicy(
    {
      paths: [folder],
      policy: options.policy,
      calls: options.calls === undefined ? undefined : calls,
      json: options.json ?? false,
    },
    terminal,
  );
  return { code, ...terminal };
}

const harmless = { readOnly: true };

describe("CLI-5 pallas policy test", () => {
  test("shows rules in the order in which they are tried, and what is not listed", async () => {
    const { code, printed, complaints } = await run({ "p.yaml": shop });
    expect([code, complaints]).toEqual([0, []]);
    expect(printed).toEqual([
      "shop (p.yaml:1): the first rule that matches decides; rules with hints only make it stricter",
      "1  reads      allow         tools read_*, list_*                      60 a minute by caller",
      '2  prod       denyAbort     servers k8s; /namespace is like "prod-*"  people do that',
      "3  pay        ask           tools pay; /amount < 100                  approved by finance; the caller is asked, too; /card shown to nobody",
      "4  wild       denyContinue  said to be destructive",
      "5  none       denyContinue  servers secrets",
      "   (default)  allow         every other call",
      "not even listed: what rule wild or rule none denies, unless an earlier rule may let it through",
    ]);
  });

  test("says of calls what the gateway and agents would, and whether it is as expected", async () => {
    const calls = [
      { server: "k8s", tool: "apply", arguments: { namespace: "prod-eu" }, hints: harmless, expect: "denyAbort" },
      { server: "bank", tool: "pay", caller: "ann", role: "caller", arguments: { amount: 99 }, hints: harmless },
      { server: "bank", tool: "pay", arguments: { amount: 100 }, hints: harmless, expect: "ask" },
      { server: "secrets", tool: "get", hints: harmless, expect: "denyContinue" },
    ];
    const { code, printed } = await run({ "p.yaml": shop }, { calls });
    expect(code).toBe(1);
    expect(printed).toEqual([
      "call  action        by         expected  tool                      caller",
      "1     denyAbort     prod       yes       k8s/apply                 anonymous (none)",
      "2     ask           pay                  bank/pay                  ann (caller)",
      "3     allow         (default)  no: ask   bank/pay                  anonymous (none)",
      "4     denyContinue  none       yes       secrets/get (not listed)  anonymous (none)",
      "4 calls, 1 not as expected",
    ]);
  });

  test("takes of a tool that says nothing that it is destructive, and ends with 0 when all is as expected", async () => {
    const calls = [{ server: "bank", tool: "pay", expect: "denyContinue" }];
    const { code, printed } = await run({ "p.yaml": shop }, { calls });
    expect([code, printed.at(-1)]).toEqual([0, "1 call, all as expected"]);
  });

  test("prints one object for scripts", async () => {
    const calls = [{ server: "bank", tool: "pay", arguments: { amount: 1 }, hints: harmless, expect: "allow" }];
    const { code, printed } = await run({ "p.yaml": shop }, { calls, json: true });
    expect(code).toBe(1);
    expect(JSON.parse(printed[0] ?? "")).toMatchObject({
      ok: false,
      policy: "shop",
      failed: 1,
      calls: [{ call: 1, action: "ask", rule: "pay", approvers: ["finance"], redact: ["/card"], hidden: false }],
    });
    const rules = await run({ "p.yaml": shop }, { json: true });
    expect(JSON.parse(rules.printed[0] ?? "")).toMatchObject({
      ok: true,
      policies: [{ name: "shop", default: "allow" }],
    });
  });

  test.each([
    ["an unknown matcher", "  rules: [{ name: a, match: { tool: [x] }, action: allow }]\n", /rule a, match: .*"tool"/],
    ["an unknown field", "  rules: []\n  deflaut: allow\n", /"deflaut", which is unknown/],
    ["no rules", "  default: allow\n", /rules: expected a list/],
    [
      "hints that would allow",
      "  rules: [{ name: a, match: { hints: { readOnly: true } }, action: allow }]\n",
      /hints/,
    ],
  ])("says what is faulty, by place, and denies everything: %s", async (_, spec, message) => {
    const calls = [{ server: "a", tool: "b", expect: "allow" }];
    const files = { "p.yaml": policyYaml("bad", spec) };
    const tried = await run(files, { calls });
    expect([tried.code, tried.complaints]).toEqual([1, [expect.stringMatching(message)]]);
    expect(tried.complaints[0]).toMatch(/^p\.yaml:1: error: PallasPolicy bad: /);
    expect(tried.printed[1]).toMatch(/^1 +denyAbort +\(fault\) +no: allow/);
    const shown = await run(files);
    expect([shown.code, shown.printed]).toEqual([1, ["bad (p.yaml:1): faulty, so that every call is denied"]]);
  });

  test("a faulty policy fails even where every call is decided as expected", async () => {
    const calls = [{ server: "a", tool: "b", expect: "denyAbort" }];
    expect((await run({ "p.yaml": policyYaml("bad", "  rules: 1\n") }, { calls })).code).toBe(1);
  });

  test("wants to know which of several policies is meant, when calls are tried", async () => {
    const files = { "p.yaml": shop, "q.yaml": policyYaml("other", "  rules: []\n") };
    const calls = [{ server: "k8s", tool: "x", hints: harmless, expect: "ask" }];
    await expect(run(files, { calls })).rejects.toThrow(/several policies, shop \(p\.yaml:1\), other \(q\.yaml:1\)/);
    expect((await run(files, { calls, policy: "other" })).code).toBe(0);
    await expect(run(files, { policy: "x" })).rejects.toThrow(/--policy x: these files have shop, other/);
    await expect(run({ "a.yaml": "" })).rejects.toThrow(/no PallasPolicy is in these files/);
  });

  test.each([
    [{ server: "a" }, /calls\.jsonl:1: tool: /],
    [{ server: "a", tool: "b", expects: "allow" }, /calls\.jsonl:1: .*"expects"/],
    [{ server: "a", tool: "b", expect: "deny" }, /calls\.jsonl:1: expect: /],
    [undefined, /calls\.jsonl: expected 1 to 100000 calls, found 0/],
  ])("refuses a file that does not say what was meant: %j", async (call, message) => {
    const calls = call === undefined ? [] : [call];
    await expect(run({ "p.yaml": shop }, { calls })).rejects.toThrow(message);
    await expect(run({ "p.yaml": shop }, { calls })).rejects.toThrow(UsageError);
  });

  test("takes 100,000 calls and refuses one more, each in seconds", async () => {
    const calls = Array.from({ length: 100_000 }, () => ({ server: "a", tool: "read_x" }));
    const { printed } = await run({ "p.yaml": shop }, { calls });
    expect(printed).toHaveLength(100_002);
    await expect(run({ "p.yaml": shop }, { calls: [...calls, calls[0] ?? {}] })).rejects.toThrow(/found 100001/);
  });

  test("shows nothing that a terminal acts upon", async () => {
    const spec = '  rules: [{ name: a, match: { tools: ["\\e[31mx"] }, action: allow, reason: "\\u202Ey" }]\n';
    const { printed } = await run({ "p.yaml": policyYaml("bad", spec) }, {});
    for (const hidden of ["\u001b", "\u202e"]) expect(printed.join("")).not.toContain(hidden);
  });
});
