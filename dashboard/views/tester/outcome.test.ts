import { describe, expect, it } from "vitest";
import type { RawAnswer } from "../../data/tester.ts";
import { isFailure, readOutcome } from "./outcome.ts";

const answered = (status: number, body: unknown): RawAnswer => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answered", status, text, bytes: text.length };
};
const partsOf = (body: object) => readOutcome(answered(200, body)).parts;

describe("what came of a request", () => {
  it.each<[string, RawAnswer, string, string]>([
    ["a result", answered(200, { content: [] }), "result", ""],
    ["a tool's error", answered(200, { content: [], isError: true }), "tool-error", ""],
    ["isError that is no boolean", answered(200, { content: [], isError: "true" }), "result", ""],
    ["a policy's no", answered(403, { error: "policy_denied", message: "rule prod" }), "denied", "rule prod"],
    ["a missing role", answered(403, { error: "forbidden", message: "needs caller" }), "refused", "needs caller"],
    ["an error of the protocol", answered(502, { error: "protocol", message: "broken" }), "protocol-error", "broken"],
    ["a server that is away", answered(502, { error: "unreachable", message: "away" }), "unreachable", "away"],
    ["a time that is over", answered(504, { error: "timeout", message: "late" }), "timeout", "late"],
    ["an error that is no JSON", answered(502, "<html>"), "protocol-error", ""],
    ["a gateway that is away", { kind: "unanswered", reason: "unreachable", message: "m" }, "unreachable", "m"],
    ["the page's own deadline", { kind: "unanswered", reason: "timeout", message: "m" }, "timeout", "m"],
    ["somebody who stopped", { kind: "unanswered", reason: "cancelled", message: "m" }, "cancelled", "m"],
  ])("is told apart: %s", (_what, answer, kind, message) => {
    expect(readOutcome(answer)).toMatchObject({ kind, message });
    expect(isFailure(readOutcome(answer))).toBe(kind !== "result");
  });

  it("has the code of a JSON-RPC error", () => {
    expect(readOutcome(answered(502, { error: "server_error", message: "m", code: -32_000 })).code).toBe("-32000");
  });

  it("keeps the digits of structured content, and the text as it came", () => {
    const text = '{"content":[],"structuredContent":{"n":12345678901234567890}}';
    const outcome = readOutcome(answered(200, text));
    expect(outcome).toMatchObject({ text, bytes: text.length });
    expect(outcome.structured).toEqual({
      kind: "object",
      fields: new Map([["n", { kind: "number", text: "12345678901234567890" }]]),
    });
  });
});

describe("the parts of an answer", () => {
  it("are texts, resources, links and messages", () => {
    expect(partsOf({ content: [{ type: "text", text: "a" }] })).toEqual([
      { kind: "text", text: "a", about: undefined },
    ]);
    expect(partsOf({ contents: [{ uri: "u:1", mimeType: "text/plain", text: "b" }] })).toEqual([
      { kind: "text", text: "b", about: "u:1, text/plain" },
    ]);
    expect(partsOf({ content: [{ type: "resource", resource: { uri: "u:2", text: "c" } }] })).toEqual([
      { kind: "text", text: "c", about: "u:2" },
    ]);
    expect(partsOf({ content: [{ type: "resource_link", uri: "u:3", name: "n" }] })).toEqual([
      { kind: "link", uri: "u:3", name: "n", description: undefined },
    ]);
    expect(partsOf({ messages: [{ role: "user", content: { type: "text", text: "d" } }] })).toEqual([
      { kind: "message", role: "user", part: { kind: "text", text: "d", about: undefined } },
    ]);
  });

  it("are pictures only of kinds that run nothing, and only of base64", () => {
    const kindsOf = (mimeType: string, data: string) =>
      partsOf({ content: [{ type: "image", mimeType, data }] })[0]?.kind;
    expect(kindsOf("image/png", "AAAA")).toBe("picture");
    expect(kindsOf("image/svg+xml", "AAAA")).toBe("blob");
    expect(kindsOf("text/html", "AAAA")).toBe("blob");
    expect(kindsOf("image/png", '"onerror=x')).toBe("blob");
    expect(partsOf({ contents: [{ uri: "u", mimeType: "image/png", blob: "AAAAAAA=" }] })).toEqual([
      { kind: "picture", mimeType: "image/png", data: "AAAAAAA=", bytes: 5 },
    ]);
  });

  it("of a kind that nobody knows are shown as JSON", () => {
    for (const block of [{ type: "new", x: 1 }, { type: "text" }, 7]) {
      expect(partsOf({ content: [block] })).toMatchObject([{ kind: "json" }]);
    }
  });
});
