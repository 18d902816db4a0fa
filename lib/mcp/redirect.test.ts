import { describe, expect, test } from "vitest";
import { judgeRedirect, parseLocation, renderCarried } from "./redirect.ts";

const judge =
  (from: string, to: string, method = "POST", status = 307) =>
  () =>
    judgeRedirect({ from: new URL(from), to: new URL(to, from), status, method });

describe("SEC-5 a redirect is followed", () => {
  test.each([
    ["http://tools.example/mcp", "/mcp/"],
    ["http://tools.example:8000/mcp", "http://TOOLS.example:8000/other"],
    ["http://tools.example/mcp", "https://tools.example/mcp"],
    ["http://tools.example:8000/mcp", "https://tools.example:8000/mcp"],
    ["http://tools.example:8000/mcp", "https://tools.example/mcp"],
  ])("from %s to %s", (from, to) => expect(judge(from, to)).not.toThrow());

  test("from GET to GET whatever its status", () => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(judge("http://a.example/", "/b", "GET", status)).not.toThrow();
    }
  });
});

describe("SEC-5 a redirect is refused", () => {
  test.each([
    // Another host, one that looks alike, and places that only this process can reach.
    ["http://tools.example/mcp", "http://other.example/mcp"],
    ["https://tools.example/mcp", "https://tools.example.evil.example/mcp"],
    ["https://tools.example/mcp", "https://evil.example\\@tools.example/mcp"],
    ["https://tools.example/mcp", "https://tools.example@evil.example/mcp"],
    ["https://tools.example/mcp", "//evil.example/mcp"],
    ["https://tools.example/mcp", "https://127.0.0.1/mcp"],
    ["https://tools.example/mcp", "https://10.0.0.1/mcp"],
    ["https://tools.example/mcp", "https://[::1]/mcp"],
    // Another port of the host, as the agent's own behind loopback.
    ["http://127.0.0.1:8000/mcp", "http://127.0.0.1:9090/metrics"],
    ["http://127.0.0.1:8000/mcp", "https://127.0.0.1:9090/metrics"],
    ["https://tools.example/mcp", "https://tools.example:8443/mcp"],
    // Out of encryption, or out of HTTP.
    ["https://tools.example/mcp", "http://tools.example/mcp"],
    ["http://tools.example/mcp", "file:///etc/passwd"],
    ["http://tools.example/mcp", "data:application/json,{}"],
  ])("from %s to %s", (from, to) => expect(judge(from, to)).toThrow("configure the URL that it leads to instead"));

  test("with the server to configure, and without a path or query, which may hold what was sent", () => {
    expect(judge("https://tools.example/mcp", "https://other.example/secret?token=secret")).toThrow(
      "a redirect from https://tools.example to https://other.example was refused",
    );
    expect(judge("https://tools.example/mcp", "ftp://secret/secret")).toThrow("to ftp: was refused");
    expect(judge("https://tools.example/mcp", "/secret", "POST", 302)).toThrow(
      "HTTP 302 to https://tools.example would",
    );
  });

  test.each([301, 302, 303])("when %i would turn a POST into a GET", (status) =>
    expect(judge("http://tools.example/mcp", "/b", "POST", status)).toThrow("would turn the POST into a GET"),
  );
});

describe("a Location", () => {
  const from = new URL("https://a.example/mcp");

  test("is read at 4,096 characters, and refused with one more", () => {
    const location = `/${"x".repeat(4_095)}`;
    expect(parseLocation(location, from).pathname).toBe(location);
    expect(() => parseLocation(`${location}x`, from)).toThrow("is not a URL, or longer than 4096 characters");
  });

  test("that is no URL is refused", () =>
    expect(() => parseLocation("https://", from)).toThrow("a redirect from https://a.example was refused"));
});

describe("BRR-3 what goes on with a redirect", () => {
  const portable = { accept: "*/*", "mcp-session-id": "s", "content-type": "application/json" };
  const headers = new Headers({
    ...portable,
    authorization: "Bearer t",
    "x-api-key": "k",
    cookie: "c",
    "x-other": "o",
  });
  const carried = (from: string, to: string) =>
    Object.fromEntries(renderCarried(headers, { from: new URL(from), to: new URL(to) }));

  test("is everything within an origin", () =>
    expect(carried("https://a.example/x", "https://a.example/y")).toEqual(Object.fromEntries(headers)));

  test("is no secret from http to https, which is another origin", () =>
    expect(carried("http://a.example/x", "https://a.example/x")).toEqual(portable));
});
