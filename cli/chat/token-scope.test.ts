import { describe, expect, test } from "vitest";
import { refuseToken } from "./token-scope.ts";

describe("SEC-8 chat sends its token where the user said", () => {
  test.each([
    ["http://localhost:24201/mcp", "http://localhost:24200"],
    ["https://agents.example/a/mcp", "https://agents.example/registry"],
    ["https://agents.example/a/mcp", "http://agents.example"],
    ["http://LOCALHOST:1/mcp", "http://localhost:2"],
  ])("to %s of the registry %s", (agent, registry) => {
    expect(refuseToken(agent, registry, [])).toBeUndefined();
  });

  test.each([
    [
      "http://127.0.0.2:24201/mcp",
      "http://127.0.0.1:24200",
      /not sent to 127\.0\.0\.2, since the registry is on 127\.0\.0\.1/,
    ],
    ["http://localhost.evil.example/mcp", "http://localhost:24200", /--token-host localhost\.evil\.example/],
    ["http://a.example/mcp", "https://a.example", /not sent to http:\/\/a\.example, since that is not encrypted/],
  ])("not to %s of the registry %s, unless that host is named", (agent, registry, expected) => {
    expect(refuseToken(agent, registry, [])).toMatch(expected);
    expect(refuseToken(agent, registry, ["other.example", new URL(agent).hostname])).toBeUndefined();
  });
});
