import { expect, test } from "vitest";
import type { Question } from "../../lib/mcp/asking.ts";
import { findSchemaProblem } from "../../lib/mcp/schema-check.ts";
import { createMemoryBudget } from "../../lib/process/memory-budget.ts";
import { maxAskedOfUser, renderAskUserRoute } from "./ask-user.ts";

function start() {
  const asked: Question[] = [];
  const route = renderAskUserRoute("clerk");
  const options = {
    signal: new AbortController().signal,
    totalTimeoutMs: 1_000,
    onProgress: () => undefined,
    holder: createMemoryBudget(1).open(),
    ask: async (question: Question) => (asked.push(question), { action: "accept", content: { answer: "yes" } }),
  };
  const call = async (args: Record<string, unknown>) => await route.call(args, options);
  return { asked, call, route };
}

test("MGM-7 a run asks its user 16 times, and once more is refused in words", async () => {
  const { asked, call } = start();
  for (let at = 0; at < maxAskedOfUser; at += 1) {
    expect(await call({ question: "Go on?" })).toEqual({ content: [{ type: "text", text: "yes" }] });
  }
  expect(await call({ question: "Go on?" })).toMatchObject({ isError: true });
  expect(asked).toHaveLength(maxAskedOfUser);
});

test.each([
  [{ question: "x".repeat(4_096), options: Array.from({ length: 32 }, (_, at) => `${at}`) }, true],
  [{ question: "x".repeat(4_097) }, false],
  [{ question: "" }, false],
  [{ question: "x", options: Array.from({ length: 33 }, (_, at) => `${at}`) }, false],
  [{ question: "x", options: ["x".repeat(201)] }, false],
  [{ options: [] }, false],
])("MGM-7 what is asked has limits (%#)", (args, isFit) => {
  const { inputSchema } = renderAskUserRoute("clerk");
  expect(findSchemaProblem(inputSchema, args, "the arguments") === undefined).toBe(isFit);
});
