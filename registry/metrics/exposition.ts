// Reads Prometheus' text format 0.0.4: comments, HELP, TYPE, escapes, timestamps, infinities. Values and timestamps
// are checked but kept as they were written. Lenient on the order of families, strict on everything that would make
// our own output faulty. Any pod may send anything: time grows with the text's length and with nothing else.
import { runSynchronously, type Steps } from "../../lib/process/steps.ts";
import { endOfName, parseLabels, type Label } from "./labels.ts";

export const metricTypes = ["counter", "gauge", "histogram", "summary", "untyped"] as const;
export type MetricType = (typeof metricTypes)[number];

export interface Sample {
  readonly name: string;
  readonly labels: readonly Label[];
  /** Value and, after a space, the timestamp if there is one. */
  readonly value: string;
}

export interface Family {
  readonly name: string;
  readonly type: MetricType;
  /** As written, escapes included. */
  readonly help: string | undefined;
  readonly samples: readonly Sample[];
}

/** A line that is not of the format; its text is cut. */
export class ExpositionError extends Error {
  override readonly name = "ExpositionError";
}

/** Names of the samples that belong to a family. */
export function sampleNames(family: string, type: MetricType): string[] {
  if (type === "histogram") return [family, `${family}_bucket`, `${family}_sum`, `${family}_count`];
  if (type === "summary") return [family, `${family}_sum`, `${family}_count`];
  return [family];
}

export interface ExpositionLimits {
  readonly lineChars: number;
  readonly samples: number;
  /** Those that have no sample count too. */
  readonly families: number;
}

export const unlimited: ExpositionLimits = { lineChars: Infinity, samples: Infinity, families: Infinity };

/** What is read in one step, less than a millisecond; a line counts for more than its characters. */
const charsPerStep = 32 * 1024;
const charsPerLine = 100;

/** Families in the order of their first line. Throws `ExpositionError` on the first malformed line, and past a limit. */
export const parseExposition = (text: string, limits: ExpositionLimits = unlimited): Family[] =>
  runSynchronously(parseExpositionInSteps(text, limits));

/** The same in steps, between which others get their turn. */
export function* parseExpositionInSteps(text: string, limits: ExpositionLimits): Steps<Family[]> {
  const builder = new FamilyBuilder(limits);
  let number = 0;
  let readChars = 0;
  for (const line of lines(text)) {
    number += 1;
    readChars += line.length + charsPerLine;
    if (readChars >= charsPerStep) {
      yield;
      readChars = 0;
    }
    try {
      if (line.length > limits.lineChars) throw new Error(`expected at most ${limits.lineChars} characters in a line`);
      if (line.startsWith("#")) readComment(line, builder);
      else if (line !== "") builder.add(parseSample(line));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const shown = line.length > 100 ? `${line.slice(0, 100)}…` : line;
      throw new ExpositionError(`line ${number}: ${reason}, found ${JSON.stringify(shown)}`, { cause });
    }
  }
  return builder.families();
}

/** Without the blanks around each; the last line need not end. */
function* lines(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, end).trim();
    start = end + 1;
  }
}

interface OpenFamily {
  name: string;
  type: MetricType | undefined;
  help: string | undefined;
  samples: Sample[];
}

class FamilyBuilder {
  readonly #families = new Map<string, OpenFamily>();
  /** Which family a sample's name belongs to. */
  readonly #owners = new Map<string, OpenFamily>();
  readonly #limits: ExpositionLimits;
  #samples = 0;

  constructor(limits: ExpositionLimits) {
    this.#limits = limits;
  }

  setHelp(name: string, help: string): void {
    const family = this.#open(name);
    if (family.help !== undefined) throw new Error(`expected one HELP of "${name}", found a second one`);
    family.help = help;
  }

  setType(name: string, type: MetricType): void {
    const family = this.#open(name);
    if (family.type !== undefined) throw new Error(`expected one TYPE of "${name}", found a second one`);
    if (family.samples.length > 0) throw new Error(`expected the TYPE of "${name}" before its first sample`);
    family.type = type;
    for (const sample of sampleNames(name, type)) this.#owners.set(sample, family);
  }

  add(sample: Sample): void {
    this.#samples += 1;
    const { samples } = this.#limits;
    if (this.#samples > samples) throw new Error(`expected at most ${samples} samples`);
    (this.#owners.get(sample.name) ?? this.#open(sample.name)).samples.push(sample);
  }

  /** Without those that have no sample: they say nothing. */
  families(): Family[] {
    return [...this.#families.values()]
      .filter(({ samples }) => samples.length > 0)
      .map((family) => ({ ...family, type: family.type ?? "untyped" }));
  }

  #open(name: string): OpenFamily {
    const existing = this.#families.get(name);
    if (existing !== undefined) return existing;
    const { families } = this.#limits;
    if (this.#families.size >= families) throw new Error(`expected at most ${families} families`);
    const created: OpenFamily = { name, type: undefined, help: undefined, samples: [] };
    this.#families.set(name, created);
    if (!this.#owners.has(name)) this.#owners.set(name, created);
    return created;
  }
}

function readComment(line: string, builder: FamilyBuilder): void {
  const match = /^#[ \t]+(HELP|TYPE)[ \t]+(\S+)(?:[ \t]+([^ \t][^]*)?)?$/.exec(line);
  const [, keyword, name, rest = ""] = match ?? [];
  // Any other comment means nothing.
  if (keyword === undefined || name === undefined) return;
  if (endOfName(name, 0, "metric") !== name.length) throw new Error("expected the name of a metric");
  if (keyword === "HELP") {
    builder.setHelp(name, rest);
    return;
  }
  const type = metricTypes.find((known) => known === rest.trim());
  if (type === undefined) throw new Error(`expected one of the types ${metricTypes.join(", ")}`);
  builder.setType(name, type);
}

function parseSample(line: string): Sample {
  const nameEnd = endOfName(line, 0, "metric");
  if (nameEnd === 0) throw new Error("expected the name of a metric");
  const afterName = skipBlanks(line, nameEnd);
  const { labels, end } = line[afterName] === "{" ? parseLabels(line, afterName) : { labels: [], end: afterName };
  if (end === nameEnd) throw new Error("expected a space after the name");
  const [value = "", timestamp, another] = line
    .slice(end)
    .trim()
    .split(/[ \t]+/, 3);
  if (!isFloat(value)) throw new Error("expected a number as the value");
  if (another !== undefined) throw new Error("expected nothing after the timestamp");
  if (timestamp !== undefined && !/^-?\d+$/.test(timestamp)) throw new Error("expected milliseconds as the timestamp");
  return { name: line.slice(0, nameEnd), labels, value: timestamp === undefined ? value : `${value} ${timestamp}` };
}

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (line[at] === " " || line[at] === "\t") at += 1;
  return at;
}

/**
 * What Go's ParseFloat takes: decimal, exponent, hexadecimal, infinities and NaN in any case. No two neighbours in these
 * patterns match the same character: a long number that is none would be tried in every division between them.
 */
const isFloat = (text: string): boolean =>
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ||
  /^(?:[+-]?inf(?:inity)?|nan)$/i.test(text) ||
  /^[+-]?0x(?:[\da-f]+(?:\.[\da-f]*)?|\.[\da-f]+)p[+-]?\d+$/i.test(text);
