import { describe, expect, it } from "vitest";
import { compareArguments, isEasilyMistaken, type Compared } from "./difference.ts";

const compare = (now: unknown, was?: unknown, more: Partial<Compared> = {}) =>
  compareArguments({
    now: typeof now === "string" ? now : JSON.stringify(now),
    was: was === undefined ? undefined : typeof was === "string" ? was : JSON.stringify(was),
    redacted: [],
    isSame: false,
    ...more,
  });
const told = (comparison: ReturnType<typeof compare>) =>
  comparison.rows.map(({ label, kind, now, was }) => [label, kind, now?.text, was?.text]);

describe("arguments beside those of the last approved call", () => {
  it("are equal, changed, new or gone, by their paths, in the order of the call", () => {
    const compared = compare(
      { amount: 1840, iban: "DE02", to: { name: "N", street: "S" }, tags: ["a", "b"], day: "x" },
      { amount: 1240, iban: "DE02", old: 1, to: { name: "M", zip: 5 }, tags: ["a"] },
    );
    expect(told(compared)).toEqual([
      ["amount", "changed", "1840", "1240"],
      ["iban", "equal", "DE02", undefined],
      ["old", "gone", undefined, "1"],
      ["to.name", "changed", "N", "M"],
      ["to.zip", "gone", undefined, "5"],
      ["to.street", "new", "S", undefined],
      ["tags[0]", "equal", "a", undefined],
      ["tags[1]", "new", "b", undefined],
      ["day", "new", "x", undefined],
    ]);
    expect(compared.differing).toBe(7);
  });

  it("are all new without a call to compare with", () => {
    expect(told(compare({ a: 1 }))).toEqual([["a", "new", "1", undefined]]);
  });

  it("keep all digits of numbers as they are written, and differ when one digit does", () => {
    const compared = compare('{"n":12345678901234567890,"m":1840.00}', '{"n":12345678901234567891,"m":1840.00}');
    expect(told(compared)).toEqual([
      ["n", "changed", "12345678901234567890", "12345678901234567891"],
      ["m", "equal", "1840.00", undefined],
    ]);
  });

  it("tell a text from a number, a word or nothing that reads the same", () => {
    const compared = compare({ a: "12", b: "true", c: "null" }, { a: 12, b: true, c: null });
    expect(compared.rows.map(({ kind }) => kind)).toEqual(["changed", "changed", "changed"]);
  });

  it("show an object or a list that took the place of a value, and one with nothing in it", () => {
    expect(told(compare({ a: { b: 1 }, c: [], d: {} }, { a: 1, c: [], d: [] }))).toEqual([
      ["a", "gone", undefined, "1"],
      ["a.b", "new", "1", undefined],
      ["c", "equal", "[]", undefined],
      ["d", "changed", "{}", "[]"],
    ]);
  });

  it("name what is no plain name so that no two paths read the same", () => {
    const labels = compare({ "a.b": 1, a: { b: 2 }, "": 3, "x y": { "1": 4 } }).rows.map(({ label }) => label);
    expect(labels).toEqual(['"a.b"', "a.b", '""', '"x y"["1"]']);
  });

  it("compare changed texts of several lines line by line, and only those", () => {
    const [sql, note, fresh] = compare(
      { sql: "a\nc\nd", note: "x", fresh: "1\n2" },
      { sql: "a\nb\nd", note: "y" },
    ).rows;
    expect(sql?.lines).toEqual([
      { kind: "equal", text: "a" },
      { kind: "removed", text: "b" },
      { kind: "added", text: "c" },
      { kind: "equal", text: "d" },
    ]);
    expect(note?.lines).toBeUndefined();
    expect(fresh).toMatchObject({ lines: undefined, now: { text: "1\n2" } });
  });

  it("are shown as they were sent where they cannot be read", () => {
    expect(compare('{"a":', { a: 1 })).toMatchObject({
      isUnreadable: true,
      rows: [{ kind: "new", now: { kind: "raw", text: '{"a":' } }],
    });
    expect(compare({ a: 1 }, "no JSON")).toMatchObject({ isUnreadable: false, rows: [{ kind: "new" }] });
  });

  it("that are no object are one value, and an empty object is none", () => {
    expect(told(compare("12", "13"))).toEqual([["", "changed", "12", "13"]]);
    expect(compare({})).toMatchObject({ rows: [], differing: 0 });
  });
});

describe("what a rule keeps to itself", () => {
  const redacted = ["/card/number", "/list/*/pin"];
  const values = { card: { number: "[redacted]" }, list: [{ pin: "[redacted]" }], free: "[redacted]" };

  it("may differ, unless both calls are the same, and its text is never compared", () => {
    const compared = compare(values, values, { redacted });
    expect(compared.rows.map(({ kind, isHidden }) => [kind, isHidden])).toEqual([
      ["changed", true],
      ["changed", true],
      ["equal", false],
    ]);
    expect(compared.rows[0]?.was).toBeUndefined();
    expect(compare(values, values, { redacted, isSame: true }).differing).toBe(0);
  });

  it("is hidden where it is gone, too", () => {
    const gone = compare({}, values, { redacted }).rows;
    expect(gone.map(({ kind, isHidden }) => [kind, isHidden])).toEqual([
      ["gone", true],
      ["gone", true],
      ["gone", false],
    ]);
  });

  it("is not what somebody wrote there in place of it", () => {
    expect(compare({ card: { number: "4111" } }, undefined, { redacted }).rows[0]?.isHidden).toBe(false);
  });
});

describe("a text that could be taken for something else", () => {
  it.each(["12", "true", "null", "", " x", "x ", '{"a":1}'])("%j is marked", (text) => {
    expect(isEasilyMistaken({ kind: "string", text })).toBe(true);
  });

  it.each(["x", "12 apples"])("%j is not", (text) => {
    expect(isEasilyMistaken({ kind: "string", text })).toBe(false);
  });

  it("is never a number", () => {
    expect(isEasilyMistaken({ kind: "number", text: "12" })).toBe(false);
  });
});
