// Makes a word table of pairs and source vectors. The same ones give the same bytes on every machine.
import { toContentWords } from "../tokens.ts";
import { type Example, train } from "./contrast.ts";
import { createModel, renderRows } from "./model.ts";
import { packTable } from "./pack-table.ts";
import type { Pair } from "./pairs.ts";
import type { TrainingSettings } from "./settings.ts";
import type { SourceVectors } from "./source-vectors.ts";
import { chooseVocabulary } from "./vocabulary.ts";

export interface TrainTableOptions {
  readonly pairs: readonly Pair[];
  readonly source: SourceVectors;
  readonly settings: TrainingSettings;
  /** Written into the table. */
  readonly inputsDigest: string;
}

/** Takes some 20 s of one processor for 56,000 pairs. */
export function trainTable({ pairs, source, settings, inputsDigest }: TrainTableOptions): Buffer {
  const texts = pairs.map(({ query, tool }) => ({ query: toContentWords(query), tool: toContentWords(tool) }));
  const vocabulary = chooseVocabulary(
    texts.flatMap(({ query, tool }) => [query, tool]),
    source,
    settings.words,
  );
  const { rows } = vocabulary;
  const toRows = (words: readonly string[]): Int32Array =>
    Int32Array.from(words.flatMap((word) => rows.get(word) ?? []).slice(0, settings.textWords));
  const keys = new Map<string, number>();
  const examples = texts.flatMap(({ query, tool }, at): Example[] => {
    const text = pairs[at]?.tool ?? "";
    const key = keys.get(text) ?? keys.size;
    keys.set(text, key);
    const example = { query: toRows(query), tool: toRows(tool), key };
    return example.query.length === 0 || example.tool.length === 0 ? [] : [example];
  });
  const model = createModel(vocabulary, source, settings.seed, settings.frequentShare);
  train(model, examples, settings);
  return packTable([...rows.keys()], renderRows(model), model.width, inputsDigest);
}
