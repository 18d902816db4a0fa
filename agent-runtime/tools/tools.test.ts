import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../lib/mcp/table.ts";
import { maxImageBytes } from "../image-data.ts";
import { testImage } from "../testing/images.ts";
import { renderCalledName, renderToolName } from "../../lib/mcp/tool-name.ts";
import { findUselessPatterns, isToolAllowed } from "./naming.ts";
import { renderToolResult } from "./result.ts";

describe("names of tools to the model", () => {
  test("64 characters stay, one more is cut and ends in a hash", () => {
    expect(renderToolName("argos", "search_web")).toBe("argos__search_web");
    const exact = "t".repeat(57);
    expect(renderToolName("argos", exact)).toBe(`argos__${exact}`);
    const cut = renderToolName("argos", `${exact}t`);
    expect(cut).toMatch(/^argos__t+_[0-9a-f]{8}$/);
    expect(cut).toHaveLength(64);
  });

  test("AGT-15 begin with a letter or an underscore", () => {
    expect(renderToolName("3d", "make")).toMatch(/^_3d__make_[0-9a-f]{8}$/);
    expect(renderCalledName("3d__make")).toBe("_3d__make_");
    expect(renderCalledName("_3d__make")).toBe("_3d__make");
  });

  test("are accepted by every provider and differ where the tools do", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 2, maxLength: 2 }),
        ([a = "", b = ""]) => {
          const names = [renderToolName("s", a), renderToolName("s", b)];
          expect(names.every((name) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))).toBe(true);
          expect(names[0]).not.toBe(names[1]);
        },
      ),
    );
  });

  test.each([
    ["search_web", [], [], true],
    ["search_web", ["search_*"], [], true],
    ["read", ["search_*"], [], false],
    ["search_web", ["*"], ["*_web"], false],
    ["search_web", ["s*_w*b"], [], true],
    ["aba", ["ab*ba"], [], false],
    ["a.c", ["a?c"], [], false],
    ["abc", ["abc"], ["abcd"], true],
  ])("%s with allow %j and deny %j passes: %s", (tool, allow, deny, passes) => {
    expect(isToolAllowed(tool, { allow, deny })).toBe(passes);
  });

  test.each([
    ["search_web", [], ["search_*"], [], true],
    ["read", [], ["search_*"], [], false],
    ["read", ["*"], [], ["read"], false],
    ["read", ["search_*"], ["read"], [], false],
    ["resources/read", [], ["search_*"], ["*"], true],
    ["resources/read", ["search_*"], [], [], false],
  ])(
    "DSC-6 %s with the agent's allow %j where the server offers %j without %j passes: %s",
    (tool, allow, offered, withheld, passes) => {
      const rules = { allow, deny: [], offered: { allow: offered, deny: withheld } };
      expect(isToolAllowed(tool, rules)).toBe(passes);
    },
  );

  test.each([
    [["get_tme"], [], ['"get_tme" (did you mean "get_time"?)']],
    [["get_time", "time__get_time", "set_*"], ["drop"], ['"time__get_time"', '"set_*"', '"drop"']],
    [["nothing"], ["nothing"], ['"nothing"']],
    [["get_*", "resources/read"], ["*"], []],
    [[], [], []],
  ])("of allow %j and deny %j those that match no tool are %j", (allow, deny, useless) => {
    expect(findUselessPatterns(["get_time", "convert"], { allow, deny })).toEqual(useless);
  });
});

describe("CFG-8 a tool's result to the model", () => {
  const options = { maxBytes: 1_000, vision: true, imageLimits: undefined };
  const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });

  test("a text of exactly the limit stays, one byte more is cut head and tail with a notice", () => {
    expect(renderToolResult(text("x".repeat(1_000)), options).text).toBe("x".repeat(1_000));
    const shown = renderToolResult(text(`HEAD${"x".repeat(993)}TAIL`), options).text;
    expect(shown).toMatch(/^HEADx+\n\[… cut: 1001 bytes, limits\.toolResultBytes is 1000 …\]\nx+TAIL$/);
    expect(Buffer.byteLength(shown)).toBe(1_000);
  });

  test("a cut never splits a character and never exceeds the limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "€", "😀"), minLength: 400, maxLength: 900 }),
        (value) => {
          const { text: shown } = renderToolResult(text(value), options);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1_000);
          expect(shown).not.toContain("\uFFFD");
        },
      ),
    );
  });

  test("images stay only for a model that sees, at most 16", () => {
    const image = { type: "image" as const, ...testImage() };
    const content = Array.from({ length: 17 }, () => image);
    expect(renderToolResult({ content }, options).images).toHaveLength(16);
    expect(renderToolResult({ content }, options).text).toContain("one result may hold 16 images");
    const blind = renderToolResult({ content: [image] }, { ...options, vision: false });
    expect(blind).toEqual({ images: [], text: expect.stringContaining("without vision") });
  });

  test.each([
    ["image/svg+xml", "aGVsbG8=", 'it has the type "image/svg+xml"'],
    ["image/png", "not base64", "it is not valid base64"],
    ["image/png", testImage("image/webp").data, "it was sent as image/png, but its bytes are image/webp"],
    ["image/png", Buffer.alloc(maxImageBytes + 1).toString("base64"), "it has 10485761 bytes"],
  ])(
    "an image of type %s that every provider would refuse is left out, whatever its kind of part",
    (mimeType, data, why) => {
      const content: ToolResult["content"] = [
        { type: "image", data, mimeType },
        { type: "resource", resource: { uri: "file://a", blob: data, mimeType } },
      ];
      const { images, text: shown } = renderToolResult({ content }, options);
      expect(images).toEqual([]);
      expect(shown.split("\n").map((line) => line.startsWith(`[image left out: ${why}`))).toEqual([true, true]);
    },
  );

  test("an embedded image is an image", () => {
    const { data: blob, mimeType } = testImage();
    const resource = { uri: "file://a", blob, mimeType };
    const { images } = renderToolResult({ content: [{ type: "resource", resource }] }, options);
    expect(images).toEqual([testImage()]);
  });

  test("structured content stands in for missing text, other kinds are named", () => {
    expect(renderToolResult({ content: [], structuredContent: { a: 1 } }, options).text).toBe('{"a":1}');
    const { text: shown } = renderToolResult(
      {
        content: [
          { type: "resource", resource: { uri: "file://a", text: "inside" } },
          { type: "resource", resource: { uri: "file://b", blob: "AA==" } },
          { type: "audio", data: "AA==", mimeType: "audio/wav" },
        ],
      },
      options,
    );
    expect(shown).toMatch(/^inside\n\[binary resource file:\/\/b left out.*\n\[audio of type audio\/wav left out/);
  });
});
