// What models are asked through: the guarded fetch, and the proxy of the environment.
import { createServer } from "node:http";
import { once } from "node:events";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { openModelFetch } from "./outgoing.ts";
import { modelsOf, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";

afterEach(() => vi.unstubAllEnvs());

const kinds = ["anthropic", "openai", "openai-compatible", "google", "huggingface", "bedrock"] as const;
const modelsAt = (kind: (typeof kinds)[number], baseUrl: string) =>
  modelsOf(testProvider({ name: "p", kind, baseUrl }), [testModel("p", "m1")], { random: () => 0 });

describe("SEC-5 no model is asked at a link-local or metadata address", () => {
  test.each(kinds)("by %s", async (kind) => {
    // No time for another try.
    const asked = modelsAt(kind, "http://169.254.169.254/v1").turn(
      turnRequest({ deadlineMs: systemClock.now() + 700 }),
    );
    await expect(asked).rejects.toThrow("169.254.169.254 is a link-local or metadata address");
  });

  test("and the check of a provider says so", async () => {
    const { p } = await modelsAt("openai", "http://[::ffff:169.254.169.254]/v1").preflight(AbortSignal.timeout(5_000));
    expect(p).toMatchObject({ ok: false, detail: expect.stringContaining("link-local or metadata address") });
  });
});

test("a model is asked through the proxy of the environment", async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"m1"}]}');
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  const { p } = await modelsAt("openai", "http://models.example/v1").preflight(AbortSignal.timeout(5_000));
  expect(p).toMatchObject({ ok: true });
  expect(asked).toEqual(["GET http://models.example/v1/models"]);
});

test("a request that is no URL, or whose body is no text, is refused rather than sent in part", async () => {
  const send = openModelFetch();
  const request = { method: "POST", body: "{}" };
  await expect(send(new Request("http://127.0.0.1:9/", request))).rejects.toThrow("is a URL, and a text");
  await expect(send("http://127.0.0.1:9/", { ...request, body: new FormData() })).rejects.toThrow(
    "is a URL, and a text",
  );
});
