// What of a tool is searched, and how much each part counts: BM25F (Robertson, Zaragoza 2004), whose saturation is worked
// out when a tool is added. Field lengths are compared with fixed typical ones instead of the catalogue's averages, so
// that what is known of one tool never changes with another.
import type { SearchableServer, SearchableTool } from "./searchable.ts";
import { isStopWord } from "./stop-words.ts";
import { maxTextLength, toContentWords, toTerm, toWords } from "./tokens.ts";
import { inName, inServer } from "./postings.ts";

/** Parameters of a tool that are read. */
const maxParameters = 64;
const k1 = 1.2;

/** The words of a tool, field by field. Names keep their stop words: a tool may be called `about`. */
export interface ToolWords {
  readonly name: readonly string[];
  readonly server: readonly string[];
  readonly description: readonly string[];
  readonly parameterNames: readonly string[];
  readonly parameterDescriptions: readonly string[];
  /** The tool's category and the server's description. */
  readonly surroundings: readonly string[];
}

interface Field {
  readonly key: keyof ToolWords;
  readonly weight: number;
  /** How far a long field counts less, 0 to 1: BM25's b. */
  readonly lengthNorm: number;
  /** Words of a typical one, without stop words. */
  readonly typicalLength: number;
  readonly place: number;
}

const fields: readonly Field[] = [
  { key: "name", weight: 3, lengthNorm: 0.3, typicalLength: 2.7, place: inName },
  { key: "server", weight: 1.5, lengthNorm: 0.1, typicalLength: 1.8, place: inServer },
  { key: "description", weight: 1, lengthNorm: 0.6, typicalLength: 14, place: 0 },
  { key: "parameterNames", weight: 0.6, lengthNorm: 0.6, typicalLength: 5, place: 0 },
  { key: "parameterDescriptions", weight: 0.3, lengthNorm: 0.6, typicalLength: 28, place: 0 },
  { key: "surroundings", weight: 0.3, lengthNorm: 0.6, typicalLength: 3, place: 0 },
];

export interface TermWeight {
  /** 0 to 1: BM25F's saturated frequency. */
  share: number;
  /** `inName` and `inServer`, added up. */
  places: number;
}

function addField(terms: Map<string, TermWeight>, field: Field, words: readonly string[]): void {
  const { weight, lengthNorm, typicalLength, place } = field;
  const each = weight / (1 - lengthNorm + (lengthNorm * words.length) / typicalLength);
  for (const word of words) {
    const term = toTerm(word);
    const found = terms.get(term);
    if (found === undefined) {
      terms.set(term, { share: each, places: place });
    } else {
      found.share += each;
      found.places |= place;
    }
  }
}

/** The words that all tools of a server share. */
export function readServer({ name, description }: SearchableServer): Pick<ToolWords, "server" | "surroundings"> {
  return { server: toWords(name), surroundings: toContentWords(description ?? "") };
}

function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.map((text) => text?.slice(0, maxTextLength) ?? "").join(" ");
}

export function readTool(server: ReturnType<typeof readServer>, tool: SearchableTool): ToolWords {
  const parameters = tool.parameters.slice(0, maxParameters);
  const category = tool.category === undefined ? [] : toContentWords(tool.category);
  return {
    server: server.server,
    surroundings: [...category, ...server.surroundings],
    name: toWords(tool.name),
    description: toContentWords(tool.description ?? ""),
    parameterNames: toContentWords(joinTexts(parameters.map(({ name }) => name))),
    parameterDescriptions: toContentWords(joinTexts(parameters.map(({ description }) => description))),
  };
}

/** The terms of a tool with their weights. */
export function weighTerms(words: ToolWords): Map<string, TermWeight> {
  const terms = new Map<string, TermWeight>();
  for (const field of fields) addField(terms, field, words[field.key]);
  for (const found of terms.values()) found.share /= k1 + found.share;
  return terms;
}

/** What the meaning of a tool is made of. */
export function toEmbeddedWords({ name, server, description, parameterNames }: ToolWords): string[] {
  return [...server, ...name, ...description, ...parameterNames].filter((word) => !isStopWord(word));
}
