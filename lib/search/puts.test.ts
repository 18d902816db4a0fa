// How servers come and go: what answers meanwhile, whose vectors are used, and that nothing stands still for it.
import { describe, expect, it } from "vitest";
import type { SearchableTool } from "./searchable.ts";
import { SearchIndex } from "./search-index.ts";

const tool = (name: string, description = ""): SearchableTool => ({ name, description, parameters: [] });
const vector = (...numbers: number[]) => Float32Array.from(numbers);
const best = (index: SearchIndex, query: string, options: object = {}) =>
  index.search(query, { limit: 1, ...options }).matches[0]?.tool;

describe("DSC-3 puts", () => {
  it("of one server that wait are replaced by the last", async () => {
    const index = new SearchIndex();
    const big = Array.from({ length: 2_000 }, (_, at) => tool(`big_${at}`, "some words to read"));
    const [first, second, third] = [
      index.put({ name: "other" }, big),
      index.put({ name: "s" }, [tool("old_one")]),
      index.put({ name: "s" }, [tool("new_one")]),
    ];
    expect(second).toBe(third);
    await Promise.all([first, second, third]);
    expect([index.size, best(index, "old"), best(index, "new")]).toEqual([2_001, undefined, "new_one"]);
  });

  it("go on in slices: other work has its turn many times, and the earlier tools answer until the end", async () => {
    const index = new SearchIndex();
    await index.put({ name: "s" }, [tool("old_one")]);
    let [turns, isDone] = [0, false];
    const text = "a few words of which there are many ".repeat(20);
    const done = index.put(
      { name: "s" },
      Array.from({ length: 300 }, (_, at) => tool(`new_${at}`, text)),
    );
    const ended = done.then(() => {
      isDone = true;
    });
    const answers = new Set<string | undefined>();
    for (; turns < 10_000; turns += 1) {
      await new Promise(setImmediate);
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- it changes while others have their turn
      if (isDone) break;
      answers.add(best(index, "old new words"));
    }
    await ended;
    // 300 tools of 720 characters, of which a slice reads 8,000 at most.
    expect(turns).toBeGreaterThanOrEqual(25);
    expect([...answers]).toEqual(["old_one"]);
    expect(index.size).toBe(300);
  });

  it("of thousands of small servers are sliced, too", async () => {
    const index = new SearchIndex();
    const all = Promise.all(Array.from({ length: 1_000 }, (_, at) => index.put({ name: `s${at}` }, [tool("get_it")])));
    let turns = 0;
    const spin = (): void => {
      turns += 1;
      if (index.size < 1_000) setImmediate(spin);
    };
    setImmediate(spin);
    await all;
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it("do nothing when the server is removed while its last tool is read", async () => {
    const index = new SearchIndex();
    const parameters = Array.from({ length: 64 }, () => ({ name: "p", description: "many words ".repeat(50) }));
    const done = index.put({ name: "s" }, [{ ...tool("large"), parameters }]);
    // The work begins in a microtask and, after so much text, waits for the event loop's next turn.
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    index.remove("s");
    await done;
    expect([index.size, best(index, "large")]).toEqual([0, undefined]);
  });

  it("are refused with another number of vectors than tools", async () => {
    const put = new SearchIndex().put({ name: "s" }, [tool("a")], { vectors: [] });
    await expect(put).rejects.toThrow("expected a vector for each of the 1 tools of s, found 0");
  });

  it("come again and again without their number growing", async () => {
    const index = new SearchIndex();
    for (let round = 0; round < 40; round += 1) {
      await index.put(
        { name: "s" },
        Array.from({ length: 100 }, (_, at) => tool(`round_${round}_${at}`)),
      );
    }
    const matches = index.search("round", { limit: 100 }).matches.map(({ tool: name }) => name);
    expect(matches).toHaveLength(100);
    expect(matches.every((name) => name.startsWith("round_39_"))).toBe(true);
    expect(
      index.search("round 12", { limit: 100 }).matches.some(({ tool: name }) => name.startsWith("round_12_")),
    ).toBe(false);
  });
});

describe("vectors from outside", () => {
  const apart = [tool("first"), tool("second")];

  it("decide by meaning while all tools have one of the query's width", async () => {
    const index = new SearchIndex();
    await index.put({ name: "s" }, apart, { vectors: [vector(1, 0), vector(0, 1)] });
    expect(index.hasAllVectors).toBe(true);
    expect(best(index, "qqq", { queryVector: vector(0.1, 2) })).toBe("second");
    expect(best(index, "qqq", { queryVector: vector(2, 0.1) })).toBe("first");
    expect(best(index, "qqq", { queryVector: vector(1, 0, 0) })).toBeUndefined();
    await index.put({ name: "t" }, [tool("third")]);
    expect(index.hasAllVectors).toBe(false);
    expect(best(index, "qqq", { queryVector: vector(0, 1) })).toBeUndefined();
    index.remove("t");
    expect(best(index, "qqq", { queryVector: vector(0, 1) })).toBe("second");
  });

  it.each([
    ["another width", vector(1, 0, 0)],
    ["no direction", vector(0, 0)],
    ["no number", vector(Number.NaN, 1)],
  ])("of %s are as none", async (_, wrong) => {
    const index = new SearchIndex();
    await index.put({ name: "s" }, apart, { vectors: [vector(1, 0), wrong] });
    expect(index.hasAllVectors).toBe(false);
  });
});

describe("what is not accepted", () => {
  it("has no influence on order, scores and confidence, whatever it is like", async () => {
    const alone = new SearchIndex();
    const mail = [tool("send_email", "Send an email"), tool("read_email", "Read an email")];
    await alone.put({ name: "mail" }, mail);
    const crowd = new SearchIndex();
    await crowd.put(
      { name: "secret" },
      Array.from({ length: 2 }, (_, at) => tool(`send_email_now_${at}`, "Send an email")),
    );
    await crowd.put({ name: "mail" }, mail);
    const accept = (server: string) => server === "mail";
    const [without, among] = [alone, crowd].map((index) => index.search("send email now", { limit: 5, accept }));
    expect(among?.matches.map((match) => match.tool)).toEqual(without?.matches.map((match) => match.tool));
    expect(crowd.suggest("send_email_now", { limit: 5, accept }).every(({ server }) => server === "mail")).toBe(true);
    expect(crowd.search("send email", { limit: 5, accept: () => false })).toEqual({
      matches: [],
      confidence: "none",
      score: 0,
    });
  });
});
