import { describe, expect, it } from "vitest";
import { parseAuthInfo, renderAuthInfo } from "./caller.ts";
import { isOwnedBy, mintOwnedId } from "./owned-id.ts";

describe("AGT-11 ids of sessions", () => {
  it("belong to the caller they were minted for, and to no other", () => {
    const id = mintOwnedId({ subject: "https://id.example.com alice" });
    expect(isOwnedBy(id, { subject: "https://id.example.com alice" })).toBe(true);
    for (const subject of ["https://id.example.com bob", "https://other.example.com alice", ""]) {
      expect(isOwnedBy(id, { subject })).toBe(false);
    }
    expect(isOwnedBy(id, "anyone")).toBe(false);
  });

  it("have 128 random bits, and are anyone's where callers are not known", () => {
    const id = mintOwnedId("anyone");
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(isOwnedBy(id, "anyone")).toBe(true);
    expect(isOwnedBy(id, { subject: "alice" })).toBe(false);
    expect(new Set(Array.from({ length: 1_000 }, () => mintOwnedId({ subject: "a" }))).size).toBe(1_000);
  });

  it.each(["", "x", "0".repeat(64), "0".repeat(10_000), "__proto__"])("%j is nobody's", (id) => {
    expect(isOwnedBy(id, { subject: "alice" })).toBe(false);
  });

  it("are nobody's to a caller that was forgotten", () => {
    // @ts-expect-error The types refuse it too.
    expect(() => isOwnedBy(mintOwnedId({ subject: "alice" }))).toThrow(TypeError);
    // @ts-expect-error The types refuse it too.
    expect(() => isOwnedBy(mintOwnedId("anyone"))).toThrow(TypeError);
  });
});

describe("AGT-11 the caller on its way through an SDK", () => {
  it("comes out as it went in", () => {
    for (const caller of ["anyone", { subject: "alice" }, { subject: "anyone" }] as const) {
      expect(parseAuthInfo(renderAuthInfo(caller))).toEqual(caller);
    }
  });

  it.each([undefined, {}, { extra: {} }, { extra: { caller: "alice" } }, { extra: { caller: { subject: "" } } }])(
    "is not made up where there is none: %j",
    (authInfo) => {
      expect(() => parseAuthInfo(authInfo)).toThrow("expected the caller");
    },
  );
});
