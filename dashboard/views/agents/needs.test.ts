import { describe, expect, it } from "vitest";
import { agentSchema } from "../../data/agents.ts";
import { approvalSchema } from "../../data/approvals.ts";
import { serverSchema } from "../../data/servers.ts";
import { findNeeds } from "./needs.ts";

const agent = (id: string, more: object = {}) => agentSchema.parse({ id, title: id, ready: true, ...more });
const server = (name: string, more: object = {}) =>
  serverSchema.parse({ name, kind: "npm", active: true, listed: true, state: "ready", tool_count: 1, ...more });
const call = (id: string, more: object = {}) =>
  approvalSchema.parse({
    call_id: id,
    agent_id: "a",
    state: "pending",
    server: "s",
    tool: "t",
    caller: "c",
    policy: { name: "p", generation: 1 },
    expires_at: "2026-11-24T14:12:00Z",
    arguments_hash: "h",
    may_decide: true,
    last_approved: null,
    ...more,
  });
const none = { approvals: [], agents: [], servers: [] };

describe("what needs a person", () => {
  it("is nothing where nothing does", () => {
    expect(findNeeds({ ...none, agents: [agent("a"), agent("b", { replicas: 0 })], servers: [server("s")] })).toEqual(
      [],
    );
  });

  it("are the calls that they may decide of, with the first to expire and the oldest", () => {
    const approvals = [
      call("x", { created_at: "2026-11-24T14:01:00Z" }),
      call("y", { created_at: "2026-11-24T14:02:00Z", expires_at: "2026-11-24T14:10:00Z" }),
      call("z", { may_decide: false, expires_at: "2026-11-24T14:00:00Z" }),
    ];
    expect(findNeeds({ ...none, approvals })).toEqual([
      {
        kind: "calls",
        count: 2,
        only: undefined,
        oldestAt: "2026-11-24T14:01:00Z",
        expiresAt: "2026-11-24T14:10:00Z",
      },
    ]);
    expect(findNeeds({ ...none, approvals: [call("x")] })).toMatchObject([{ count: 1, only: "x" }]);
    expect(findNeeds({ ...none, approvals: [call("z", { may_decide: false })] })).toEqual([]);
  });

  it("is the agent that cannot work before one that works badly, with how many more there are", () => {
    const agents = [agent("a", { health: "degraded" }), agent("c", { ready: false }), agent("b", { health: "error" })];
    expect(findNeeds({ ...none, agents })).toMatchObject([
      { kind: "agent", agent: { id: "b" }, state: "error", more: 1 },
    ]);
    expect(findNeeds({ ...none, agents: agents.slice(0, 1) })).toMatchObject([
      { agent: { id: "a" }, state: "degraded", more: 0 },
    ]);
  });

  it("is the server whose definitions changed before one that fails", () => {
    const servers = [server("a", { state: "error" }), server("b", { changed_count: 2 })];
    expect(findNeeds({ ...none, servers })).toMatchObject([{ kind: "changed", server: { name: "b" }, more: 0 }]);
    expect(findNeeds({ ...none, servers: servers.slice(0, 1) })).toMatchObject([{ kind: "server" }]);
  });

  it("is always told in the same order", () => {
    const all = findNeeds({
      approvals: [call("x")],
      agents: [agent("a", { health: "error" })],
      servers: [server("s", { state: "error" })],
    });
    expect(all.map(({ kind }) => kind)).toEqual(["calls", "agent", "server"]);
  });
});
