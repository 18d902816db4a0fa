import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defined } from "../process/defined.ts";
import { isSurely2025, versionKeyOf2026 } from "./era.ts";
import { versionsOf2025Era } from "./protocol-versions.ts";

const versions = [undefined, "2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "2030-01-01", ""];
const methods = ["initialize", "tools/call", "server/discover", "notifications/initialized", "prompts/get"];

const requestOf = (version: string | undefined, method = "POST") =>
  new Request("http://localhost/mcp", {
    method,
    headers: { "content-type": "application/json", ...defined({ "mcp-protocol-version": version }) },
  });

const metas = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<unknown>(null, 7, "x", [], { other: {} }),
  fc.record({ progressToken: fc.constantFrom<unknown>(1, "a", 1.5, null, {}) }),
  fc.record({ [versionKeyOf2026]: fc.constantFrom<unknown>("2026-07-28", "2025-06-18", 7, null) }),
);
const params = fc.oneof(fc.constantFrom<unknown>(undefined, null, [], "x"), fc.record({ _meta: metas }));
const messages = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0"),
    id: fc.constantFrom<unknown>(1, "a", null, 1.5),
    method: fc.constantFrom<unknown>(...methods, 7),
    params,
  },
  { requiredKeys: ["jsonrpc"] },
);

describe("AGT-6 requests of the 2025 era beyond doubt", () => {
  test("are never what the SDK of the 2026 era claims", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...versions), messages, async (version, message) => {
        const request = requestOf(version);
        fc.pre(isSurely2025(request, message));
        expect(await isLegacyRequest(request, message)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["initialize", undefined, {}],
    ["tools/call", "2025-06-18", { name: "echo" }],
    ["tools/call", "2025-11-25", { name: "echo", _meta: { progressToken: 1 } }],
    ["notifications/initialized", "2025-06-18", undefined],
  ])("%s of version %s is one", (method, version, given) => {
    expect(isSurely2025(requestOf(version), { jsonrpc: "2.0", id: 1, method, params: given })).toBe(true);
  });

  test("GET and DELETE are", () => {
    expect(isSurely2025(requestOf(undefined, "GET"), undefined)).toBe(true);
    expect(isSurely2025(requestOf("2025-06-18", "DELETE"), undefined)).toBe(true);
  });

  test("a stated version of the 2026 era, by its header or in _meta, is none", () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    expect(isSurely2025(requestOf("2026-07-28"), call)).toBe(false);
    const stated = { ...call, params: { _meta: { [PROTOCOL_VERSION_META_KEY]: "2026-07-28" } } };
    expect(isSurely2025(requestOf(undefined), stated)).toBe(false);
  });
});

test("AGT-6 the versions of the 2025 era are those of the SDK that serves it", () => {
  expect(versionsOf2025Era).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});
