// As what a call of the registry's tool is judged, and what is sent of it then: nothing that the policy has not seen.
import { expect, test } from "vitest";
import type { Link } from "../../lib/mcp/link.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { renderRegistry } from "./registry.ts";

const inputSchema = { type: "object" as const };
const tool = { name: "registry", inputSchema };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is called
const link = {} as Link;
const routes = (...listed: string[]) =>
  renderRegistry(renderTestServer("registry", "http://127.0.0.1:1"), link, [
    tool,
    ...listed.map((name) => ({ name, inputSchema })),
  ]);
const judged = (args: Record<string, unknown>) => routes().own[0]?.judged(args);

test.each([
  ["by its name", { call_as: "mcp__ledger__erase" }],
  ["by its server", { server: "ledger", tool: "erase" }],
  ["by both, of which the name counts", { call_as: "ledger__erase", server: "notes", tool: "read" }],
])("MGM-5 a tool that the registry is to call %s is judged as that, and exactly that is sent", (_how, naming) => {
  const part = judged({ action: "proxy_call", ...naming, arguments: { all: false }, more: 1 });
  expect(part?.call).toMatchObject({ server: "ledger", tool: "erase", args: { all: false } });
  const sent = { action: "proxy_call", server: "ledger", tool: "erase", arguments: { all: true } };
  expect(part?.withArgs({ all: true })).toEqual(sent);
});

test.each([
  ["names none", { arguments: {} }],
  ["has no arguments that could be read", { server: "ledger", tool: "erase", arguments: "[]" }],
  ["has a name of another form", { call_as: "erase", arguments: {} }],
])("MGM-5 of a call that %s nothing is sent that the gateway might understand", (_how, rest) => {
  const part = judged({ action: "proxy_call", ...rest });
  expect(part?.call).toMatchObject({ server: "registry", tool: "proxy_call" });
  expect(part?.withArgs(rest)).toEqual({ action: "proxy_call" });
});

test("MGM-5 whoever edits a search makes no call of it", () => {
  const part = judged({ action: "find_tool", query: "graph" });
  expect(part?.call).toMatchObject({ server: "registry", tool: "find_tool", args: { query: "graph" } });
  const edited = { action: "proxy_call", server: "ledger", tool: "erase" };
  expect(part?.withArgs(edited)).toEqual({ ...edited, action: "find_tool" });
});

test("MGM-5 a tool that was found, or is listed beside it, is judged by its own name", () => {
  const { listed, findCallable } = routes("ledger__erase", "ledger__erase_0123abcd");
  const expected = { server: "ledger", tool: "erase" };
  expect(findCallable("mcp__ledger__erase")?.judged({})?.call).toMatchObject(expected);
  expect(listed[0]?.judged({})?.call).toMatchObject(expected);
  expect(listed[0]?.judged({})?.call.unnamed).toBeUndefined();
  // It may be of a name that was too long: nobody knows which.
  expect(listed[1]?.judged({})?.call.unnamed).toContain("find_tool");
});
