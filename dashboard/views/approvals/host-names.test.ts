import { describe, expect, it } from "vitest";
import { findDeceptiveHosts } from "./host-names.ts";

describe("host names", () => {
  it("with letters of several scripts are shown as computers take them", () => {
    expect(findDeceptiveHosts("see https://p\u0430ypal.com/login, and mail a@ex\u0430mple.org.")).toEqual([
      { shown: "p\u0430ypal.com", punycode: "xn--pypal-4ve.com" },
      { shown: "ex\u0430mple.org", punycode: "xn--exmple-4nf.org" },
    ]);
  });

  it("in one script are left alone", () => {
    expect(
      findDeceptiveHosts("example.com, b\u00fccher.de and \u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444"),
    ).toEqual([]);
  });

  it("are told from other words with mixed letters", () => {
    expect(findDeceptiveHosts("\u0430bc and \u0434.")).toEqual([]);
  });

  it("are told once each, at most 32", () => {
    expect(findDeceptiveHosts("p\u0430y.com p\u0430y.com")).toHaveLength(1);
    const many = Array.from({ length: 40 }, (_, index) => `p\u0430y${index}.com`).join(" ");
    expect(findDeceptiveHosts(many)).toHaveLength(32);
  });

  it("are found in a text of 1 MB in one pass", () => {
    expect(findDeceptiveHosts(`${"\u0430b".repeat(500_000)} p\u0430y.com`)).toHaveLength(1);
  });
});
