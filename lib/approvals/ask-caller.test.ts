import { expect, test } from "vitest";
import type { Question } from "../mcp/asking.ts";
import { askCaller } from "./ask-caller.ts";

/** What the caller reads of a call with these arguments. */
async function readQuestion(args: string): Promise<string> {
  const asked: Question[] = [];
  const ask = async (question: Question) => (asked.push(question), { action: "cancel" });
  const hash = `sha256:${"0".repeat(64)}`;
  const question = {
    sessionHash: "0".repeat(64),
    caller: "ann",
    chain: [{ agent: "clerk" }],
    server: "bank\u001b[2J",
    tool: "pay\u202e",
    toolHash: hash,
    argumentsHash: hash,
    arguments: args,
    redacted: [],
    policy: { name: "careful", generation: 1 },
  };
  const signal = new AbortController().signal;
  expect(await askCaller({ ask }, question, { signal, forMs: 1_000 })).toBeUndefined();
  expect(asked[0]?.forMs).toBe(1_000);
  return String(asked[0]?.params["message"]);
}

test("MGM-7 a caller reads names without what would hide them", async () => {
  expect(await readQuestion("{}")).toBe(
    ["clerk asks whether it may make this call:", "Server: bank[2J", "Tool: pay", "Arguments: {}"].join("\n"),
  );
});

test("MGM-7 of arguments it reads 4 KiB, and that there are more", async () => {
  const whole = `"${"x".repeat(4_094)}"`;
  expect(await readQuestion(whole)).toContain(`Arguments: ${whole}`);
  expect(await readQuestion(`${whole} `)).toContain("Arguments, the first 4096 of 4097 characters: ");
});
