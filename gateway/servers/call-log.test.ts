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
  });

  it("keeps no secret that is JSON in a text, which is how most tools answer, and no such text that is too long to read", () => {
    const log = new CallLog({ arguments: "redacted" });
    const keep = (response: unknown) => log.add({ ...facts, response }).response ?? "";
    const inner = JSON.stringify({ user: "u", session: { access_token: "s-1" } });
    expect(keep(inner)).toBe('{"user":"u","session":{"access_token":"[redacted]"}}');
    expect(keep([{ type: "text", text: ` [${inner}]` }])).not.toContain("s-1");
    expect(keep(JSON.stringify({ body: inner }))).not.toContain("s-1");
    // What is no secret stays as it was written.
    for (const text of ['{ "a":1.0 }', "[INFO] done", "plain"]) expect(keep(text)).toBe(text);
    const sized = (chars: number) => `{"token":"s-1","a":"${"x".repeat(chars - 22)}"}`;
    expect(keep(sized(256 * 1024))).toMatch(/^\{"token":"\[redacted\]","a":"x/);
    expect(keep(sized(256 * 1024 + 1))).toBe("[262145 characters]");
    expect(keep(`${"[".repeat(65)}{"token":"s-1"}${"]".repeat(65)}`)).toBe("[145 characters]");
  });

  it("reads arguments of any depth", () => {
    let deep: unknown = "end";
    for (let at = 0; at < 10_000; at += 1) deep = { deep };
    expect(() => new CallLog({ arguments: "redacted" }).add({ ...facts, args: deep })).not.toThrow();
  });
});
