// What is kept of calls, and how much.
import { describe, expect, it } from "vitest";
import { CallLog } from "./call-log.ts";

const facts = {
  timestamp: "t",
  kind: "call",
  server: "s",
  tool: "x",
  latency_ms: 1,
  success: true,
  caller: "y",
} as const;
const all = () => true;

describe("DSC-11 the log of calls", () => {
  it("keeps so many entries: at the limit all, one more and the oldest goes", () => {
    const log = new CallLog({ arguments: "off", maxEntries: 3 });
    for (let at = 0; at < 3; at += 1) log.add(facts);
    expect(log.page(10, 0, all).entries.map(({ id }) => id)).toEqual([3, 2, 1]);
    log.add(facts);
    expect(log.page(10, 0, all)).toMatchObject({ total: 3, entries: [{ id: 4 }, { id: 3 }, { id: 2 }] });
  });

  it("keeps so many bytes, whatever is in one entry", () => {
    const log = new CallLog({ arguments: "redacted", maxBytes: 40_000 });
    const long = "a".repeat(1_000_000);
    for (let at = 0; at < 100; at += 1) log.add({ ...facts, args: { text: long }, response: long });
    expect(log.size).toBeGreaterThan(0);
    expect(JSON.stringify(log.page(100, 0, all)).length).toBeLessThan(40_000);
  });

  it("stays as fast as it was, however many came before", () => {
    const log = new CallLog({ arguments: "off", maxEntries: 10 });
    for (let at = 0; at < 5_000; at += 1) log.add(facts);
    expect([log.size, log.page(1, 0, all).entries[0]?.id]).toEqual([10, 5_000]);
  });

  it("keeps arguments only where it is told to, and then nothing that says it is secret", () => {
    const args = {
      path: "/a",
      apiKey: "sk-1",
      nested: [{ "X-Auth-Token": "t-2", user: "u" }],
      password: { deep: "p-3" },
    };
    expect(new CallLog({ arguments: "off" }).add({ ...facts, args, response: args })).toMatchObject({
      args: null,
      response: null,
    });
    const kept = JSON.stringify(new CallLog({ arguments: "redacted" }).add({ ...facts, args, response: args }));
    for (const secret of ["sk-1", "t-2", "p-3"]) expect(kept).not.toContain(secret);
    expect(kept).toContain("/a");
    let deep: unknown = "end";
    for (let at = 0; at < 10_000; at += 1) deep = { deep };
    expect(() => new CallLog({ arguments: "redacted" }).add({ ...facts, args: deep })).not.toThrow();
  });
});
