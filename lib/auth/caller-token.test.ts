import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { McpVariables } from "../mcp/serve.ts";
import { requireCallerToken } from "./caller-token.ts";

const token = "the-one-token";
const elsewhere = { remoteAddress: "192.0.2.9", localAddress: "192.0.2.1" };

/** The status, and the Authorization header that is left for what follows. */
async function call(socket: { remoteAddress?: string; localAddress?: string } | undefined, authorization?: string) {
  const app = new Hono<McpVariables>();
  app.use(requireCallerToken(token));
  app.post("/mcp", (c) => c.text(c.req.raw.headers.get("authorization") ?? "none"));
  const request = { method: "POST", headers: authorization === undefined ? {} : { authorization } };
  const response = await app.request("/mcp", request, socket === undefined ? {} : { incoming: { socket } });
  return {
    status: response.status,
    left: response.ok ? await response.text() : response.headers.get("www-authenticate"),
  };
}

describe("SEC-8 callers from other machines", () => {
  test("need the token, which goes no further than here", async () => {
    expect(await call(elsewhere, `Bearer ${token}`)).toEqual({ status: 200, left: "none" });
    expect(await call(elsewhere)).toEqual({ status: 401, left: "Bearer" });
    for (const wrong of ["the-one-toke", "the-one-token2", "x"]) {
      expect(await call(elsewhere, `Bearer ${wrong}`)).toEqual({ status: 401, left: 'Bearer error="invalid_token"' });
    }
    expect(await call(elsewhere, `Basic ${token}`)).toEqual({ status: 401, left: "Bearer" });
    expect(await call(undefined)).toMatchObject({ status: 401 });
    expect(await call({})).toMatchObject({ status: 401 });
  });

  test.each([
    { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" },
    { remoteAddress: "::1", localAddress: "::1" },
    { remoteAddress: "::ffff:127.0.0.2", localAddress: "::ffff:127.0.0.1" },
    { remoteAddress: "192.0.2.1", localAddress: "::ffff:192.0.2.1" },
  ])("and programs of this machine do not: $remoteAddress", async (socket) => {
    expect(await call(socket)).toEqual({ status: 200, left: "none" });
    expect(await call(socket, "Bearer of-its-user")).toEqual({ status: 200, left: "Bearer of-its-user" });
    expect(await call(socket, `Bearer ${token}`)).toEqual({ status: 200, left: "none" });
  });

  test("an address that only begins like one of this machine is another", async () => {
    expect(await call({ remoteAddress: "128.0.0.1", localAddress: "192.0.2.1" })).toMatchObject({ status: 401 });
    expect(await call({ remoteAddress: "::ffff:192.0.2.9", localAddress: "192.0.2.1" })).toMatchObject({ status: 401 });
  });
});
