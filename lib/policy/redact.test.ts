import { describe, expect, it } from "vitest";
import { redact, redacted } from "./redact.ts";

describe("redaction", () => {
  it("takes out what the pointers name, and nothing else", () => {
    const args = { card: { number: "4111", name: "Ann" }, amount: 7, list: [{ pin: 1, at: 2 }, { pin: 3 }] };
    const before = structuredClone(args);
    expect(redact(args, ["/card/number", "/list/*/pin", "/none/here"])).toEqual({
      card: { number: redacted, name: "Ann" },
      amount: 7,
      list: [{ pin: redacted, at: 2 }, { pin: redacted }],
    });
    expect(args).toEqual(before);
  });

  it("reads * as every member of objects and arrays, and none as all", () => {
    expect(redact({ a: { x: 1, y: [2] }, b: 3 }, ["/a/*"])).toEqual({ a: { x: redacted, y: redacted }, b: 3 });
    expect(redact([[1, 2], [3]], ["/*/0"])).toEqual([[redacted, 2], [redacted]]);
    expect(redact({ a: 1 }, [""])).toBe(redacted);
    expect(redact({ "a/b": 1, "*": 2, c: 3 }, ["/a~1b"])).toEqual({ "a/b": redacted, "*": 2, c: 3 });
  });

  it("takes out whole what has another shape than the pointer expects", () => {
    expect(redact({ card: "4111 1111" }, ["/card/number"])).toEqual({ card: redacted });
    expect(redact({ card: [{ number: "4111" }] }, ["/card/number"])).toEqual({ card: redacted });
    expect(redact("4111", ["/card"])).toBe(redacted);
  });

  it("leaves alone what is not there", () => {
    expect(redact(undefined, ["/a"])).toBeUndefined();
    expect(redact({ list: [1] }, ["/list/1", "/other"])).toEqual({ list: [1] });
    const args = { a: { b: 1 }, c: 1 };
    expect(redact(args, [])).toBe(args);
    expect(Reflect.get(Object(redact(args, ["/c"])), "a")).toBe(args.a);
  });

  it("keeps members of any name as members", () => {
    const args: unknown = JSON.parse('{"__proto__":{"secret":1,"open":2},"x":1}');
    const shown = redact(args, ["/__proto__/secret"]);
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"secret":"[redacted]","open":2},"x":1}');
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  it("goes no deeper than its pointers, of at most 32 parts", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`);
    expect(JSON.stringify(redact(deep, ["/a".repeat(32)]))).toBe(`${'{"a":'.repeat(32)}"[redacted]"${"}".repeat(32)}`);
    expect(() => redact({}, ["/a".repeat(33)])).toThrow("expected a JSON pointer of at most 32 parts, found ");
    expect(() => redact({}, ["a"])).toThrow('found "a"');
  });
});
