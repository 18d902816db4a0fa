// What of the bytes on their way to an agent and back is counted as a message, and as one that failed.
import { expect, test } from "vitest";
import { watchMessage } from "./watched-message.ts";

const call = (name: string) =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }));
const headers = { "mcp-method": "tools/call", "mcp-name": "send_message" };

test.each([
  ["by its headers", headers, undefined, true],
  ["another tool by its headers", { ...headers, "mcp-name": "get_health" }, undefined, false],
  ["another method by its headers, however long", { "mcp-method": "prompts/get" }, undefined, false],
  ["a body that says otherwise than the headers", { "mcp-method": "tools/list" }, call("send_message"), false],
  ["by its body", {}, call("send_message"), true],
  ["another tool by its body", {}, call("get_health"), false],
  ["a body that is no JSON", {}, Buffer.from("{"), false],
  ["a body with other things", {}, Buffer.from('[{"method":"tools/call"}]'), false],
  ["a body too long to be gathered", {}, undefined, true],
])("whether a request is a message: %s", (_what, given, body, isMessage) => {
  const watched = watchMessage(given);
  watched.body(body);
  expect(watched.isMessage).toBe(isMessage);
});

test.each([
  ["a result", '{"result":{"content":[],"isError":false}}', false],
  ["a result that is an error", '{"result":{"content":[],"isError":true}}', true],
  ["an error in place of a result", '{"id":1,"error":{"code":-32602,"message":"x"}}', true],
  ["words that look like one", JSON.stringify({ text: '"isError":true "error":{"code":1}' }), false],
])("whether an answer failed: %s, however it is cut", (_what, text, failed) => {
  for (let cut = 0; cut <= text.length; cut += 1) {
    const watched = watchMessage(headers);
    for (const part of [text.slice(0, cut), text.slice(cut)]) watched.answer(Buffer.from(part));
    expect(watched.saysFailed).toBe(failed);
  }
  const byBytes = watchMessage(headers);
  for (const each of text) byBytes.answer(Buffer.from(each));
  expect(byBytes.saysFailed).toBe(failed);
});

test("answers to what is no message are not looked at", () => {
  const watched = watchMessage({});
  watched.answer(Buffer.from('"isError":true'));
  expect(watched.saysFailed).toBe(false);
});
