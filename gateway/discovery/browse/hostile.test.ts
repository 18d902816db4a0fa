// Places to browse that hang, lie, lead elsewhere or answer without end: the others' answers come in time, with a word on these.
import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { BrowserBusy } from "./source-pool.ts";
import { renderBrowsed } from "./render.ts";
import { npmPackage, openBrowser, serverJson, startNpm, startSource } from "./testing/test-sources.ts";

const json = { "content-type": "application/json" };
const good = async () => ({ name: "good", kind: "npm", url: (await startNpm([npmPackage("good-mcp")])).url }) as const;

/** What a browse says of a source that answers so, beside a good one. */
async function browsed(listener: RequestListener, kind: "mcp-registry" | "npm" | "pypi" = "mcp-registry", path = "") {
  const { url, asked } = await startSource(listener);
  const browser = openBrowser([{ name: "bad", kind, url: `${url}${path}` }, await good()]);
  const { servers, sources, next_cursor } = renderBrowsed(await browser.browse({ query: "good-mcp", limit: 100 }));
  const [bad, ...others] = sources;
  expect(others).toEqual([{ name: "good", kind: "npm", status: "ok", count: 1 }]);
  expect(servers.map(({ name }) => name)).toContain("good-mcp");
  return { bad, servers: servers.filter(({ source }) => source === "bad"), asked, next_cursor };
}

describe("DSC-7 SEC-6 a source that fails", () => {
  it("holds nobody up: what it says after three seconds is not waited for", async () => {
    const { url } = await startSource(() => undefined);
    const slow = { name: "slow", kind: "mcp-registry", url } as const;
    const begun = performance.now();
    const answer = renderBrowsed(await openBrowser([slow, await good()]).browse({ query: "a", limit: 5 }));
    const tookMs = performance.now() - begun;
    expect(answer.servers.map(({ name }) => name)).toEqual(["good-mcp"]);
    expect(answer.sources[0]).toEqual({
      ...{ name: "slow", kind: "mcp-registry", status: "failed", count: 0 },
      error: "gave no answer within 3 s",
    });
    expect(tookMs).toBeGreaterThan(2_900);
    expect(tookMs).toBeLessThan(4_500);
  }, 10_000);

  it("by a body that never ends is given up at the same time", async () => {
    const { bad } = await browsed((_, response) => {
      response.writeHead(200, json).write("[");
    });
    expect(bad?.error).toBe("gave no answer within 3 s");
  }, 10_000);

  it.each<[string, RequestListener, RegExp]>([
    ["is broken", (_, response) => response.writeHead(500).end("x"), /^answered 500$/],
    ["wants credentials", (_, response) => response.writeHead(401).end(), /^answered 401: it wants credentials/],
    ["hangs up", (request) => request.socket.destroy(), /^cannot be reached/],
    [
      "answers a page for people",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>sign in</html>"),
      /^expected JSON, found text\/html$/,
    ],
    ["answers no type", (_, response) => response.writeHead(200).end("{}"), /^expected JSON, found an answer without/],
    ["answers half of it", (_, response) => response.writeHead(200, json).end('{"servers": ['), /cannot be read/],
    ["answers other JSON", (_, response) => response.writeHead(200, json).end('{"servers": 7}'), /list of servers/],
    ["answers null", (_, response) => response.writeHead(200, json).end("null"), /list of servers/],
    [
      "answers nested beyond reason",
      (_, response) => response.writeHead(200, json).end("[".repeat(100_000)),
      /the response /,
    ],
    [
      "leads to the metadata service",
      (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
      /redirect .* was refused/,
    ],
    [
      "leads to a host inside",
      (_, response) => response.writeHead(307, { location: "http://10.0.0.1/" }).end(),
      /redirect .* was refused/,
    ],
    [
      "leads round in circles",
      (_, response) => response.writeHead(302, { location: "/x" }).end(),
      /more than 5 redirects/,
    ],
  ])("since it %s, says so", async (_what, listener, error) => {
    const { bad, servers } = await browsed(listener);
    expect(bad).toMatchObject({ status: "failed", count: 0, error: expect.stringMatching(error) });
    expect(servers).toEqual([]);
  });

  it("at the metadata address is not asked at all", async () => {
    const url = "http://169.254.169.254/";
    const browser = openBrowser([{ name: "bad", kind: "npm", url }, await good()]);
    const { reports } = await browser.browse({ query: "good", limit: 5 });
    expect(reports[0]?.problem).toMatch(/link-local or metadata address/);
  });

  it("by a gigabyte is read no further than the limit", async () => {
    let sentBytes = 0;
    const chunk = Buffer.alloc(64 * 1024, " ");
    const { bad } = await browsed((_, response) => {
      response.writeHead(200, json);
      const send = (): void => {
        while (sentBytes < 2 ** 30 && !response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", send);
        }
      };
      send();
    });
    expect(bad?.error).toMatch(/over the limit of 2097152 bytes/);
    expect(sentBytes).toBeLessThan(64 * 2 ** 20);
  });

  it("by a small answer that unpacks to a large one is read no further either", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, " "));
    const { bad } = await browsed((_, response) =>
      response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(bomb),
    );
    expect(bad?.error).toMatch(/over the limit/);
  });

  it("is told of without the credentials that it was asked with", async () => {
    const { url } = await startSource((_, response) => response.writeHead(403).end());
    const authorization = "Bearer s3cret";
    const browser = openBrowser([{ name: "bad", kind: "npm", url, authorization }]);
    const answer = renderBrowsed(await browser.browse({ query: "a", limit: 5 }));
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });
});

const pageOf =
  (servers: readonly unknown[], more: object = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, json).end(JSON.stringify({ servers, metadata: {}, ...more }));
const wrapped = (server: unknown, meta: unknown = {}) => ({ server, _meta: meta });

describe("DSC-7 a source that lies", () => {
  it("loses the entries that cannot be read, and no others", async () => {
    const official = "io.modelcontextprotocol.registry/official";
    const lies: unknown[] = [
      ...[null, 7, "x", [], {}, wrapped(null), wrapped({ name: 7 }), wrapped(serverJson("no-namespace"))],
      ...["a/..", "../b", "a/b/c", "a/b?x=1", "a b/c", `a/${"x".repeat(214)}`, "__proto__", "constructor"].map((name) =>
        wrapped(serverJson(name)),
      ),
      wrapped(serverJson("com.example/no-version", { version: {} })),
      wrapped(serverJson("com.example/withdrawn"), { [official]: { status: "deleted" } }),
    ];
    const { bad, servers } = await browsed(pageOf([...lies, wrapped(serverJson("com.example/real__one"))]));
    expect(servers.map(({ name }) => name)).toEqual(["com.example/real__one"]);
    expect(bad).toMatchObject({ status: "ok", count: 1, left_out: lies.length });
  });

  it("shows nothing that a terminal or a reader would be led astray by, and no more than a few lines", async () => {
    const description = `a\u001b]0;x\u0007\n\u202egnp.exe ${"long ".repeat(1_000)}`;
    const { servers } = await browsed(
      pageOf([wrapped(serverJson("com.example/a", { description, title: "\ud800\nT" }))]),
    );
    const [server] = servers;
    expect(server?.description).toMatch(/^a \]0;x gnp\.exe long /);
    expect(server?.description.length).toBeLessThanOrEqual(300);
    expect(server?.title).toBe("\ufffd T");
  });

  it("in its packages loses what nobody could run", async () => {
    const stdio = { type: "stdio" };
    const packages = [
      { registryType: "npm", identifier: "ok", version: "1.0.0", transport: stdio },
      { registryType: "nuget", identifier: "other", transport: stdio },
      { registryType: "npm", identifier: 7, transport: stdio },
      { registryType: "npm", identifier: "a\nb", transport: stdio },
      { registryType: "npm", identifier: "http", transport: { type: "streamable-http", url: "http://localhost" } },
      "x",
    ];
    const remotes = [{ type: "streamable-http", url: "file:///etc/passwd" }, { type: "ws", url: "https://a" }, null];
    const { servers } = await browsed(pageOf([wrapped(serverJson("com.example/a", { packages, remotes }))]));
    expect(servers[0]?.packages.map(({ name }) => name)).toEqual(["ok"]);
  });

  it("gives ten thousand servers for one page, and a page is read", async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => wrapped({ name: `com.example/s${at}`, version: "1.0.0" }));
    const { servers, bad } = await browsed(pageOf(many));
    expect(servers.length).toBeLessThanOrEqual(100);
    expect(bad).toMatchObject({ status: "ok" });
  });

  it("says that it goes on for ever in the same place, and is not believed", async () => {
    const server = wrapped(serverJson("com.example/a"));
    const tooLong = await browsed(pageOf([server], { metadata: { nextCursor: "x".repeat(513) } }));
    expect(tooLong.next_cursor).toBeNull();
    const longest = await browsed(pageOf([server], { metadata: { nextCursor: "x".repeat(512) } }));
    expect(longest.next_cursor).toEqual(expect.any(String));
  });

  it("names another package than the one that was asked for, and is not believed", async () => {
    const { bad } = await browsed((request, response) => {
      if (request.url?.startsWith("/-/")) return void response.writeHead(404).end();
      response.writeHead(200, json).end(JSON.stringify(npmPackage("evil-mcp")));
    }, "npm");
    expect(bad?.error).toMatch(/expected the manifest of the package that was asked for/);
    const pypi = await browsed((_, response) => {
      response.writeHead(200, json).end(JSON.stringify({ info: { name: "evil", version: "1.0" } }));
    }, "pypi");
    expect(pypi.bad?.error).toMatch(/expected the package that was asked for/);
  });

  it.each(["latest", "^1.0.0", "1.0.0 || 2", "", "1".repeat(65), 7])(
    "names the version %j, and is left out",
    async (version) => {
      const { bad, servers } = await browsed((_, response) => {
        const objects = [{ package: { ...npmPackage("a-mcp"), version } }];
        response.writeHead(200, json).end(JSON.stringify({ objects, total: 1 }));
      }, "npm");
      expect([servers, bad?.left_out]).toEqual([[], 1]);
    },
  );
});

describe("SEC-6 many who browse at once", () => {
  it("are eight at the most", async () => {
    const { url } = await startSource(() => undefined);
    const clock = new ManualClock();
    const browser = openBrowser([{ name: "slow", kind: "npm", url }], clock);
    const running = Array.from({ length: 8 }, (_, at) => browser.browse({ query: `q${at}`, limit: 5 }));
    await expect(browser.browse({ query: "one more", limit: 5 })).rejects.toThrow(BrowserBusy);
    await expect.poll(() => clock.pending.length).toBe(8);
    await clock.advance(3_000);
    expect((await Promise.all(running)).map(({ reports }) => reports[0]?.problem)).toEqual(
      Array.from({ length: 8 }, () => "gave no answer within 3 s"),
    );
  });
});
