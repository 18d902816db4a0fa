import { describe, expect, test } from "vitest";
import type { ToolCallRequest, TurnResult } from "../model/types.ts";
import { callTool } from "../testing/scripted-models.ts";
import { maxArgumentBytes, maxArgumentDepth, renderAnswer } from "./tool-calls.ts";

const turnOf = (...toolCalls: ToolCallRequest[]): TurnResult => ({
  text: "",
  toolCalls,
  stopReason: "tool-calls",
  usage: {},
  model: "m",
  opaque: ["blocks"],
});
const render = (call: ToolCallRequest, taken: string[] = []) => renderAnswer(turnOf(call), new Set(taken));

function nest(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

describe("AGT-7 the tool calls of a turn", () => {
  test("that are fit stay as they came, with the provider's own blocks", () => {
    for (const call of [callTool("argos__read", { id: 1 }, "a"), callTool("x".repeat(64), {}, "i".repeat(256))]) {
      expect(render(call)).toEqual({ role: "assistant", text: "", toolCalls: [call], opaque: ["blocks"] });
    }
  });

  test.each([
    ["no id", "", []],
    ["an id that was there before", "a", ["a"]],
    ["a very long id", "a".repeat(257), []],
    ["an id that is no text", "\ud800", []],
  ])("with %s get one, without the blocks that name the old one", (_what, id, taken) => {
    const { toolCalls, opaque } = render(callTool("read", {}, id), taken);
    expect(toolCalls[0]?.id).toMatch(/^call_[0-9a-f-]{36}$/);
    expect(opaque).toBeUndefined();
  });

  test.each([
    ["argos read", "argos_read_"],
    ["", "_"],
    ["argos__reаd", "argos__re_d_"],
    ["x".repeat(65), `${"x".repeat(63)}_`],
    ["\ud800", "__"],
  ])("with the name %j, which no provider takes back, are kept as %j", (name, kept) => {
    expect(render(callTool(name)).toolCalls[0]?.name).toBe(kept);
  });

  test("may nest arguments so deep, and not one level deeper", () => {
    expect(render(callTool("read", nest(maxArgumentDepth))).toolCalls[0]?.malformed).toBeUndefined();
    expect(render(callTool("read", nest(maxArgumentDepth + 1))).toolCalls[0]).toMatchObject({
      arguments: {},
      malformed: "they are nested more than 100 levels deep",
    });
    expect(render(callTool("read", nest(100_000))).toolCalls[0]?.malformed).toBeDefined();
  });

  test("may have so many bytes of arguments, and not one more", () => {
    const text = "x".repeat(maxArgumentBytes - '{"a":""}'.length);
    expect(render(callTool("read", { a: text })).toolCalls[0]?.malformed).toBeUndefined();
    expect(render(callTool("read", { a: `${text}x` })).toolCalls[0]?.malformed).toMatch("1048577 bytes");
  });
});
