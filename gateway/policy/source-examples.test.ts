// The errors of the interface that policies and tokens come from (MGM-1, MGM-5), byte for byte on the wire.
import { describe, expect, it } from "vitest";
import {
  bothTypes,
  callMessage,
  modernCall,
  openSession,
  post,
  readMessages,
} from "../../lib/mcp/raw-client.fixture.ts";
import { serveGateway } from "../testing/served-gateway.ts";
import { openPolicyScene } from "./testing/policy-scene.ts";

const bigDenied = {
  rules: [{ name: "big", match: { args: [{ path: "/amount", greaterThan: 100 }] }, action: "denyAbort" }],
  default: "allow",
};
const example = `{
  "code": -32950,
  "message": "policy_denied",
  "data": {
    "type": "policy_denied",
    "decision": "deny_abort",
    "reason": "Tool execution not permitted by policy"
  }
}`;
const call = ["bank__pay", { amount: 101 }] as const;
const caller = { "x-caller": "caller" };

const answerOf = async (response: Response) => {
  const messages = await readMessages(response);
  const answer = messages.find((each) => "id" in each);
  return { ...answer, error: JSON.stringify(answer?.["error"], undefined, 2) };
};

describe("MGM-5 a denied call", () => {
  it("is answered by the example's error, in a session", async () => {
    const scene = await openPolicyScene({ policy: bigDenied });
    const url = `${scene.url}/mcp`;
    const session = { ...(await openSession(url, caller)), "mcp-protocol-version": "2025-11-25" };
    const response = await post(url, callMessage(...call, 42), { ...caller, ...session });
    expect(await answerOf(response)).toEqual({ jsonrpc: "2.0", id: 42, error: example });
  });

  it("is answered by the example's error, without one", async () => {
    const scene = await openPolicyScene({ policy: bigDenied });
    const { message, headers } = modernCall(...call);
    const response = await post(`${scene.url}/mcp`, { ...message, id: 42 }, { ...caller, ...headers });
    expect(await answerOf(response)).toEqual({ jsonrpc: "2.0", id: 42, error: example });
  });
});

describe("MGM-1 a token", () => {
  it.each([
    ["is missing", {}, "Missing Authorization header"],
    ["is unknown", { authorization: "Bearer nobody-knows-it" }, "Invalid token"],
  ])("that %s is answered by 401 and the example's words", async (_, headers, message) => {
    const { url } = await serveGateway();
    const init = { method: "POST", headers: { ...bothTypes, ...headers }, body: JSON.stringify(callMessage("any")) };
    for (const path of ["/mcp", "/registry/mcp", "/api/servers/bank/call"]) {
      const response = await fetch(`${url}${path}`, init);
      expect(response.status).toBe(401);
      expect(JSON.parse(await response.text())).toEqual({
        jsonrpc: "2.0",
        error: { code: -32_000, message },
        id: null,
      });
    }
  });
});
