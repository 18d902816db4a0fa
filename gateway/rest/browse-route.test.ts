import { describe, expect, it } from "vitest";
import { npmPackage, startNpm } from "../discovery/browse/testing/test-sources.ts";
import { openServerScene } from "../testing/server-scene.ts";

async function open(count: number) {
  const npm = await startNpm(Array.from({ length: count }, (_, at) => npmPackage(`a${at}-mcp`)));
  const sources = [{ name: "packages", kind: "npm", url: npm.url }] as const;
  const { ask } = openServerScene({ sources });
  const browse = async (query: string, as = "viewer") => {
    const { status, body } = await ask("GET", `/api/browse?${query}`, { as });
    return { status, body: JSON.parse(JSON.stringify(body)) };
  };
  return { browse, npm };
}

describe("DSC-7 DSC-8 GET /api/browse", () => {
  it("answers twenty where no limit is given, a hundred at the most", async () => {
    const { browse } = await open(120);
    const lengths = await Promise.all(
      ["query=a", "query=a&limit=100", "query=a&limit=101", "query=a&limit=999999999", "query=a&limit=1"].map(
        async (query) => (await browse(query)).body.servers.length,
      ),
    );
    expect(lengths).toEqual([20, 100, 100, 100, 1]);
  });

  it.each(["limit=0", "limit=-1", "limit=x", "limit=1.5", "cursor=x", "cursor=%00"])(
    "answers 422 to %s",
    async (query) => {
      const { browse } = await open(1);
      expect(await browse(query)).toMatchObject({ status: 422, body: { field: query.split("=", 1)[0] } });
    },
  );

  it("goes on by the cursor alone, and takes none of another query", async () => {
    const { browse } = await open(25);
    const first = (await browse("query=a&limit=20")).body;
    const second = await browse(`limit=20&cursor=${first.next_cursor}`);
    expect(second.body).toMatchObject({ next_cursor: null, servers: { length: 5 } });
    expect((await browse(`query=a&cursor=${first.next_cursor}`)).status).toBe(200);
    expect((await browse(`query=b&cursor=${first.next_cursor}`)).status).toBe(422);
  });

  it("takes a query of any length as the beginning of it", async () => {
    const { browse, npm } = await open(1);
    expect((await browse(`query=${"x".repeat(8_000)}`)).status).toBe(200);
    expect(npm.asked[0]).toContain(`text=${"x".repeat(200)}%20keywords`);
  });

  it("takes the role viewer", async () => {
    const { browse } = await open(1);
    expect((await browse("", "nobody")).status).toBe(401);
  });
});
