// One server's tools into the catalogue, step by step; and the postings of tools that are gone out of it.
import type { Catalogue, Postings, Segment } from "./catalogue.ts";
import { readServer, readTool, toEmbeddedWords, weighTerms } from "./fields.ts";
import { inName, packPosting } from "./postings.ts";
import type { SearchableServer, SearchableTool, VectorList, WordTable } from "./searchable.ts";
import { toTrigrams } from "./trigrams.ts";
import { createRows, setRow, type Rows } from "./vectors.ts";
import { maxTextLength } from "./tokens.ts";

export interface Plan {
  readonly server: SearchableServer;
  readonly tools: readonly SearchableTool[];
  readonly vectors: VectorList | undefined;
  /** Whether the server was removed meanwhile. */
  isCancelled(): boolean;
}

/** A step of the work reads a text of so many characters at no less than this cost. */
const stepCost = 200;
/** Postings that are swept at the cost of one character. */
const sweptPerCost = 10;
/** Numbers of a vector that are copied at the cost of one character. */
const numbersPerCost = 16;

function costOf({ description, parameters }: SearchableTool): number {
  let characters = Math.min(maxTextLength, description?.length ?? 0);
  for (const parameter of parameters) characters += parameter.name.length + (parameter.description?.length ?? 0);
  return stepCost + Math.min(characters, 3 * maxTextLength);
}

/** Undefined where one is missing, of zeros, or of another width. */
function* copyVectors(vectors: VectorList): Generator<number, Rows | undefined> {
  const rows = createRows(vectors.length, vectors.at(0)?.length ?? 0);
  for (let at = 0; at < vectors.length; at += 1) {
    const vector = vectors.at(at);
    if (vector === undefined) return undefined;
    setRow(rows, at, vector);
    yield 1 + rows.width / numbersPerCost;
  }
  return rows.scales.includes(0) ? undefined : rows;
}

/** Adds the tools and publishes them all at once; what the server had before answers until then. */
export function* buildSegment(catalogue: Catalogue, plan: Plan, words: WordTable | undefined): Generator<number, void> {
  const { server, tools, vectors } = plan;
  const serverWords = readServer(server);
  const slots: number[] = [];
  const nameTerms = new Uint8Array(tools.length);
  const namePieces = new Uint16Array(tools.length);
  const meanings = words === undefined ? undefined : createRows(tools.length, words.width);
  let published = false;
  try {
    for (const [at, tool] of tools.entries()) {
      if (plan.isCancelled()) return;
      const slot = catalogue.slots.take();
      slots.push(slot);
      const read = readTool(serverWords, tool);
      for (const [term, { share, places }] of weighTerms(read)) {
        catalogue.terms.add(term, packPosting(slot, share, places));
        if ((places & inName) !== 0 && nameTerms[at] !== 255) nameTerms[at] = (nameTerms[at] ?? 0) + 1;
      }
      const pieces = toTrigrams(tool.name);
      namePieces[at] = pieces.size;
      for (const piece of pieces) catalogue.pieces.add(piece, packPosting(slot, 1, 0));
      const meaning = words?.embed(toEmbeddedWords(read));
      if (meanings !== undefined && meaning !== undefined) setRow(meanings, at, meaning);
      yield costOf(tool);
    }
    const outside = vectors === undefined ? undefined : yield* copyVectors(vectors);
    if (plan.isCancelled()) return;
    const names = tools.map(({ name }) => name);
    const serverPieces = toTrigrams(server.name);
    const segment: Segment = {
      server: server.name,
      tools: names,
      slots,
      nameTerms,
      namePieces,
      serverPieces,
      meanings,
      outside,
    };
    catalogue.publish(segment);
    published = true;
  } finally {
    if (!published) catalogue.slots.retire(slots);
  }
}

function* sweepLists(catalogue: Catalogue, { lists }: Postings): Generator<number, void> {
  for (const [term, list] of lists) {
    list.sweep(catalogue.slots);
    if (list.length === 0) lists.delete(term);
    yield 1 + list.length / sweptPerCost;
  }
}

/** Drops the postings of tools that are gone, after which their slots are used again. */
export function* sweep(catalogue: Catalogue): Generator<number, void> {
  catalogue.slots.beginSweep();
  yield* sweepLists(catalogue, catalogue.terms);
  yield* sweepLists(catalogue, catalogue.pieces);
  catalogue.slots.endSweep();
}
