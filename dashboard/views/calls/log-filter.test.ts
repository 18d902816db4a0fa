// The filter of the log of calls.
import { describe, expect, it } from "vitest";
import { logEntrySchema, type LogEntry } from "../../data/calls.ts";
import { choicesOf, filterLog, isFiltered, readLogFilter } from "./log-filter.ts";

const entry = (id: number, given: Partial<LogEntry> = {}): LogEntry => ({
  ...logEntrySchema.parse({
    ...{ id, timestamp: "2026-11-24T12:00:00Z", kind: "call", server: "payments", tool: "create_transfer" },
    ...{ args: null, latency_ms: 3, success: true, caller: "lea" },
  }),
  ...given,
});
const account = "https://cluster system:serviceaccount:agents:clerk 0b1c";
const all = [
  entry(4, { success: false }),
  entry(3, { tool: "list_accounts" }),
  entry(2, { server: "toolbox", tool: "now", caller: account }),
  entry(1, { server: "toolbox", tool: "roll_dice", caller: "" }),
];
const ids = (query: Record<string, string>) =>
  filterLog(all, readLogFilter(new Map(Object.entries(query)))).rows.map(({ id }) => id);

describe("the filter of the log", () => {
  it("shows everything while nothing is asked for", () => {
    expect(ids({})).toEqual([4, 3, 2, 1]);
    expect(isFiltered(readLogFilter(new Map()))).toBe(false);
  });

  it("takes words of tool and server in any case, and a tool as server/tool", () => {
    expect(ids({ tool: "TRANSFER pay" })).toEqual([4]);
    expect(ids({ tool: "toolbox/now" })).toEqual([2]);
    expect(ids({ tool: "now payments" })).toEqual([]);
  });

  it("takes a whole server, a whole caller, and an agent by the name of its account", () => {
    expect(ids({ server: "toolbox" })).toEqual([2, 1]);
    expect(ids({ server: "tool" })).toEqual([]);
    expect(ids({ caller: "lea" })).toEqual([4, 3]);
    expect(ids({ agent: "clerk" })).toEqual([2]);
    expect(ids({ agent: "cler" })).toEqual([]);
  });

  it("counts outcomes among what the other filters found", () => {
    const { found, rows } = filterLog(all, readLogFilter(new Map([["outcome", "failed"]])));
    expect(found).toHaveLength(4);
    expect(rows.map(({ id }) => id)).toEqual([4]);
    expect(ids({ outcome: "ok" })).toEqual([3, 2, 1]);
    expect(ids({ outcome: "perhaps" })).toEqual([4, 3, 2, 1]);
  });

  it("offers what there is, in order, and what is chosen already", () => {
    expect(choicesOf(all, "server", "")).toEqual(["payments", "toolbox"]);
    expect(choicesOf(all, "caller", "zoe")).toEqual([account, "lea", "zoe"]);
  });
});
