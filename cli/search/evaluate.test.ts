import { gzipSync } from "node:zlib";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../manifests/find-files.ts";
import { recordTerminal, temporaryFolder, writeFolder } from "../testing/manifests.ts";
import { evaluateSearch } from "./evaluate.ts";
import { measure, type Answer, type JudgedQuery } from "./measure.ts";
import { search } from "./search.ts";

const tool = (id: string, server: string, name: string, description: string) =>
  `${JSON.stringify({ id, server, name, description, params: [] })}\n`;
const tools =
  tool("a", "mail", "send_email", "Send an email to somebody") +
  tool("b", "mail", "read_email", "Read a received email") +
  tool("c", "weather", "get_forecast", "The weather of the next days");
const query = (text: string, ...gold: string[][]) => `${JSON.stringify({ set: "s", query: text, gold })}\n`;

async function run(files: Record<string, string>, json = true) {
  const folder = await writeFolder(files);
  const terminal = recordTerminal(folder);
  const options = { tools: [join(folder, "tools.jsonl")], queries: [join(folder, "queries.jsonl")], json };
  expect(await evaluateSearch(options, terminal)).toBe(0);
  return terminal;
}

describe("DSC-2 pallas search eval", () => {
  test("prints one object with the measures of each set", async () => {
    const queries = query("send an email", ["a"]) + query("the weather", ["unknown"], ["c", "b"]);
    const { printed, complaints } = await run({ "tools.jsonl": tools, "queries.jsonl": queries });
    expect(complaints).toEqual([]);
    expect(printed).toHaveLength(1);
    const answer: unknown = JSON.parse(printed[0] ?? "");
    expect(answer).toMatchObject({
      s: { n: 2, hit1: 1, recall5: 0.75, highShare: expect.any(Number), p95Ms: expect.any(Number) },
    });
  });

  test("prints a table, and says which queries nothing could have answered", async () => {
    const queries = query("send an email", ["a"]) + query("something else", ["unknown"]);
    const { printed, complaints } = await run({ "tools.jsonl": tools, "queries.jsonl": queries }, false);
    expect(printed[0]).toMatch(/^set {2}queries {2}hit@1 %/);
    expect(printed[1]).toMatch(/^s +2 +50\.0 /);
    expect(printed[2]).toBe("3 tools");
    expect(complaints).toEqual(["1 of 2 queries have no right tool among these; they count as missed"]);
  });

  test("takes what several files say of a server as one server's", async () => {
    const folder = await writeFolder({ "one.jsonl": tools, "queries.jsonl": query("delete an email", ["d"]) });
    const more = join(folder, "more.jsonl.gz");
    await writeFile(more, gzipSync(tool("d", "mail", "delete_email", "Delete an email")));
    const terminal = recordTerminal(folder);
    const options = { tools: [join(folder, "one.jsonl"), more], queries: [join(folder, "queries.jsonl")], json: false };
    await evaluateSearch(options, terminal);
    expect(terminal.printed.at(-1)).toBe("4 tools");
    expect(terminal.printed[1]).toMatch(/^s +1 +100\.0 /);
  });

  test.each([
    ["tools.jsonl", `${tools}{"id":"d"}\n`, /tools\.jsonl:4: server: /],
    ["tools.jsonl", `${tools}\n\nno json\n`, /tools\.jsonl:6: expected one JSON object, found "no json"/],
    ["tools.jsonl", "[]", /tools\.jsonl:1: .*expected object/i],
    ["queries.jsonl", query("x"), /queries\.jsonl:1: gold: /],
    ["queries.jsonl", "", /queries\.jsonl: expected a query, found none/],
  ])("names file and line of what is wrong in %s", async (name, text, message) => {
    const files = { "tools.jsonl": tools, "queries.jsonl": query("x", ["a"]), [name]: text };
    await expect(run(files)).rejects.toThrow(message);
    await expect(run(files)).rejects.toThrow(UsageError);
  });

  test("refuses what is no file of lines", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "x.gz"), "not gzipped");
    await writeFile(join(folder, "q"), query("x", ["a"]));
    const evaluateFile = (path: string) =>
      evaluateSearch({ tools: [path], queries: [join(folder, "q")], json: true }, recordTerminal(folder));
    await expect(evaluateFile(folder)).rejects.toThrow(/expected a file of JSON lines/);
    await expect(evaluateFile(join(folder, "none"))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await expect(evaluateFile(join(folder, "x.gz"))).rejects.toThrow(/expected gzipped data/);
  });
});

describe("the measures", () => {
  const asked = (...gold: string[][]): JudgedQuery => ({ set: "s", query: "q", gold });
  const answered = (...ids: string[]): Answer => ({ matches: ids.map((id) => [id]), isHigh: false, ms: 1 });
  const of = (query: JudgedQuery, answer: Answer) => measure([{ query, answer }]);

  test("count a group once, at its first match", () => {
    const { hit1, recall5, ndcg10 } = of(asked(["a", "b"], ["c"]), answered("a", "b", "c"));
    expect([hit1, recall5]).toEqual([1, 1]);
    expect(ndcg10).toBeCloseTo((1 + 1 / 2) / (1 + 1 / Math.log2(3)), 12);
  });

  test("look at five matches and at ten", () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`);
    expect(of(asked(["a"]), answered(...others(4), "a")).recall5).toBe(1);
    expect(of(asked(["a"]), answered(...others(5), "a")).recall5).toBe(0);
    expect(of(asked(["a"]), answered(...others(9), "a")).ndcg10).toBeCloseTo(1 / Math.log2(11), 12);
    expect(of(asked(["a"]), answered(...others(10), "a")).ndcg10).toBe(0);
  });

  test("say how often what is called certain is right", () => {
    const high = { ...answered("a"), isHigh: true };
    const answers = [
      { query: asked(["a"]), answer: high },
      { query: asked(["b"]), answer: high },
      { query: asked(["a"]), answer: answered("a") },
    ];
    expect(measure(answers)).toMatchObject({ n: 3, highShare: 2 / 3, highPrecision: 0.5 });
    expect(of(asked(["a"]), answered("a")).highPrecision).toBeNull();
  });

  test("give the time that 95 % of the searches keep to", () => {
    const answers = Array.from({ length: 20 }, (_, at) => ({
      query: asked(["a"]),
      answer: { ...answered("a"), ms: at },
    }));
    expect(measure(answers).p95Ms).toBe(18);
  });
});

describe("DSC-2 pallas search in files", () => {
  async function find(text: string | undefined, json = false) {
    const folder = await writeFolder({ "tools.jsonl": tools });
    const terminal = recordTerminal(folder);
    const options = { text, gateway: "http://localhost:1", tools: [join(folder, "tools.jsonl")], json };
    return { code: await search(options, { terminal, process }), terminal };
  }

  test("prints name, score and description, the best first", async () => {
    const { code, terminal } = await find("send an email");
    expect(code).toBe(0);
    expect(terminal.printed[0]).toMatch(/^mail\/send_email +0\.\d\d {2}Send an email to somebody$/);
    expect(terminal.printed[1]).toMatch(/^mail\/read_email +0\.\d\d {2}Read a received email$/);
  });

  test("prints one object for scripts", async () => {
    const { terminal } = await find("send an email", true);
    const answer: unknown = JSON.parse(terminal.printed[0] ?? "");
    expect(answer).toMatchObject({ confidence: expect.any(String), matches: expect.any(Array) });
    expect(Reflect.get(Object(answer), "matches")[0]).toMatchObject({ name: "mail/send_email" });
  });

  test("ends with 1 when nothing is found, and wants a text", async () => {
    const { code, terminal } = await find("qqqq");
    expect([code, terminal.complaints]).toEqual([1, ["no tool was found"]]);
    await expect(find(undefined)).rejects.toThrow(UsageError);
    await expect(find(" ")).rejects.toThrow(/say what the tool should do/);
  });
});
