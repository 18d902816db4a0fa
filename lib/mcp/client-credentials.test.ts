import { afterEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createTokenSource, type ClientCredentials, type TokenSourceOptions } from "./client-credentials.ts";
import { serveOnLoopback, type ServedApp } from "./endpoint.fixture.ts";

const secret = "s3cret/with +signs";
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Asked {
  authorization: string | null;
  form: Record<string, string>;
}

async function startEndpoint(answer: (nth: number) => Response | Promise<Response>) {
  const asked: Asked[] = [];
  const app: ServedApp = await serveOnLoopback(async (request) => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    return answer(asked.push({ authorization: request.headers.get("authorization"), form }));
  });
  stops.push(() => app.stop());
  const open = (credentials: Partial<ClientCredentials> = {}, options: Partial<TokenSourceOptions> = {}) => {
    const clock = new ManualClock();
    const tokenUrl = `${app.url}?tenant=a`;
    const source = createTokenSource(
      { tokenUrl, clientId: "agents", clientAuth: "basic", scopes: [], ...credentials },
      { readClientSecret: async () => secret, clock, ...options },
    );
    return { source, clock };
  };
  return { asked, open, app };
}

const granted = (nth: number, fields: object = { expires_in: 3_600 }) =>
  Response.json({ access_token: `token-${nth}`, token_type: "Bearer", ...fields });

describe("a token by client credentials", () => {
  test("is asked for with id and secret in Basic, form-encoded first, and nothing that is not configured", async () => {
    const { asked, open } = await startEndpoint(granted);
    expect(await open({ clientId: "a:b c" }).source.get()).toBe("token-1");
    expect(asked).toEqual([
      {
        authorization: `Basic ${Buffer.from("a%3Ab+c:s3cret%2Fwith+%2Bsigns").toString("base64")}`,
        form: { grant_type: "client_credentials" },
      },
    ]);
  });

  test("is asked for with both in the form where the endpoint wants that, and with scopes, audience and resource", async () => {
    const { asked, open } = await startEndpoint(granted);
    const wanted = { scopes: ["read", "write"], audience: "urn:tools", resource: "https://tools.example/mcp" };
    await open({ clientAuth: "post", ...wanted }).source.get();
    expect(asked).toEqual([
      {
        authorization: null,
        form: {
          grant_type: "client_credentials",
          client_id: "agents",
          client_secret: secret,
          scope: "read write",
          audience: "urn:tools",
          resource: "https://tools.example/mcp",
        },
      },
    ]);
  });

  test.each([
    ["a minute before a long life ends", { expires_in: 3_600 }, 3_540_000],
    ["after nine tenths of a short life", { expires_in: "100" }, 90_000],
    ["after nine tenths of five minutes where nothing is said", {}, 270_000],
    ["after a day at most, but for a minute", { expires_in: 1e9 }, 86_340_000],
  ])("is kept and replaced %s", async (_when, fields, keptMs) => {
    const { asked, open } = await startEndpoint((nth) => granted(nth, fields));
    const { source, clock } = open();
    expect(await source.get()).toBe("token-1");
    await clock.advance(keptMs - 1);
    expect(await source.get()).toBe("token-1");
    await clock.advance(1);
    expect(await source.get()).toBe("token-2");
    expect(asked).toHaveLength(2);
  });

  test("is asked for once, however many want it at the same time", async () => {
    const { asked, open } = await startEndpoint(granted);
    const { source } = open();
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => source.get())))).toEqual(new Set(["token-1"]));
    expect(asked).toHaveLength(1);
  });

  test("that a server refused is replaced, and one that was replaced already is not replaced again", async () => {
    const { asked, open } = await startEndpoint(granted);
    const { source } = open();
    await source.get();
    source.refuse("token-1");
    expect(await source.get()).toBe("token-2");
    source.refuse("token-1");
    expect(await source.get()).toBe("token-2");
    expect(asked).toHaveLength(2);
  });

  test("is asked for with the secret as it is now", async () => {
    const { asked, open } = await startEndpoint(granted);
    const secrets = ["old", "new"];
    const { source } = open({ clientAuth: "post" }, { readClientSecret: async () => secrets.shift() ?? "" });
    source.refuse(await source.get());
    await source.get();
    expect(asked.map(({ form }) => form["client_secret"])).toEqual(["old", "new"]);
  });
});

describe("BRR-4 a token endpoint that gives none", () => {
  const refuse = (error: unknown, status = 400) =>
    Response.json({ error, error_description: `secret ${secret}` }, { status });

  test.each([
    ["invalid_client", 401, 'refused client "agents" with invalid_client; check clientId, clientSecret and clientAuth'],
    ["invalid_scope", 400, 'refused client "agents" with invalid_scope; check scopes'],
    ["odd_error", 400, 'refused client "agents" with odd_error; look at its log'],
    ["<b>x", 400, 'answered client "agents" with HTTP 400 and no OAuth error; check tokenUrl'],
  ])("is named with its error %s, and never with its words, its query or the secret", async (code, status, words) => {
    const { open, app } = await startEndpoint(() => refuse(code, status));
    const { source } = open();
    const failure = await source.get().catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ kind: "unauthorized", message: `the token endpoint ${app.url} ${words}` });
    expect(JSON.stringify(failure)).not.toContain("s3cret");
  });

  test("is not asked again for five seconds once it refused, and at once when it was but down", async () => {
    const answers = [refuse("invalid_client"), new Response("down", { status: 503 }), undefined];
    const { asked, open } = await startEndpoint((nth) => answers.shift() ?? granted(nth));
    const { source, clock } = open();
    await expect(source.get()).rejects.toThrow("invalid_client");
    await clock.advance(4_999);
    await expect(source.get()).rejects.toThrow("invalid_client");
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await expect(source.get()).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("HTTP 503"),
    });
    expect(await source.get()).toBe("token-3");
  });

  test.each([
    ["no JSON", new Response("<html>login</html>")],
    ["no token", Response.json({ token_type: "bearer" })],
    ["a token that no header can carry", Response.json({ access_token: "a\r\nX-Other: b", token_type: "bearer" })],
    ["an empty token", Response.json({ access_token: "", token_type: "bearer" })],
    ["a token of another type", Response.json({ access_token: "x", token_type: "DPoP" })],
  ])("by answering with %s is named", async (_what, answer) => {
    const { open, app } = await startEndpoint(() => answer);
    await expect(open().source.get()).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringContaining(app.url),
    });
  });

  test.each([302, 307, 308])("by redirecting with %i is not followed, since the secret would be", async (status) => {
    const elsewhere = await startEndpoint(granted);
    const { open } = await startEndpoint(
      () => new Response(null, { status, headers: { location: elsewhere.app.url } }),
    );
    await expect(open({ clientAuth: "post" }).source.get()).rejects.toThrow(`HTTP ${status} and no OAuth error`);
    expect(elsewhere.asked).toEqual([]);
  });

  test("takes 16 KiB of token and refuses one character more", async () => {
    const lengths = [16_384, 16_385];
    const { open } = await startEndpoint(() => Response.json({ access_token: "x".repeat(lengths.shift() ?? 0) }));
    expect(await open().source.get()).toHaveLength(16_384);
    await expect(open().source.get()).rejects.toThrow("without a usable access_token");
  });

  test("by silence is named at its deadline, and asked again by the next", async () => {
    const { open } = await startEndpoint((nth) => (nth === 1 ? new Promise<Response>(() => undefined) : granted(nth)));
    const { source } = open({}, { timeoutMs: 50 });
    await expect(source.get()).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringMatching(/gave no token within 50 ms$/),
    });
    await vi.waitFor(async () => expect(await source.get()).toBe("token-2"));
  });

  test("that is not there is a network fault, and a link-local one is never asked", async () => {
    const { open, app } = await startEndpoint(granted);
    await app.stop();
    await expect(open().source.get()).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    await expect(open({ tokenUrl: "http://169.254.169.254/token" }).source.get()).rejects.toMatchObject({
      kind: "unreachable",
    });
  });
});
