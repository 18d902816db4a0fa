// A gateway as the commands on approvals meet it: a real MCP endpoint with its resources and its tool, and approvals in memory.
import { onTestFinished } from "vitest";
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import {
  staticTools,
  type ResourceChange,
  type ResourceSource,
  type ToolEntry,
  type ToolResult,
} from "../../lib/mcp/table.ts";

export const hash = `sha256:${"a".repeat(64)}`;

/** One that waits for five minutes from the time at which it is made, and whoever asks may decide. */
export function approvalOf(name: string, changes: object = {}): Record<string, unknown> & { call_id: string } {
  return {
    agent_id: "clerk",
    state: "pending",
    server: "bank",
    tool: "pay",
    hints: { destructive: true },
    caller: "system:serviceaccount:agents:ann",
    role: "caller",
    chain: [
      { caller: "ann", step: "step 1" },
      { agent: "concierge", step: "asks clerk" },
    ],
    policy: { name: "spending", generation: 3, rule: "large" },
    reason: "over 100",
    approvers: ["finance"],
    created_at: renderTime(systemClock),
    expires_at: new Date(systemClock.wallNow() + 300_000).toISOString(),
    arguments_hash: hash,
    arguments: '{"to":"\u202eboss","amount":250,"card":"[redacted]"}',
    redacted: ["/card"],
    may_decide: true,
    last_approved: null,
    ...changes,
    call_id: name,
  };
}

export interface StandIn {
  readonly url: string;
  /** Arguments of each verdict that was sent. */
  readonly verdicts: unknown[];
  /** By name; `put` tells those who listen. */
  put(approval: Record<string, unknown> & { call_id: string }): void;
  stop(): Promise<void>;
}

/** @param refusal what the tool answers in place of taking a verdict */
export async function startStandIn(
  approvals: readonly (Record<string, unknown> & { call_id: string })[],
  refusal?: string,
): Promise<StandIn> {
  const known = new Map(approvals.map((each) => [each.call_id, each]));
  const verdicts: unknown[] = [];
  const listeners = new Set<(change: ResourceChange) => void>();
  const put: StandIn["put"] = (approval) => {
    known.set(approval.call_id, approval);
    for (const tell of listeners) tell({ uri: "resource://approvals/pending" });
  };
  const table = {
    server: { name: "gateway", version: "1" },
    tools: staticTools([createDecide(verdicts, refusal), agentsList]),
    prompts: [],
    resources: createResources(known, listeners),
  };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const sessions = { idleTtlMs: 60_000, max: 10 };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions });
  const app = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const stop = async (): Promise<void> => {
    await endpoint.close();
    await app.close({ graceMs: 0 });
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${app.port}`, verdicts, put, stop };
}

const createDecide = (verdicts: unknown[], refusal: string | undefined): ToolEntry => ({
  name: "agents_approve_request",
  description: "decides",
  inputSchema: { type: "object" },
  call: async (args): Promise<ToolResult> => {
    verdicts.push(args);
    if (refusal === undefined) return { content: [{ type: "text", text: "{}" }], structuredContent: {} };
    const structuredContent = { error: { type: "conflict", status: 409, message: refusal } };
    return { content: [{ type: "text", text: refusal }], structuredContent, isError: true };
  },
});

const agentsList: ToolEntry = {
  name: "agents_list",
  description: "lists",
  inputSchema: { type: "object" },
  call: async () => {
    const structuredContent = { agents: [{ id: "clerk" }, { id: "gone" }] };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
};

function createResources(
  known: ReadonlyMap<string, Record<string, unknown>>,
  listeners: Set<(change: ResourceChange) => void>,
): ResourceSource {
  const find = (uri: string): unknown => {
    const all = [...known.values()];
    if (uri === "resource://approvals/pending") return all.filter(({ state }) => state === "pending");
    if (uri === "resource://agents/clerk/approvals/history") return all.filter(({ state }) => state !== "pending");
    return known.get(uri.replace("resource://approvals/", ""));
  };
  return {
    list: () => [],
    templates: () => [],
    read: async (uri) => {
      const found = find(uri);
      return found === undefined ? undefined : [{ uri, text: JSON.stringify(found) }];
    },
    mayRead: () => true,
    changes(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
}
