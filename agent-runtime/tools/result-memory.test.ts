import { allowAll } from "../policy/allow-all.ts";
import { expect, test } from "vitest";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createMemoryBudget } from "../../lib/process/memory-budget.ts";
import { createBudget } from "../loop/budget.ts";
import { createRunMemory } from "../loop/run-memory.ts";
import { testImage } from "../testing/images.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createTestLog } from "../testing/servers.ts";
import { createDispatch } from "./dispatch.ts";
import type { ToolRoute } from "./route.ts";
import { anonymous } from "../policy/types.ts";

const answerBytes = 500_000;
const { data, mimeType } = testImage();
const image: ToolResult = { content: [{ type: "image", data, mimeType }] };
const text: ToolResult = { content: [{ type: "text", text: "x".repeat(1_000) }] };

/** What the budget holds after a tool's answer, and when its run is over. */
async function callTool(answer: () => ToolResult, hasVision = true) {
  const budget = createMemoryBudget(1_000_000);
  const { limits, request } = renderTestConfig();
  const memory = createRunMemory(budget);
  const context = {
    agent: "agent",
    sessionKey: "shared",
    requestId: "1",
    signal: new AbortController().signal,
    end: () => undefined,
    deadlineMs: systemClock.now() + 60_000,
    calledBy: anonymous,
    time: { pause: () => () => undefined, rests: () => () => undefined },
    budget: createBudget(limits, request),
    memory,
    events: {
      step() {},
      toolStarted() {},
      toolProgress() {},
      toolEnded() {},
      toolWaits: () => () => undefined,
      stepName: () => "",
      steps: () => [],
    },
  };
  const route: ToolRoute = {
    name: "t",
    label: { server: "s", tool: "t" },
    downstream: "s",
    operation: "tool",
    linksReadable: false,
    description: "",
    inputSchema: { type: "object" },
    judged: (args) => ({
      call: { server: "s", tool: "t", args, definition: { inputSchema: { type: "object" } } },
      withArgs: (sent) => sent,
    }),
    renderProgress: () => undefined,
    async call(_args, { holder }) {
      holder.take(answerBytes);
      return answer();
    },
  };
  const dispatch = createDispatch({
    maxResultBytes: 100,
    gate: allowAll,
    hasVision: () => hasVision,
    observeImageLimits: () => undefined,
    onCall: () => undefined,
    log: createTestLog("SILENT").log,
    clock: systemClock,
  });
  const toolbox = { tools: [], unavailable: [], guidance: [], find: () => route, close: () => undefined };
  await dispatch(context, toolbox, { id: "1", name: "t", arguments: {} });
  const heldBytes = budget.heldBytes();
  memory.release();
  return { heldBytes, afterRun: budget.heldBytes() };
}

test("SEC-6 of a tool's answer its images count until the run is over, and nothing else", async () => {
  expect(await callTool(() => image)).toEqual({ heldBytes: data.length, afterRun: 0 });
  expect(await callTool(() => image, false)).toEqual({ heldBytes: 0, afterRun: 0 });
  expect(await callTool(() => text)).toEqual({ heldBytes: 0, afterRun: 0 });
});

test("SEC-6 an answer that failed counts no more", async () => {
  const fail = () => {
    throw new McpError("protocol", "no");
  };
  expect(await callTool(fail)).toEqual({ heldBytes: 0, afterRun: 0 });
});
