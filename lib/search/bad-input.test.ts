// What strangers may put into a catalogue or a query.
import { describe, expect, it } from "vitest";
import type { SearchableTool } from "./searchable.ts";
import { SearchIndex } from "./search-index.ts";

const tool = (name: string, description = ""): SearchableTool => ({ name, description, parameters: [] });

async function createIndex(...tools: SearchableTool[]): Promise<SearchIndex> {
  const index = new SearchIndex();
  await index.put({ name: "server" }, tools);
  return index;
}

const names = (index: SearchIndex, query: string) =>
  index.search(query, { limit: 5 }).matches.map((match) => match.tool);

describe("DSC-3 a query", () => {
  it("of a megabyte is cut", async () => {
    const index = await createIndex(tool("send_email"), tool("read_email"));
    expect(names(index, `send email ${"lorem ".repeat(170_000)}`)[0]).toBe("send_email");
    expect(names(index, `${"lorem ".repeat(170_000)} send email`)).toEqual([]);
  });

  it("of as many terms as are looked up is used whole, the one after that is not", async () => {
    const index = await createIndex(tool("needle"));
    const terms = (count: number) =>
      Array.from(
        { length: count },
        (_, at) => `t${String.fromCharCode(97 + (at % 26))}${"x".repeat(1 + at / 26)}`,
      ).join(" ");
    expect(names(index, `${terms(127)} needle`)).toEqual(["needle"]);
    expect(names(index, `${terms(128)} needle`)).toEqual([]);
  });

  it.each(["🎉", "", " ", "\ud800", "\u0000", "___", "%%%", "\u202e"])("%j finds nothing", async (query) => {
    const index = await createIndex(tool("send_email", "Send an email 🎉"));
    expect(index.search(query, { limit: 5 })).toEqual({ matches: [], confidence: "none", score: 0 });
    expect(index.suggest(query, { limit: 5 })).toEqual([]);
  });

  it.each(["constructor", "__proto__", "hasOwnProperty", "toString"])("%s is a word like others", async (word) => {
    const index = await createIndex(tool("send_email"));
    expect(names(index, word)).toEqual([]);
    await index.put({ name: word }, [tool(word)]);
    expect(index.search(word, { limit: 5 }).matches[0]).toMatchObject({ server: word, tool: word });
    expect(index.suggest(`${word}__${word}`, { limit: 1 })).toMatchObject([{ server: word, tool: word }]);
  });

  it("of stop words alone finds a tool that is called so", async () => {
    expect(names(await createIndex(tool("about"), tool("send_email")), "about")).toEqual(["about"]);
  });

  it.each([0, -1, Number.NaN])("for %d matches gets none", async (limit) => {
    const index = await createIndex(tool("send_email"));
    expect(index.search("email", { limit }).matches).toEqual([]);
    expect(index.suggest("send_emai", { limit })).toEqual([]);
  });

  it("gets at most a hundred matches and twenty suggestions", async () => {
    const index = await createIndex(...Array.from({ length: 101 }, (_, at) => tool(`email_${at}`)));
    expect(index.search("email", { limit: 100 }).matches).toHaveLength(100);
    expect(index.search("email", { limit: 101 }).matches).toHaveLength(100);
    expect(index.suggest("email", { limit: 20 })).toHaveLength(20);
    expect(index.suggest("email", { limit: 21 })).toHaveLength(20);
  });
});

describe("a tool", () => {
  it("may have an empty name, no words at all, or halves of characters", async () => {
    const index = await createIndex(tool(""), tool("🎉"), tool("a\udfff"), {
      ...tool("x"),
      parameters: [{ name: "" }],
    });
    expect(index.size).toBe(4);
    expect(names(index, "a\ud800")).toEqual(["a\udfff"]);
    expect(names(index, "x")).toEqual(["x"]);
  });

  it("may have more parameters than are read", async () => {
    const parameters = Array.from({ length: 64 }, () => ({ name: "p" }));
    const index = await createIndex({ ...tool("big"), parameters: [...parameters.slice(1), { name: "last" }] });
    expect(names(index, "last")).toEqual(["big"]);
    await index.put({ name: "server" }, [{ ...tool("big"), parameters: [...parameters, { name: "last" }] }]);
    expect(names(index, "last")).toEqual([]);
  });

  it("may have thousands of parameters with long descriptions, of which the first count", async () => {
    const long = "word ".repeat(10_000);
    const parameters = Array.from({ length: 5_000 }, (_, at) => ({ name: `param${at}`, description: long }));
    const last = { name: "last", description: "unheard" };
    const index = await createIndex({ ...tool("big", long), parameters: [...parameters.slice(0, 63), last] });
    expect(names(index, "last")).toEqual(["big"]);
    await index.put({ name: "server" }, [{ ...tool("big"), parameters: [...parameters, last] }]);
    expect(names(index, "last")).toEqual([]);
  });
});

describe("a server", () => {
  it("may have ten thousand tools, or none", async () => {
    const index = await createIndex(
      ...Array.from({ length: 10_000 }, (_, at) => tool(`get_thing_${at}`, "Gets a thing")),
    );
    expect(index.size).toBe(10_000);
    expect(names(index, "thing 9876")[0]).toBe("get_thing_9876");
    await index.put({ name: "server" }, []);
    expect(index.size).toBe(0);
    expect(names(index, "thing")).toEqual([]);
  });

  it("whose list changes again and again holds up nobody, and nothing of it stays", async () => {
    const index = await createIndex(tool("first"));
    const puts: Promise<void>[] = [];
    for (let round = 0; round < 300; round += 1) {
      puts.push(
        index.put(
          { name: "restless" },
          Array.from({ length: 50 }, (_, at) => tool(`t${round}_${at}`, "changes")),
        ),
      );
      if (round === 150) puts.push(index.put({ name: "calm" }, [tool("calm")]));
      if (round % 3 === 0) await new Promise(setImmediate);
    }
    await Promise.all(puts);
    expect(names(index, "calm")).toEqual(["calm"]);
    expect(index.size).toBe(52);
    expect(names(index, "changes")).toHaveLength(5);
    expect(names(index, "changes").every((name) => name.startsWith("t299_"))).toBe(true);
  });
});
