// Browsing real HTTP servers that speak as the places do.
import { describe, expect, it } from "vitest";
import { parseCursor, renderCursor } from "./cursor.ts";
import { renderBrowsed } from "./render.ts";
import {
  npmPackage,
  openBrowser,
  serverJson,
  startJson,
  startNpm,
  startNpmMirror,
  startRegistry,
} from "./testing/test-sources.ts";

const npmAt = (url: string) => ({ name: "packages", kind: "npm", url }) as const;
const pypiAt = (url: string) => ({ name: "python", kind: "pypi", url }) as const;
const registryAt = (url: string, name = "public") => ({ name, kind: "mcp-registry", url }) as const;

describe("DSC-7 browse", () => {
  it("answers each source's servers by turns, in the shape of the interface it comes from", async () => {
    const npm = await startNpm([
      npmPackage("db-mcp", "1.2.0", {
        keywords: ["mcp", "db"],
        license: "MIT",
        links: { repository: "git+https://example.com/db.git" },
      }),
    ]);
    const packages = [{ registryType: "oci", identifier: "registry.example/db:1", transport: { type: "stdio" } }];
    const remotes = [
      {
        type: "streamable-http",
        url: "https://db.example.com/mcp",
        headers: [{ name: "X-Key", isRequired: true, isSecret: true }],
      },
      { type: "sse", url: "https://db.example.com/sse" },
    ];
    const registry = await startRegistry([serverJson("com.example/db", { title: "DB", packages, remotes })]);
    const pypi = await startJson(({ pathname }) =>
      pathname === "/pypi/mcp-server-database/json"
        ? {
            info: {
              name: "mcp_server_database",
              version: "0.3",
              summary: "Asks.",
              project_urls: { Source: "https://example.com/p" },
            },
          }
        : undefined,
    );
    const browser = openBrowser([registryAt(registry.url), npmAt(npm.url), pypiAt(pypi.url)]);
    const answer = renderBrowsed(await browser.browse({ query: "database", limit: 5 }));
    expect(answer).toEqual({
      servers: [
        {
          name: "com.example/db",
          title: "DB",
          description: "The server com.example/db.",
          version: "1.0.0",
          repository: null,
          source: "public",
          tags: [],
          packages: [
            {
              ...{
                registry_name: "oci",
                name: "registry.example/db:1",
                version: "1.0.0",
                runtime: "docker",
                license: null,
              },
              ...{ command: "docker", args: ["run", "-i", "--rm", "registry.example/db:1"] },
            },
            {
              ...{
                registry_name: "remote",
                name: "https://db.example.com/mcp",
                version: "1.0.0",
                runtime: "streamable-http",
              },
              ...{ license: null, command: null, args: [] },
              headers: [{ name: "X-Key", description: "", required: true, secret: true }],
            },
            {
              ...{ registry_name: "remote", name: "https://db.example.com/sse", version: "1.0.0", runtime: "sse" },
              ...{ license: null, command: null, args: [] },
            },
          ],
        },
        {
          name: "db-mcp",
          description: "The package db-mcp.",
          version: "1.2.0",
          repository: "https://example.com/db",
          source: "packages",
          tags: ["mcp", "db"],
          packages: [
            {
              ...{ registry_name: "npm", name: "db-mcp", version: "1.2.0", runtime: "node", license: "MIT" },
              ...{ command: "npx", args: ["-y", "db-mcp@1.2.0"] },
            },
          ],
        },
        {
          name: "mcp-server-database",
          description: "Asks.",
          version: "0.3",
          repository: "https://example.com/p",
          source: "python",
          tags: [],
          packages: [
            {
              ...{
                registry_name: "pypi",
                name: "mcp-server-database",
                version: "0.3",
                runtime: "python",
                license: null,
              },
              ...{ command: "uvx", args: ["mcp-server-database==0.3"] },
            },
          ],
        },
      ],
      next_cursor: null,
      sources: [
        { name: "public", kind: "mcp-registry", status: "ok", count: 1 },
        { name: "packages", kind: "npm", status: "ok", count: 1 },
        { name: "python", kind: "pypi", status: "ok", count: 1 },
      ],
    });
    expect(npm.asked).toEqual(["/-/v1/search?text=database%20keywords%3Amcp&size=5&from=0"]);
    expect(registry.asked).toEqual(["/v0.1/servers?limit=5&version=latest&search=database"]);
  });

  it("gives each server once a source, in its highest version, and keeps those of other sources apart", async () => {
    const versions = ["1.9.0", "1.10.0", "1.10.0-rc.1"].map((version) => npmPackage("same-mcp", version));
    const [one, other] = [await startNpm(versions), await startNpm(versions)];
    const browser = openBrowser([npmAt(one.url), { ...npmAt(other.url), name: "others" }]);
    const { listings } = await browser.browse({ query: "same", limit: 20 });
    expect(listings.map(({ source, name, version }) => [source.name, name, version])).toEqual([
      ["packages", "same-mcp", "1.10.0"],
      ["others", "same-mcp", "1.10.0"],
    ]);
  });

  it.each([1, 3, 7, 20, 100])(
    "with pages of %i gives everything exactly once, whatever the sources' lengths",
    async (limit) => {
      const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
      const [first, second] = [names("com.example/a", 45), names("b-mcp", 12)];
      const registry = await startRegistry(first.map((name) => serverJson(name)));
      const npm = await startNpm(second.map((name) => npmPackage(name)));
      const browser = openBrowser([registryAt(registry.url), npmAt(npm.url)]);
      const seen: string[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < 100 && cursor !== null; page += 1) {
        const parsed = cursor === undefined ? undefined : parseCursor(cursor);
        const answer = renderBrowsed(await browser.browse({ query: "x", limit, cursor: parsed }));
        expect(answer.servers.length).toBeLessThanOrEqual(limit);
        seen.push(...answer.servers.map(({ name }) => name));
        cursor = answer.next_cursor;
      }
      expect(cursor).toBeNull();
      expect(seen.toSorted()).toEqual([...first, ...second].toSorted());
    },
  );

  it("asks a registry of npm without search for the few names that a server would have", async () => {
    const memory = "@modelcontextprotocol/server-memory";
    const mirror = await startNpmMirror({
      [memory]: npmPackage(memory, "2026.8.31"),
      "memory-mcp": npmPackage("memory-mcp", "1.0.0", { description: "Other" }),
    });
    const browser = openBrowser([npmAt(mirror.url)]);
    const names = async (query: string) =>
      (await browser.browse({ query, limit: 20 })).listings.map(({ name }) => name);
    expect(await names(memory)).toEqual([memory]);
    expect(await names("memory")).toEqual([memory, "memory-mcp"]);
    expect(await names("nothing of the kind")).toEqual([]);
  });

  it("reads whole packages where a registry has no more, and indexes that speak the simple API alone", async () => {
    const npm = await startJson(({ pathname }) =>
      pathname === "/files-mcp"
        ? {
            "dist-tags": { latest: "2.0.0" },
            versions: { "2.0.0": npmPackage("files-mcp", "2.0.0"), "3.0.0-rc.1": {} },
          }
        : undefined,
    );
    const json = await startJson(({ pathname }) =>
      pathname === "/simple/files-mcp/"
        ? {
            files: ["files_mcp-0.9.tar.gz", "files_mcp-0.10-py3-none-any.whl", "files_mcp-1.0rc1.zip"].map(
              (filename) => ({ filename }),
            ),
          }
        : undefined,
    );
    const browser = openBrowser([npmAt(npm.url), pypiAt(`${json.url}/simple`)]);
    const { listings } = await browser.browse({ query: "files-mcp", limit: 20 });
    expect(listings.map(({ name, version }) => `${name} ${version}`)).toEqual(["files-mcp 2.0.0", "files-mcp 0.10"]);
  });

  it("answers the same question from what it heard a minute ago at the most", async () => {
    const npm = await startNpm([npmPackage("a-mcp")]);
    const browser = openBrowser([npmAt(npm.url)]);
    await browser.browse({ query: "a", limit: 5 });
    await browser.browse({ query: "a", limit: 5 });
    expect(npm.asked).toHaveLength(1);
    expect(await browser.sync()).toEqual([{ source: { name: "packages", kind: "npm" }, count: 0, leftOut: 0 }]);
    await browser.browse({ query: "a", limit: 5 });
    expect(npm.asked).toHaveLength(3);
  });

  it("finds by name in a source, or in all of a kind", async () => {
    const registry = await startRegistry([serverJson("com.example/db")]);
    const empty = await startRegistry([]);
    const browser = openBrowser([registryAt(empty.url, "first"), registryAt(registry.url)]);
    const find = async (source: string) => (await browser.find("com.example/db", source)).listing?.source.name;
    expect([await find("public"), await find("registry"), await find("mcp-registry"), await find("first")]).toEqual([
      "public",
      "public",
      "public",
      undefined,
    ]);
    expect((await browser.find("x", "nowhere")).reports).toEqual([]);
  });
});

describe("DSC-7 the cursor of browse", () => {
  it("is its own, and nothing else", () => {
    const places = new Map([["a", { at: "x", skip: 100 }]]);
    const text = renderCursor({ query: "q", places }) ?? "";
    expect(parseCursor(text)).toEqual({ query: "q", places });
    const forged = (value: unknown) => parseCursor(Buffer.from(JSON.stringify(value)).toString("base64url"));
    expect(forged({ query: "q", places: { a: { skip: 101 } } })).toBeUndefined();
    expect(forged({ query: "q", places: { a: { at: "x".repeat(513), skip: 0 } } })).toBeUndefined();
    expect(forged({ query: "q".repeat(201), places: {} })).toBeUndefined();
    expect(forged([])).toBeUndefined();
    expect(["", "!", "a".repeat(4_097), "AAAA"].map(parseCursor)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("ends the lists with the longest places where not all fit", () => {
    const places = new Map(
      Array.from({ length: 8 }, (_, at) => [`source-${at}`, { at: "x".repeat(64 * (at + 1)), skip: 0 }]),
    );
    const text = renderCursor({ query: "q".repeat(200), places }) ?? "";
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(parseCursor(text)?.places.size).toBeGreaterThan(5);
    expect(renderCursor({ query: "q", places: new Map() })).toBeNull();
  });
});
