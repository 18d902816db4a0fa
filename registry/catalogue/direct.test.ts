import { once } from "node:events";
import { request, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cataloguePath } from "../../crds/catalogue.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { listen, type DirectHandler, type RunningServer } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";

const lines: string[] = [];
const source = new MemorySource({ state: { phase: "starting", since: 0 } });
let registry: PallasRegistry;
let [plain, quick]: RunningServer[] = [];
/** Requests that the application never saw. */
let direct = 0;

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

async function ask(server: RunningServer | undefined, { method = "GET", path = cataloguePath, headers = {} }: Asked) {
  const target = {
    host: "127.0.0.1",
    port: server?.port,
    method,
    path,
    headers: { host: "localhost", ...headers },
    agent: false,
  };
  const sent = request(target);
  sent.end();
  const [response] = await once(sent, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const found: IncomingHttpHeaders = response.headers;
  for (const name of ["date", "x-request-id", "connection", "keep-alive"]) delete found[name];
  return { status: response.statusCode, headers: found, body: Buffer.concat(chunks).toString("base64") };
}

beforeAll(async () => {
  const log = createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => lines.push(line) } });
  registry = makeRegistry(source, { log, allowedHosts: ["localhost", "127.0.0.1"] });
  const options = { port: 0, hostname: "127.0.0.1", log: silentLog() };
  const counted: DirectHandler = (incoming, outgoing) => {
    const answered = registry.direct(incoming, outgoing);
    if (answered) direct += 1;
    return answered;
  };
  plain = await listen(registry.app.fetch, options);
  quick = await listen(registry.app.fetch, { ...options, direct: counted });
  registry.start();
});
afterAll(async () => {
  await plain?.close({ graceMs: 0 });
  await quick?.close({ graceMs: 0 });
  await registry.stop();
});

describe("CAT-8 the catalogue without the application", () => {
  it("CAT-9 before the first sync the application answers", async () => {
    const answer = await ask(quick, {});
    expect(answer).toEqual(await ask(plain, {}));
    expect([answer.status, direct]).toEqual([503, 0]);
    source.set({
      state: { phase: "live", since: 1 },
      instances: [makeInstance()],
      agents: [makeAgent("coder"), makeAgent("research")],
    });
    const gzip = { headers: { "accept-encoding": "gzip" } };
    await vi.waitFor(async () => expect((await ask(plain, gzip)).headers["content-encoding"]).toBe("gzip"));
  });

  it.each<[string, number, Asked]>([
    ["a plain read", 200, {}],
    ["HEAD", 200, { method: "HEAD" }],
    ["gzip", 200, { headers: { "accept-encoding": "gzip, deflate" } }],
    ["br", 200, { headers: { "accept-encoding": "gzip;q=0.5, br" } }],
    ["HEAD of gzip", 200, { method: "HEAD", headers: { "accept-encoding": "gzip" } }],
    ["a read of another origin", 200, { headers: { origin: "https://anywhere.example" } }],
    ["anything known already", 304, { headers: { "if-none-match": "*" } }],
    ["another port of an allowed host", 200, { headers: { host: "localhost:1" } }],
  ])("%s is answered as the application answers it", async (_, status, asked) => {
    const before = direct;
    const answer = await ask(quick, asked);
    expect(answer).toEqual(await ask(plain, asked));
    expect([answer.status, direct]).toEqual([status, before + 1]);
  });

  it.each<[string, number, Asked]>([
    ["a foreign host", 403, { headers: { host: "evil.example" } }],
    ["another path", 404, { path: "/nowhere" }],
    ["a query", 200, { path: `${cataloguePath}?token=hush` }],
    ["another method", 405, { method: "POST" }],
    ["OPTIONS", 204, { method: "OPTIONS" }],
    ["an absolute target of a foreign host", 403, { path: `http://evil.example${cataloguePath}` }],
  ])("%s is left to the application", async (_, status, asked) => {
    const before = direct;
    const answer = await ask(quick, asked);
    expect(answer).toEqual(await ask(plain, asked));
    expect([answer.status, direct]).toEqual([status, before]);
  });

  it("a header that differs each time is judged each time", async () => {
    for (let times = 0; times < 200; times += 1) {
      expect((await ask(quick, { headers: { host: `evil-${times}.example` } })).status).toBe(403);
    }
    expect((await ask(quick, {})).status).toBe(200);
  });

  it("LOG-1 has the request's id in answer and log", async () => {
    const url = `${quick?.url}${cataloguePath}`;
    const given = await fetch(url, { headers: { "x-request-id": "abc-1" } });
    const odd = await fetch(url, { headers: { "x-request-id": 'a b"' } });
    expect(given.headers.get("x-request-id")).toBe("abc-1");
    expect(odd.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    const logged = lines.map((line) => JSON.parse(line)).find(({ requestId }) => requestId === "abc-1");
    expect(logged).toMatchObject({ level: "DEBUG", method: "GET", path: cataloguePath, status: 200 });
  });
});
