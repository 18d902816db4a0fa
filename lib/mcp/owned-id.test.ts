import { describe, expect, it } from "vitest";
import { isOwnedBy, mintOwnedId } from "./owned-id.ts";

describe("AGT-11 ids of sessions", () => {
  it("belong to the caller they were minted for, and to no other", () => {
    const id = mintOwnedId("https://id.example.com alice");
    expect(isOwnedBy(id, "https://id.example.com alice")).toBe(true);
    for (const caller of ["https://id.example.com bob", "https://other.example.com alice", ""]) {
      expect(isOwnedBy(id, caller)).toBe(false);
    }
  });

  it("have 128 random bits, and are anybody's where callers are not known", () => {
    const id = mintOwnedId();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(isOwnedBy(id)).toBe(true);
    expect(isOwnedBy(id, "alice")).toBe(false);
    expect(new Set(Array.from({ length: 1_000 }, () => mintOwnedId("a"))).size).toBe(1_000);
  });

  it.each(["", "x", "0".repeat(64), "0".repeat(10_000), "__proto__"])("%j is nobody's", (id) => {
    expect(isOwnedBy(id, "alice")).toBe(false);
  });
});
