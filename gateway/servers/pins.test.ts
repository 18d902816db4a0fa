// What counts as a change of a tool, what a change hides, and how it is read and approved.
import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { maxPinned, Pins } from "./pins.ts";
import { hashOfTool } from "./tool-hash.ts";

const tool = (name: string, description = "reads", schema: object = {}): ToolDescription => ({
  name,
  description,
  inputSchema: { type: "object", ...schema },
});

function open(mode: Pins["mode"], tools: ToolDescription[]): Pins {
  const pins = new Pins();
  pins.mode = mode;
  pins.list(tools);
  return pins;
}

describe("DSC-12 the definitions of tools", () => {
  it("have one hash, whatever the order of their keys, and another for every field that changes", () => {
    const a: ToolDescription = {
      name: "a",
      description: "d",
      inputSchema: { type: "object", properties: { x: 1, y: 2 } },
    };
    const b: ToolDescription = {
      inputSchema: { properties: { y: 2, x: 1 }, type: "object" },
      description: "d",
      name: "a",
    };
    expect(hashOfTool(a)).toBe(hashOfTool(b));
    const others = [
      { ...a, description: "e" },
      { ...a, title: "A" },
      { ...a, annotations: { readOnlyHint: true } },
      { ...a, inputSchema: { type: "object" as const, properties: { x: 1, y: 3 } } },
    ];
    expect(new Set([a, ...others].map(hashOfTool)).size).toBe(5);
  });

  it("are approved as first listed; then each that is another, or one more, is a change", () => {
    const pins = open("warn", [tool("read"), tool("write")]);
    expect([pins.changed, pins.pinned?.length]).toEqual([[], 2]);
    pins.list([tool("read", "reads and sends"), tool("write"), tool("send")]);
    expect(pins.changed).toEqual(["read", "send"]);
    expect(pins.isHidden("read")).toBe(false);
    pins.list([tool("read"), tool("write")]);
    expect(pins.changed).toEqual([]);
  });

  it("are hidden while they wait, with block alone, and never compared with off", () => {
    const pins = open("block", [tool("read"), tool("write")]);
    pins.list([tool("read", "other"), tool("write"), tool("send")]);
    expect(["read", "write", "send"].map((name) => pins.isHidden(name))).toEqual([true, false, true]);
    pins.mode = "off";
    expect([pins.isHidden("read"), pins.changed, pins.pinned]).toEqual([false, [], undefined]);
  });

  it("are read as a difference, field by field, of a schema property by property", () => {
    const pins = open("warn", [
      tool("read", "reads", { properties: { path: { type: "string" }, n: {} } }),
      tool("gone"),
    ]);
    pins.list([
      tool("read", "reads", { properties: { path: { type: "string", description: "and token" }, n: {} } }),
      tool("new"),
    ]);
    expect(pins.differences()).toMatchObject([
      {
        tool: "read",
        change: "changed",
        fields: [
          {
            field: "inputSchema.properties.path",
            old: { type: "string" },
            new: { type: "string", description: "and token" },
          },
        ],
      },
      { tool: "new", change: "added", now: { name: "new" } },
      { tool: "gone", change: "removed" },
    ]);
  });

  it("are approved as they were looked at, and not as they are by then", () => {
    const pins = open("block", [tool("read")]);
    pins.list([tool("read", "other")]);
    const looked = pins.toolsHash;
    pins.list([tool("read", "yet another")]);
    expect([pins.approve(looked), pins.isHidden("read")]).toEqual([false, true]);
    expect([pins.approve(pins.toolsHash), pins.isHidden("read"), pins.differences()]).toEqual([true, false, []]);
  });

  it("are those of the status, which an approval here is not taken back by", () => {
    const approved = [{ name: "read", hash: hashOfTool(tool("read")) }];
    const pins = new Pins();
    pins.adopt(approved);
    pins.list([tool("read", "other")]);
    expect(pins.changed).toEqual(["read"]);
    // What the approved definition said died with the process before; its hash did not.
    expect(pins.differences()[0]).not.toHaveProperty("fields");
    expect(pins.differences()[0]?.now).toEqual(tool("read", "other"));
    pins.approve(pins.toolsHash);
    pins.adopt(approved);
    expect(pins.changed).toEqual([]);
    pins.adopt([
      { name: "read", hash: hashOfTool(tool("read")) },
      { name: "x", hash: "00" },
    ]);
    expect(pins.changed).toEqual(["read"]);
  });

  it("are approved up to the limit of a status; one more waits for ever", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => tool(`t${at}`));
    expect(open("block", many(maxPinned)).changed).toEqual([]);
    const beyond = open("block", many(maxPinned + 1));
    expect([beyond.changed, beyond.isHidden(`t${maxPinned}`)]).toEqual([[`t${maxPinned}`], true]);
  });
});
