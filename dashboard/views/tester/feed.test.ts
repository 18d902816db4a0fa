import { describe, expect, it } from "vitest";
import {
  addLine,
  changedResource,
  changesOffer,
  filterLines,
  isQuestion,
  maxFeedLines,
  parseFeedMessage,
  toLine,
  type FeedLine,
  type NewLine,
} from "./feed.ts";

const ts = "2026-11-24T12:00:00.000Z";
const lineOf = (message: object) => {
  const parsed = parseFeedMessage(JSON.stringify(message));
  return parsed && toLine(parsed, "bank", "ann");
};
const entry = {
  kind: "call",
  server: "bank",
  tool: "pay",
  latency_ms: 212,
  success: true,
  caller: "ann",
  timestamp: ts,
};
const said = (method: string, params?: unknown) => ({ type: "notification", serverName: "bank", method, params, ts });
const progress = (payload: object) => ({ type: "progress", serverName: "bank", payload, ts });

describe("what came by", () => {
  it.each<[object, string, string, string]>([
    [{ type: "log_entry", entry }, "request", "ok", "tools/call pay answered, 0.2 s"],
    [{ type: "log_entry", entry: { ...entry, success: false } }, "request", "failed", "tools/call pay failed, 0.2 s"],
    [{ type: "log_entry", entry: { ...entry, kind: "ping", tool: "ping" } }, "request", "ok", "ping answered, 0.2 s"],
    [progress({ token: 1, progress: 1, total: 2, message: "booked" }), "progress", "moves", "progress 1 of 2: booked"],
    [progress({ token: 1, progress: 1, total: null, message: null }), "progress", "moves", "progress 1"],
    [said("notifications/message", { level: "info", data: "hello" }), "log", "says", "info: hello"],
    [said("notifications/message", { level: "info", logger: "l", data: { a: 1 } }), "log", "says", 'info: l: {"a":1}'],
    [said("notifications/resources/updated", { uri: "u:1" }), "notification", "says", "resources/updated u:1"],
    [said("elicitation/create", {}), "asked", "asks", "the server asks something"],
  ])("reads %j", (message, kind, mark, text) => {
    expect(lineOf(message)).toMatchObject({ kind, mark, text, at: Date.parse(ts) });
  });

  it("leaves out other servers, other people, and what is told twice", () => {
    expect(lineOf({ type: "log_entry", entry: { ...entry, server: "shop" } })).toBeUndefined();
    expect(lineOf({ type: "log_entry", entry: { ...entry, caller: "bob" } })).toBeUndefined();
    expect(lineOf({ type: "log_entry", entry: { ...entry, kind: "progress" } })).toBeUndefined();
    expect(lineOf({ ...said("x"), serverName: "shop" })).toBeUndefined();
  });

  it("survives messages that it does not know", () => {
    for (const text of ["", "{", "[]", '{"type":"state","servers":[]}', '{"type":"notification"}']) {
      expect(parseFeedMessage(text)).toBeUndefined();
    }
  });

  it("knows questions, changes of what is offered, and resources that changed", () => {
    const parse = (message: object) => parseFeedMessage(JSON.stringify(message));
    const asked = parse(said("sampling/createMessage"));
    const listed = parse(said("notifications/tools/list_changed"));
    const changed = parse(said("notifications/resources/updated", { uri: "u:1" }));
    expect([asked, listed, changed].map((each) => each && isQuestion(each))).toEqual([true, false, false]);
    expect([asked, listed, changed].map((each) => each && changesOffer(each))).toEqual([false, true, false]);
    expect([asked, listed, changed].map((each) => each && changedResource(each))).toEqual([
      undefined,
      undefined,
      "u:1",
    ]);
  });

  it("keeps as many lines as are allowed, the newest on top", () => {
    const line: NewLine = { at: 1, kind: "log", mark: "says", text: "t", more: undefined };
    let lines: readonly FeedLine[] = [];
    for (let n = 1; n <= maxFeedLines; n += 1) lines = addLine(lines, line);
    expect(lines).toHaveLength(maxFeedLines);
    lines = addLine(lines, { ...line, kind: "progress" });
    expect(lines).toHaveLength(maxFeedLines);
    expect(lines[0]).toMatchObject({ key: maxFeedLines + 1, kind: "progress" });
    expect(lines.at(-1)?.key).toBe(2);
    expect(filterLines(lines, "progress")).toHaveLength(1);
    expect(filterLines(lines, "all")).toHaveLength(maxFeedLines);
  });

  it("cuts what is too long for a line", () => {
    expect(lineOf(said("notifications/message", { level: "info", data: "x".repeat(1_000) }))?.text).toHaveLength(501);
  });
});
