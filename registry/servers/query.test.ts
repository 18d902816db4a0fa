import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseServerQuery, renderCursor, type ServerQuery } from "./query.ts";

const accepted = (parameters: Record<string, string>): ServerQuery => {
  const parsed = parseServerQuery(parameters);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.query;
};
const isAccepted = (parameters: Record<string, string>) => parseServerQuery(parameters).ok;

describe("CAT-10 the query", () => {
  it("without parameters: 30 of all that are there", () => {
    expect(accepted({})).toEqual({ limit: 30, includeDeleted: false });
    expect(accepted({ cursor: "", limit: "", search: "", version: "" })).toEqual({ limit: 30, includeDeleted: false });
  });

  it.each([
    ["limit", ["1", "100"], ["0", "101", "-1", "1.5", "ten", "1e1", "0x10", " 1"]],
    ["search", ["a".repeat(200)], ["a".repeat(201)]],
    ["version", ["latest", "1.0.0", "v".repeat(255)], ["v".repeat(256)]],
    ["include_deleted", ["true", "false"], ["yes", "1", "TRUE"]],
    [
      "updated_since",
      ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.123Z", "2026-11-21T10:00:00+02:00"],
      ["yesterday", "2026-11-21", "1763719200", "2026-13-01T00:00:00Z", "2026-11-21T10:00:00"],
    ],
    ["cursor", [], ["x", "=", "a".repeat(6_001), "../../etc/passwd", "%00"]],
  ])("%s is taken at its limits and refused past them, by name", (name, good, bad) => {
    for (const value of good) expect(isAccepted({ [name]: value }), value).toBe(true);
    for (const value of bad) {
      expect(parseServerQuery({ [name]: value }), value).toMatchObject({
        ok: false,
        message: expect.stringContaining(name),
      });
    }
  });

  it("asking for changes asks for what went too", () => {
    expect(accepted({ updated_since: "2026-11-21T10:00:00Z" }).includeDeleted).toBe(true);
  });

  it("parameters that nobody knows are passed over", () => {
    expect(accepted({ page: "2", __proto__: "x", constructor: "y" })).toEqual({ limit: 30, includeDeleted: false });
  });
});

describe("CAT-10 the cursor", () => {
  const query = accepted({ search: "Größe 😀", version: "1.0.0", updated_since: "2026-11-21T10:00:00Z", limit: "7" });

  it("carries the whole question, whatever the client repeats of it", () => {
    const cursor = renderCursor({ ...query, after: "ca.helu/x" });
    expect(accepted({ cursor })).toEqual({ ...query, after: "ca.helu/x" });
    expect(accepted({ cursor, search: "other", version: "latest", limit: "9" })).toEqual({
      ...query,
      limit: 9,
      after: "ca.helu/x",
    });
  });

  it("has only letters that need no encoding, whatever is in it, and comes back as it was", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 100 }), (search, after, limit) => {
        fc.pre(search.length <= 200);
        const asked: ServerQuery = { limit, search, after, includeDeleted: true };
        const cursor = renderCursor(asked);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(accepted({ cursor })).toEqual(asked);
      }),
    );
  });

  it("with any one letter changed, left out or added is refused", () => {
    const cursor = renderCursor({ ...query, after: "ca.helu/x" });
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === "A" ? "B" : "A";
      const tampered = [
        `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`,
        `${cursor.slice(0, at)}${cursor.slice(at + 1)}`,
        `${cursor.slice(0, at)}${other}${cursor.slice(at)}`,
        `${cursor.slice(0, at)}.${cursor.slice(at)}`,
      ];
      for (const each of tampered) expect(isAccepted({ cursor: each }), each).toBe(false);
    }
    expect(isAccepted({ cursor: `${cursor}=` })).toBe(false);
    expect(isAccepted({ cursor: `${cursor} ` })).toBe(false);
  });

  it("has at most 6,000 characters", () => {
    const bare = renderCursor({ ...query, after: "" });
    const rest = 4_500 - Buffer.from(bare, "base64url").length;
    const cursor = (length: number) => renderCursor({ ...query, after: "x".repeat(length) });
    expect(cursor(rest)).toHaveLength(6_000);
    expect([cursor(rest), cursor(rest + 1)].map((each) => isAccepted({ cursor: each }))).toEqual([true, false]);
  });

  it("made up with the right checksum is still judged", () => {
    for (const made of [{ ...query, limit: 1_000 }, { ...query, search: "a".repeat(300) }, { limit: 5 }, null, 3]) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what no caller of ours would write
      expect(isAccepted({ cursor: renderCursor(made as ServerQuery) })).toBe(false);
    }
  });
});
