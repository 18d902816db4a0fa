// Whom an agent takes a caller for, of whom a gateway says something by headers.
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { McpVariables } from "../mcp/serve.ts";
import {
  callerHeader,
  findProven,
  maxNameHeaderChars,
  nameGatewayCaller,
  proveGatewayCaller,
  renderCaller,
  renderVouched,
} from "./gateway-caller.ts";

const proof = "of the gateway";

/** What is proven of who sends these headers. */
async function askWith(headers: Record<string, string>): Promise<unknown> {
  const app = new Hono<McpVariables>();
  app.use(nameGatewayCaller);
  app.use(proveGatewayCaller(async (token) => token === proof));
  app.get("/", (context) => {
    const caller = context.get("caller");
    return context.json({ subject: caller?.subject, ...findProven(caller ?? "anyone") });
  });
  return await (await app.request("/", { headers })).json();
}

const of = (subject: string) => ({ [callerHeader]: renderCaller(subject) });
const subject = `gateway ${renderCaller("s")}`;

describe("MGM-5 who a gateway says that it calls for", () => {
  test.each([
    [
      { name: "ann", role: "operator" as const },
      { name: "ann", role: "operator" },
    ],
    [{ name: "agent:clerk" }, { name: "agent:clerk" }],
    [{ name: "Ñ ✓, \r\n=%" }, { name: "Ñ ✓, \r\n=%" }],
  ])("%j is believed with the gateway's token", async (vouched, told) => {
    expect(await askWith({ ...of("s"), ...renderVouched(vouched, proof) })).toEqual({ subject, ...told });
  });

  test.each([
    ["without a token", { "pallas-caller-name": "ann", "pallas-caller-role": "admin" }],
    ["with another's token", renderVouched({ name: "ann", role: "admin" }, "another's")],
    ["without a name", { "pallas-caller-role": "admin", "pallas-caller-proof": proof }],
    ["by a name that is no URI component", { "pallas-caller-name": "%", "pallas-caller-proof": proof }],
    ["by a longer name", { "pallas-caller-name": "a".repeat(maxNameHeaderChars + 1), "pallas-caller-proof": proof }],
  ])("%s nothing is proven", async (_what, headers) => {
    expect(await askWith({ ...of("s"), ...headers })).toEqual({ subject });
  });

  test("a role that is none is no role", async () => {
    const headers = { "pallas-caller-name": "ann", "pallas-caller-role": "root", "pallas-caller-proof": proof };
    expect(await askWith({ ...of("s"), ...headers })).toEqual({ subject, name: "ann" });
  });

  test("names are sent up to their limit, and none that is no text", () => {
    expect(Object.keys(renderVouched({ name: "a".repeat(maxNameHeaderChars) }, proof))).toHaveLength(2);
    expect(renderVouched({ name: "a".repeat(maxNameHeaderChars + 1) }, proof)).toEqual({});
    expect(renderVouched({ name: "\ud800" }, proof)).toEqual({});
  });
});
