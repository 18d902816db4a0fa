// node lib/search/train/calibrate.ts [--data FOLDER] [--cache FOLDER]: finds the weights of confidence.ts and writes them
// to confidence-weights.ts. Prints what "high" then means on each set, judged by weights that were found without the set.
// The words' vectors come from a table that was trained without these queries: with the shipped one, which has seen them,
// everything would look too certain.
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { thresholds, toFeatures } from "../confidence.ts";
import { loadWordTable } from "../word-table.ts";
import { findEvidence, type Trial } from "./find-evidence.ts";
import { readJudgedData } from "./judged-data.ts";
import { fitLogistic } from "./logistic.ts";
import { readPairs } from "./pairs.ts";
import { trainingSettings } from "./settings.ts";
import { readSourceVectors } from "./source-vectors.ts";
import { trainTable } from "./train-table.ts";

/** Of each set so many queries are looked at, evenly spread: that all sets count alike. */
const queriesPerSet = 700;
/** Pairs hold no more than the beginning of long queries. */
const comparedLength = 200;

interface Found {
  readonly names: readonly string[];
  /** Of the names, and then the base. */
  readonly numbers: readonly number[];
}

function find(trials: readonly Trial[]): Found {
  const samples = trials.map(({ evidence, isRight }) => ({ features: Object.values(toFeatures(evidence)), isRight }));
  const [first] = trials;
  return { names: first === undefined ? [] : Object.keys(toFeatures(first.evidence)), numbers: fitLogistic(samples) };
}

function probabilityOf({ evidence }: Trial, { numbers }: Found): number {
  const logit = [...Object.values(toFeatures(evidence)), 1].reduce(
    (sum, each, at) => sum + each * (numbers[at] ?? 0),
    0,
  );
  return 1 / (1 + Math.exp(-logit));
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

function report(title: string, trials: readonly Trial[], found: Found): string {
  const isHigh = (trial: Trial): boolean => probabilityOf(trial, found) >= thresholds.high;
  const answerable = trials.filter((trial) => trial.answerable);
  const high = answerable.filter(isHigh);
  const others = trials.filter((trial) => !trial.answerable);
  const right = percent(high.filter(({ isRight }) => isRight).length, high.length);
  const wrong = percent(others.filter(isHigh).length, others.length);
  return `${title}: high for ${percent(high.length, answerable.length)}, right in ${right}; high without the right tool ${wrong}\n`;
}

function reportSets(trials: readonly Trial[], found: (set: string) => Found, title: string): void {
  for (const [set, some] of Map.groupBy(trials, (trial) => trial.set)) {
    for (const among of ["own", "all"] as const) {
      const judged = some.filter((trial) => trial.among === among);
      process.stdout.write(report(`${title}, ${set} among ${among}`, judged, found(set)));
    }
  }
}

const renderNumber = (number: number): string => String(Number(number.toFixed(3)));

function renderWeights(name: string, { names, numbers }: Found): string {
  const factors = names.map((factor, at) => `      ${factor}: ${renderNumber(numbers[at] ?? 0)},\n`).join("");
  return `  ${name}: {\n    base: ${renderNumber(numbers.at(-1) ?? 0)},\n    factors: {\n${factors}    },\n  },\n`;
}

function renderFile(byWords: Found, byWordsAndMeaning: Found): string {
  const fields = byWords.names.map((name) => `    readonly ${name}: number;\n`).join("");
  return `// Written by train/calibrate.ts: how much each feature of confidence.ts says, with and without vectors.

export interface Weights {
  readonly base: number;
  readonly factors: {
${fields}  };
}

export const weights: { readonly byWords: Weights; readonly byWordsAndMeaning: Weights } = {
${renderWeights("byWords", byWords)}${renderWeights("byWordsAndMeaning", byWordsAndMeaning)}};
`;
}

const { values } = parseArgs({
  options: {
    data: { type: "string", default: join(import.meta.dirname, "../../../test/data/tool-search") },
    cache: { type: "string", default: join(tmpdir(), "pallas-source-vectors") },
  },
});

const { catalogues, queries } = await readJudgedData(values.data);
const beginning = (query: string): string => query.trim().slice(0, comparedLength);
const known = new Set(queries.map(({ query }) => beginning(query)));
const pairs = (await readPairs()).filter(({ query }) => !known.has(beginning(query)));
const source = await readSourceVectors(values.cache);
const table = trainTable({ pairs, source, settings: trainingSettings, inputsDigest: "0".repeat(64) });
const words = loadWordTable(table);

const chosen = [...Map.groupBy(queries, ({ set }) => set).values()].flatMap((some) => {
  const wanted = Math.min(queriesPerSet, some.length);
  return Array.from({ length: wanted }, (_, at) => some[Math.floor((at * some.length) / wanted)]).filter(
    (query) => query !== undefined,
  );
});
const results = [false, true].map((byMeaning) => {
  const trials = findEvidence(catalogues, chosen, { words, byMeaning });
  const title = byMeaning ? "by words and meaning" : "by words";
  const without = (set: string): Found => find(trials.filter((trial) => trial.set !== set));
  reportSets(trials, without, `${title}, without the set`);
  const found = find(trials);
  reportSets(trials, () => found, title);
  return found;
});
const [byWords, byWordsAndMeaning] = results;
if (byWords === undefined || byWordsAndMeaning === undefined) throw new Error("expected two results");
const file = join(import.meta.dirname, "../confidence-weights.ts");
await writeFile(file, renderFile(byWords, byWordsAndMeaning));
process.stdout.write(`wrote ${file} from ${chosen.length} queries; the table was trained on ${pairs.length} pairs\n`);
