import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { UsageError } from "../manifests/find-files.ts";
import { recordTerminal } from "../testing/manifests.ts";
import { approve, deny, type ApproveOptions, type DenyOptions } from "./decide-approval.ts";
import { approvalOf, hash, startStandIn, type StandIn } from "./gateway.fixture.ts";
import { listApprovals } from "./list-approvals.ts";

beforeEach(() => {
  process.env["PALLAS_TOKEN"] = "the-token";
  onTestFinished(() => void delete process.env["PALLAS_TOKEN"]);
});

const byJonas = { verdict: "approve", by: "jonas", at: "2026-11-23T14:06:12Z", reason: "invoice 7\u001b[2J" };
const used = approvalOf("clerk-2", { state: "used", may_decide: false, decision: byJonas });
const expired = approvalOf("clerk-3", { state: "expired", may_decide: false, expires_at: "2026-11-23T14:00:00Z" });
const others = approvalOf("clerk-4", { may_decide: false, may_not_because: "its rule names finance" });

async function list(gateway: Pick<StandIn, "url">, flags: { all?: boolean; json?: boolean } = {}) {
  const terminal = recordTerminal("/");
  const options = { gateway: gateway.url, all: flags.all ?? false, json: flags.json ?? false, watch: false };
  return { code: await listApprovals(options, { terminal, process }), ...terminal };
}

async function runApprove(gateway: Pick<StandIn, "url">, options: Partial<ApproveOptions> = {}) {
  const terminal = recordTerminal("/");
  const whole = { name: "clerk-1", gateway: gateway.url, edit: false, yes: options.hash === undefined, ...options };
  return { code: await approve(whole, { terminal, process }), ...terminal, shown: terminal.printed.join("\n") };
}

async function runDeny(gateway: Pick<StandIn, "url">, options: Partial<DenyOptions> = {}) {
  const terminal = recordTerminal("/");
  const code = await deny({ name: "clerk-1", gateway: gateway.url, abort: false, ...options }, { terminal, process });
  return { code, ...terminal };
}

describe("CLI-5 pallas approvals", () => {
  test("shows what waits: who asks for what, until when, and whether one may decide it", async () => {
    const gateway = await startStandIn([approvalOf("clerk-1"), used, others]);
    const { code, printed, complaints } = await list(gateway);
    expect([code, complaints, printed.length]).toEqual([0, [], 2]);
    expect(printed[0]).toMatch(
      /^clerk-1 {2}bank\/pay {2}clerk for system:serviceaccount:agents:ann {2}waits for a person; denied if nobody answers within 5 min \(/,
    );
    expect(printed[1]).toMatch(/\(not yours to decide\)$/);
  });

  test("--all shows what became of others, of each agent", async () => {
    const gateway = await startStandIn([expired, used, approvalOf("clerk-5", { agent_id: null })]);
    const { printed } = await list(gateway, { all: true });
    expect(printed.map((line) => line.split(" ")[0])).toEqual(["clerk-5", "clerk-2", "clerk-3"]);
    expect(printed[1]).toMatch(/approved by jonas at 2026-11-23T14:06:12Z, and used: invoice 7\\u001b\[2J$/);
    expect(printed[2]).toMatch(/expired at 2026-11-23T14:00:00Z without an answer, so that it was denied$/);
  });

  test("--json is one object, that a terminal does not act upon", async () => {
    const { printed } = await list(await startStandIn([approvalOf("clerk-1"), used]), { json: true, all: true });
    for (const hidden of ["\u001b", "\u202e"]) expect(printed.join("")).not.toContain(hidden);
    expect(JSON.parse(printed[0] ?? "")).toMatchObject({
      approvals: [{ call_id: "clerk-1", arguments: expect.stringContaining("\u202e") }, { call_id: "clerk-2" }],
    });
  });

  test("says that nothing waits", async () => {
    expect(await list(await startStandIn([]))).toMatchObject({ code: 0, complaints: ["nothing waits for a person"] });
  });

  test.each([["2026"], ["interrupted"]])(
    "--watch shows each as it comes and as it ends, until Ctrl-C (%s)",
    async () => {
      const gateway = await startStandIn([approvalOf("clerk-1")]);
      const terminal = recordTerminal("/");
      const options = { gateway: gateway.url, all: false, json: false, watch: true };
      const watching = listApprovals(options, { terminal, process });
      const lines = () => terminal.printed.map((line) => line.replace(/ {2}.* {2}/, " "));
      await vi.waitFor(() => expect(lines()).toHaveLength(1));
      await delay(300); // until it is followed
      gateway.put(approvalOf("clerk-9"));
      await vi.waitFor(() => expect(lines()).toHaveLength(2));
      gateway.put({ ...used, call_id: "clerk-1" });
      await vi.waitFor(() => expect(terminal.printed[2]).toMatch(/^clerk-1 .* approved by jonas/));
      process.emit("SIGINT");
      expect(await watching).toBe(0);
      expect(terminal.complaints).toEqual([]);
    },
  );

  test.each([
    [
      "without a token",
      () => (delete process.env["PALLAS_TOKEN"], list({ url: "http://127.0.0.1:9" })),
      /set PALLAS_TOKEN/,
    ],
    ["when it is not there", () => list({ url: "http://127.0.0.1:9" }), /127\.0\.0\.1:9/],
    [
      "when it shows another form",
      async () => list(await startStandIn([approvalOf("x", { tool: 1 })])),
      /shows no approvals/,
    ],
  ])("says what is wrong %s", async (_, run, sentence) => {
    expect(await run()).toMatchObject({ code: 1, complaints: [expect.stringMatching(sentence)] });
  });
});

describe("CLI-5 MGM-6 pallas approve", () => {
  test("shows all that one decides on, with what is hidden made visible, and sends the hash of it", async () => {
    const gateway = await startStandIn([approvalOf("clerk-1")]);
    const { code, printed } = await runApprove(gateway, { reason: "ok" });
    expect(code).toBe(0);
    expect(printed[0]).toMatch(/^clerk-1 waits for a person; denied if nobody answers within 5 min/);
    expect(printed.slice(1)).toEqual([
      "  call          bank/pay",
      "  for           system:serviceaccount:agents:ann (caller)",
      "  came by       ann (step 1) → concierge (asks clerk) → clerk",
      "  the tool says that it may delete or overwrite",
      "  asked by      rule large of policy spending, generation 3: over 100",
      "  to decide     finance, and not the caller",
      "  not shown     /card; the call carries it",
      `  hash          ${hash}`,
      "  last approved no other call of this tool by this agent is kept",
      "  arguments, as they are sent:",
      "    {",
      '      "to": "\\u202eboss",',
      '      "amount": 250,',
      '      "card": "[redacted]"',
      "    }",
      "clerk-1 approved for one call",
    ]);
    expect(gateway.verdicts).toEqual([{ call_id: "clerk-1", decision: "approve", arguments_hash: hash, reason: "ok" }]);
  });

  test("shows the last approved call, and that the definition has changed", async () => {
    const last = {
      call_id: "l",
      at: "2026-11-20T10:00:00Z",
      by: "jonas",
      arguments: '{"amount":9}',
      same_arguments: false,
    };
    const changes = { last_approved: last, definition_changed: true, hints: {}, chain: [], agent_id: null };
    const { shown } = await runApprove(await startStandIn([approvalOf("clerk-1", changes)]));
    expect(shown).toContain('last approved 2026-11-20T10:00:00Z by jonas, with\n    {\n      "amount": 9\n    }');
    expect(shown).toContain("definition    CHANGED since its last approval");
    expect(shown).toContain("the tool says nothing of what it does; it may delete or overwrite");
    const same = { ...changes, last_approved: { ...last, same_arguments: true } };
    expect((await runApprove(await startStandIn([approvalOf("clerk-1", same)]))).shown).toContain(
      "with the same arguments",
    );
  });

  test.each<[string, Partial<ApproveOptions>, object]>([
    ["other arguments", { arguments: '{"amount":1}' }, { decision: "approve", arguments: { amount: 1 } }],
    ["an answer in its place", { answer: "paid already" }, { decision: "answer", answer: "paid already" }],
    ["the conversation", { scope: "session" }, { decision: "approve", scope: "session" }],
    ["what was seen elsewhere", { hash }, { decision: "approve" }],
  ])("sends a yes to %s", async (_, options, sent) => {
    const gateway = await startStandIn([approvalOf("clerk-1")]);
    expect((await runApprove(gateway, options)).code).toBe(0);
    expect(gateway.verdicts).toEqual([{ call_id: "clerk-1", arguments_hash: hash, ...sent }]);
  });

  test("sends nothing where the hash is another", async () => {
    const gateway = await startStandIn([approvalOf("clerk-1")]);
    const other = `sha256:${"b".repeat(64)}`;
    expect(await runApprove(gateway, { hash: other, yes: true })).toMatchObject({
      code: 1,
      complaints: [expect.stringMatching(/the arguments of clerk-1 are others: their hash is sha256:aaa/)],
    });
    expect(gateway.verdicts).toEqual([]);
  });

  test("wants --hash or --yes where nobody can be asked, and JSON that is an object", async () => {
    const gateway = { url: "http://127.0.0.1:9" };
    await expect(runApprove(gateway, { yes: false })).rejects.toThrow(/give --hash .* or --yes/);
    await expect(runApprove(gateway, { edit: true })).rejects.toThrow(/--edit needs a terminal/);
    for (const text of ["[]", "{", "1"]) {
      await expect(runApprove(gateway, { arguments: text })).rejects.toThrow(/expected a JSON object/);
      await expect(runApprove(gateway, { arguments: text })).rejects.toThrow(UsageError);
    }
  });

  test.each([
    ["clerk-2", /clerk-2 waits no longer: approved by jonas at 2026-11-23T14:06:12Z, and used/],
    ["clerk-6", /clerk-6 waits no longer: approved by jonas at 2026-11-23T14:06:12Z, and not used in time/],
    ["clerk-3", /clerk-3 waits no longer: expired at 2026-11-23T14:00:00Z without an answer/],
    ["clerk-4", /clerk-4 is not yours to decide: its rule names finance/],
    ["clerk-5", /there is no approval "clerk-5" that you may see/],
    ["../x\u202e", /there is no approval "\.\.\/x\\u202e"/],
  ])("says why %s cannot be decided, and sends nothing", async (name, sentence) => {
    const gateway = await startStandIn([used, expired, others, { ...used, call_id: "clerk-6", state: "expired" }]);
    for (const run of [runApprove, runDeny]) {
      expect(await run(gateway, { name })).toMatchObject({ code: 1, complaints: [expect.stringMatching(sentence)] });
    }
    expect(gateway.verdicts).toEqual([]);
  });

  test("says what the gateway says when another was first", async () => {
    const gateway = await startStandIn([approvalOf("clerk-1")], "jonas approved this call at 14:06:12");
    expect(await runApprove(gateway)).toMatchObject({
      code: 1,
      complaints: ["pallas: jonas approved this call at 14:06:12"],
    });
  });
});

describe("CLI-5 pallas deny", () => {
  test.each([
    [{ reason: "wrong account" }, { decision: "deny_continue", reason: "wrong account" }, "clerk-1 denied: bank/pay"],
    [{ abort: true }, { decision: "deny_abort" }, "clerk-1 denied, and its run ends: bank/pay"],
  ])("%j", async (options, sent, line) => {
    const gateway = await startStandIn([approvalOf("clerk-1")]);
    expect(await runDeny(gateway, options)).toMatchObject({ code: 0, printed: [line] });
    expect(gateway.verdicts).toEqual([{ call_id: "clerk-1", arguments_hash: hash, ...sent }]);
  });
});
