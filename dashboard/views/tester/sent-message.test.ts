import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseDraft } from "../../parts/schema-form/json-text.ts";
import { renderCurl, renderMessage, renderRequest } from "./sent-message.ts";

const args = parseDraft('{"amount":18.40,"note":"it\'s $(id) `id` \\"x\\""}');

describe("what is sent", () => {
  it("is the message that the server gets, with _meta and all digits", () => {
    const message = renderMessage({ kind: "tools", name: "pay", args });
    expect(JSON.parse(message)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "pay",
        arguments: JSON.parse('{"amount":18.40,"note":"it\'s $(id) `id` \\"x\\""}'),
        _meta: { progressToken: 1 },
      },
    });
    expect(message).toContain('"amount": 18.40');
    expect(JSON.parse(renderMessage({ kind: "resources", uri: "u:1" })).params).toEqual({
      uri: "u:1",
      _meta: { progressToken: 1 },
    });
  });

  it("is asked of the gateway's tester", () => {
    expect(renderRequest("a b", { kind: "tools", name: "t", args: parseDraft("{}") })).toEqual({
      path: "/api/servers/a%20b/call",
      body: '{"tool":"t","args":{}}',
    });
    expect(renderRequest("s", { kind: "prompts", name: "p", args: parseDraft('{"a":"1"}') })).toEqual({
      path: "/api/servers/s/prompt/get",
      body: '{"name":"p","arguments":{"a":"1"}}',
    });
    expect(renderRequest("s", { kind: "resources", uri: "u:1" })).toEqual({
      path: "/api/servers/s/resource/read",
      body: '{"uri":"u:1"}',
    });
  });

  it("is a command line that a shell takes as it is, with the token as a variable", () => {
    const request = { kind: "tools", name: "pay", args } as const;
    const command = renderCurl("https://pallas.example", "payments", request);
    expect(command).toContain('"Authorization: Bearer $PALLAS_TOKEN"');
    const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
    const said = execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PALLAS_TOKEN: "t0" } }).split("\0");
    expect(said.slice(0, -1)).toEqual([
      "--fail-with-body",
      "https://pallas.example/api/servers/payments/call",
      "-H",
      "Authorization: Bearer t0",
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      renderRequest("payments", request).body,
    ]);
  });
});
