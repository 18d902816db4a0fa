import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../lib/process/metrics.ts";
import { goExposition, pythonExposition } from "../testing/expositions.ts";
import { ExpositionError, parseExposition, parseExpositionInSteps, unlimited, type Family } from "./exposition.ts";

const find = (families: Family[], name: string) => families.find((family) => family.name === name);

describe("MET-1 reading text format 0.0.4", () => {
  it("reads what prom-client writes: every type, escapes, and process metrics", async () => {
    const { registry, render } = createMetrics();
    const registers = [registry];
    new Counter({ name: "a_total", help: "a \\ b\nc", labelNames: ["text"], registers }).inc({ text: 'q"\\\n{},=' }, 3);
    new Gauge({ name: "b", help: "b", registers }).set(Number.NEGATIVE_INFINITY);
    new Histogram({ name: "c_seconds", help: "c", labelNames: ["x"], registers, buckets: [1, 2] }).observe(
      { x: "1" },
      1,
    );
    new Summary({ name: "d", help: "d", registers, percentiles: [0.5] }).observe(4);
    const { body } = await render();
    const families = parseExposition(body);

    expect(find(families, "a_total")).toEqual({
      name: "a_total",
      type: "counter",
      help: "a \\\\ b\\nc",
      samples: [{ name: "a_total", labels: [{ name: "text", raw: 'q\\"\\\\\\n{},=' }], value: "3" }],
    });
    expect(find(families, "b")?.samples[0]?.value).toBe("-Inf");
    expect(find(families, "c_seconds")?.samples.map(({ name }) => name)).toEqual([
      "c_seconds_bucket",
      "c_seconds_bucket",
      "c_seconds_bucket",
      "c_seconds_sum",
      "c_seconds_count",
    ]);
    expect(find(families, "d")?.samples.map(({ value }) => value)).toEqual(["4", "4", "1"]);
    expect(find(families, "process_cpu_seconds_total")?.type).toBe("counter");
    const lines = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(families.flatMap(({ samples }) => samples)).toHaveLength(lines.length);
  });

  it("reads an empty registry as no families", async () => {
    expect(parseExposition(await new Registry().metrics())).toEqual([]);
  });

  it("reads Go's blanks, summaries and timestamps", () => {
    const families = parseExposition(goExposition);
    expect(find(families, "go_gc_duration_seconds")).toMatchObject({ type: "summary" });
    expect(find(families, "go_gc_duration_seconds")?.samples).toHaveLength(5);
    expect(find(families, "http_requests_total")?.samples.map(({ value }) => value)).toEqual([
      "1027 1395066363000",
      "3 1395066363000",
    ]);
  });

  it("reads Python's escapes, created series and odd values", () => {
    const families = parseExposition(pythonExposition);
    expect(find(families, "request_latency_seconds")?.samples[0]?.labels[1]?.raw).toBe('C:\\\\dir \\"x\\"\\n');
    expect(find(families, "request_latency_seconds_created")?.samples).toHaveLength(1);
    expect(find(families, "odd_values")?.samples.map(({ value }) => value)).toEqual(["+Inf", "-Inf", "NaN"]);
  });

  it.each([
    ["a series without HELP and TYPE", "lonely 1\n", "untyped"],
    ["comments of no meaning", "# EOF\n#HELP\n# TYPES x\nlonely 1", "untyped"],
    ["a HELP without text", "# HELP lonely\n# TYPE lonely gauge\nlonely 1", "gauge"],
    ["Windows line ends and blanks", "# TYPE lonely gauge\r\n  lonely\t{ } 1\r\n", "gauge"],
    ["a comma before the brace", '# TYPE lonely counter\nlonely { a = "b" , } 0x1p-2', "counter"],
  ])("takes %s", (_, text, type) => {
    expect(parseExposition(text)).toMatchObject([{ name: "lonely", type }]);
  });

  it.each([
    ["a name that begins with a digit", "1up 1"],
    ["no value", "up"],
    ["no value after labels", 'up{a="b"}'],
    ["a word as value", "up yes"],
    ["a fraction as timestamp", "up 1 1.5"],
    ["a fourth word", "up 1 1 1"],
    ["an exemplar of OpenMetrics", 'up{le="1"} 1 # {trace_id="a"} 0.5'],
    ["an open quote", 'up{a="b} 1'],
    ["an open brace", 'up{a="b" 1'],
    ["an unknown escape", 'up{a="\\t"} 1'],
    ["an unquoted value", "up{a=b} 1"],
    ["two values without a comma", 'up{a="b"c="d"} 1'],
    ["the same label twice", 'up{a="b",a="c"} 1'],
    ["a colon in a label's name", 'up{a:b="c"} 1'],
    ["an unknown type", "# TYPE up speed\nup 1"],
    ["two TYPE lines", "# TYPE up gauge\n# TYPE up gauge\nup 1"],
    ["two HELP lines", "# HELP up a\n# HELP up a\nup 1"],
    ["TYPE after a sample", "up 1\n# TYPE up gauge"],
    ["a page of HTML", "<!doctype html><html></html>"],
    ["another label than a name", "# TYPE 1a gauge"],
  ])("refuses %s and names the line", (_, text) => {
    expect(() => parseExposition(`fine 1\n${text}\n`)).toThrow(ExpositionError);
    expect(() => parseExposition(`fine 1\n${text}\n`)).toThrow(/^line [23]: expected/);
  });

  it("takes as many samples as it may, and refuses one more", () => {
    const lines = Array.from({ length: 10 }, (_, at) => `up{at="${at}"} 1\n`).join("");
    expect(parseExposition(lines, { ...unlimited, samples: 10 })[0]?.samples).toHaveLength(10);
    expect(() => parseExposition(lines, { ...unlimited, samples: 9 })).toThrow(/^line 10: expected at most 9 samples/);
  });

  it("takes as many families as it may, and refuses one more, with samples or without", () => {
    const lines = "a 1\n# TYPE b histogram\n# HELP c c\n";
    expect(parseExposition(lines, { ...unlimited, families: 3 })).toHaveLength(1);
    expect(() => parseExposition(lines, { ...unlimited, families: 2 })).toThrow(/^line 3: expected at most 2 families/);
  });

  it("takes a line as long as it may be, and refuses one that is a character longer", () => {
    const line = 'a{x="y"} 1';
    expect(parseExposition(`${line}\n`, { ...unlimited, lineChars: line.length })).toHaveLength(1);
    expect(() => parseExposition(`${line}\n`, { ...unlimited, lineChars: line.length - 1 })).toThrow(
      /^line 1: expected at most 9 characters in a line/,
    );
  });

  it.each([
    ["short lines", 'a{x="1"} 1\n', 20_000],
    ["long lines", `#${"x".repeat(16_000)}\n`, 100],
    ["empty lines", "\n", 50_000],
  ])("reads %s in steps, between which others get their turn", (_, line, times) => {
    const steps = [...parseExpositionInSteps(line.repeat(times), unlimited)].length;
    expect((line.length * times) / steps).toBeLessThan(64 * 1024);
    expect(times / steps).toBeLessThan(1_000);
  });

  it("keeps a HELP that begins with what only looks like a blank", () => {
    expect(parseExposition("# HELP a \u2028x\u2029\na 1")[0]?.help).toBe("\u2028x\u2029".trimEnd());
  });

  it.each(["1", "1.", ".5", "1.5e-3", "+0x1p-2", "0xA.p0", "0x.8P1", "-Inf", "+infinity", "nan"])(
    "takes %s",
    (value) => {
      expect(parseExposition(`a ${value}`)[0]?.samples[0]?.value).toBe(value);
    },
  );

  it.each([".", "1..", "1.5.", "e5", "0x1", "0xp1", "0x.p1", "+nan", "1_000"])("refuses %s", (value) => {
    expect(() => parseExposition(`a ${value}`)).toThrow("expected a number as the value");
  });
});
