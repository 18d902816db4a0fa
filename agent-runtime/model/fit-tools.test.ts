// Which tools a model is offered, and how they are described.
import { describe, expect, test } from "vitest";
import { createToolFitting, cutDescription, renderLeftOut } from "./fit-tools.ts";
import { weatherTool } from "./testing/fixtures.ts";

describe("AGT-15 descriptions", () => {
  test("are cut at a word and marked, at the limit and not before it", () => {
    const words = "word ".repeat(300).trim();
    expect(cutDescription(words.slice(0, 1_024), 1_024)).toBe(words.slice(0, 1_024).trim());
    const cut = cutDescription(words, 1_024);
    expect(cut.length).toBeLessThanOrEqual(1_024);
    expect(cut).toMatch(/word \[…\]$/);
    expect(cutDescription("x".repeat(1_025), 1_024)).toBe(`${"x".repeat(1_020)} […]`);
  });

  test("are well-formed text, wherever they are cut", () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = cutDescription(`${"a".repeat(shift)}${"\u{1f600}".repeat(600)}`, 1_024);
      expect(text.isWellFormed()).toBe(true);
      expect(text.length).toBeLessThanOrEqual(1_024);
    }
    expect(cutDescription("half \ud83d", 1_024)).toBe("half \ufffd");
  });
});

describe("AGT-15 tools that are left out", () => {
  const tools = ["a", "b", "c"].map((name) => ({ ...weatherTool, name, inputSchema: { type: "object" } }));

  test("are the refused ones, and the last where there are more than the provider takes", () => {
    const fit = createToolFitting("openai");
    const { offered, leftOut } = fit(tools, { maxTools: 1, maxDescriptionChars: 10, refused: new Set(["a"]) });
    expect(offered.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut.map(({ tool, reason }) => [tool.name, reason])).toEqual([
      ["a", "the provider refuses it"],
      ["c", "the provider takes 1 tools at most"],
    ]);
    expect(renderLeftOut(leftOut)).toContain("a, c.");
    expect(fit(tools, { maxTools: 3, maxDescriptionChars: 10, refused: new Set() }).leftOut).toEqual([]);
    expect(renderLeftOut([])).toBe("");
  });

  test("are named to the model, twenty of them", () => {
    const many = Array.from({ length: 21 }, (_, index) => ({
      tool: { ...weatherTool, name: `t${index}` },
      reason: "",
    }));
    expect(renderLeftOut(many)).toMatch(/t19 and 1 more\.$/);
    expect(renderLeftOut(many.slice(1))).toMatch(/t20\.$/);
  });

  test("a schema is adapted once for as long as its server's list is kept", () => {
    const fit = createToolFitting("openai");
    const limits = { maxTools: 3, maxDescriptionChars: 10, refused: new Set<string>() };
    expect(fit(tools, limits).offered[0]?.schema).toBe(fit(tools, limits).offered[0]?.schema);
  });
});
