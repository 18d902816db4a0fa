import { describe, expect, it } from "vitest";
import { callAsOf, nameOfTool, readToolName } from "./tool-name.ts";

describe("DSC-2 names of tools", () => {
  it.each([
    ["slack", "post_message"],
    ["a_", "b"],
    ["a", "_b"],
    ["my.server-2", "do__this__too"],
    ["mcp", "list"],
    ["constructor", "__proto__"],
  ])("reads what it renders: %s %s", (server, tool) => {
    expect(readToolName(callAsOf(server, tool))).toContainEqual({ server, tool });
    expect(readToolName(nameOfTool(server, tool))).toContainEqual({ server, tool });
  });

  it("reads mcp as a prefix before it reads it as a server", () => {
    expect(readToolName("mcp__mcp__list")).toEqual([
      { server: "mcp", tool: "list" },
      { server: "mcp", tool: "mcp__list" },
    ]);
  });

  it.each(["", "plain", "__tool", "server__", "mcp__", "a".repeat(5_000)])("%.20s is no such name", (name) => {
    expect(readToolName(name)).toEqual([]);
  });

  it("reads names of 1,024 characters, and none that are longer", () => {
    expect(readToolName(`s__${"t".repeat(1_021)}`)).toHaveLength(1);
    expect(readToolName(`s__${"t".repeat(1_022)}`)).toEqual([]);
  });
});
