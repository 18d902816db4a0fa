// Whom the page asks, with what, and what it learns from each answer.
import { signal } from "@preact/signals";
import { afterEach, expect, it, vi } from "vitest";
import { createFakeTime } from "../testing/fake-time.ts";
import { createGatewayFetch } from "./fetch.ts";

const origin = "http://gateway.test";

function start(status = 200) {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
    asked.push(new Request(url, init));
    return new Response("{}", { status, headers: { date: "Tue, 24 Nov 2026 12:00:00 GMT" } });
  });
  const token = signal<string | undefined>("abc");
  const refused: string[] = [];
  const learned: (string | null)[] = [];
  const time = { ...createFakeTime(), learn: (header: string | null) => void learned.push(header) };
  const gatewayFetch = createGatewayFetch(origin, { token, onRefused: (which) => void refused.push(which) }, time);
  return { gatewayFetch, asked, token, refused, learned };
}
afterEach(() => vi.unstubAllGlobals());

it("UI-1 the token goes to the gateway, without cookies, referrers, redirects and caches", async () => {
  const { gatewayFetch, asked } = start();
  await gatewayFetch("/api/servers", { headers: { accept: "application/json" } });
  const [request] = asked;
  expect(request?.url).toBe(`${origin}/api/servers`);
  expect(request?.headers.get("authorization")).toBe("Bearer abc");
  expect(request?.headers.get("accept")).toBe("application/json");
  expect(request).toMatchObject({
    credentials: "omit",
    redirect: "error",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
});

it.each(["https://gateway.test/x", "http://gateway.test:81/x", "//other.test/x", "http://gateway.test.evil.test/x"])(
  "UI-1 the token is given to nobody else: %s",
  async (target) => {
    const { gatewayFetch, asked } = start();
    await expect(gatewayFetch(target)).rejects.toThrow("expected a URL of http://gateway.test");
    expect(asked).toEqual([]);
  },
);

it("UI-1 a 401 ends the sign-in of the token that was sent, and no other answer does", async () => {
  const refusing = start(401);
  await refusing.gatewayFetch("/mcp");
  expect(refusing.refused).toEqual(["abc"]);
  refusing.token.value = undefined;
  await refusing.gatewayFetch("/mcp");
  expect(refusing.refused).toEqual(["abc"]);
  const forbidding = start(403);
  await forbidding.gatewayFetch("/mcp");
  expect(forbidding.refused).toEqual([]);
});

it("UI-1 the time of day is the gateway's", async () => {
  const { gatewayFetch, learned } = start();
  await gatewayFetch("/mcp");
  expect(learned).toEqual(["Tue, 24 Nov 2026 12:00:00 GMT"]);
});
