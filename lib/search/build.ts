// One server's tools into the catalogue, step by step; and the postings of tools that are gone out of it.
import type { Catalogue, Postings } from "./catalogue.ts";
import { readServer, readTool, toEmbeddedWords, weighTerms } from "./fields.ts";
import { inName, packPosting } from "./postings.ts";
import type { SearchableServer, SearchableTool, VectorList, WordTable } from "./searchable.ts";
import { maxTextLength } from "./tokens.ts";
import { toTrigrams } from "./trigrams.ts";

export interface Plan {
  readonly server: SearchableServer;
  readonly tools: readonly SearchableTool[];
  /** One a tool, all of one width. */
  readonly vectors: VectorList | undefined;
}

/** What a tool costs besides the characters that are read. */
const toolCost = 200;
/** Postings that are swept at the cost of one character. */
const sweptPerCost = 10;

function costOf({ description, parameters }: SearchableTool): number {
  let characters = Math.min(maxTextLength, description?.length ?? 0);
  for (const parameter of parameters) characters += parameter.name.length + (parameter.description?.length ?? 0);
  return toolCost + Math.min(characters, 3 * maxTextLength);
}

function addTool(
  catalogue: Catalogue,
  serverWords: ReturnType<typeof readServer>,
  tool: SearchableTool,
  words: WordTable | undefined,
): number {
  const { slots, meanings } = catalogue;
  const slot = slots.take(tool.name);
  const read = readTool(serverWords, tool);
  let nameTerms = 0;
  for (const [term, { share, places }] of weighTerms(read)) {
    catalogue.terms.add(term, packPosting(slot, share, places));
    if ((places & inName) !== 0) nameTerms += 1;
  }
  slots.nameTerms[slot] = Math.min(255, nameTerms);
  const pieces = toTrigrams(tool.name);
  slots.namePieces[slot] = pieces.size;
  for (const piece of pieces) catalogue.pieces.add(piece, packPosting(slot, 1, 0));
  meanings?.set(slot, words?.embed(toEmbeddedWords(read)));
  return slot;
}

/** Adds the tools and publishes them all at once, unless cancelled; what the server had before answers until then. */
export function* buildSegment(
  catalogue: Catalogue,
  { server, tools, vectors }: Plan,
  context: { readonly words: WordTable | undefined; isCancelled(): boolean },
): Generator<number, void> {
  const serverWords = readServer(server);
  const slots: number[] = [];
  const width = vectors?.at(0)?.length;
  const outside = width === undefined ? undefined : catalogue.outsideOf(width);
  let isWhole = outside !== undefined;
  let published = false;
  try {
    for (const [at, tool] of tools.entries()) {
      if (context.isCancelled()) return;
      const slot = addTool(catalogue, serverWords, tool, context.words);
      slots.push(slot);
      if (outside?.set(slot, vectors?.at(at)) === false) isWhole = false;
      yield costOf(tool) + (width ?? 0);
    }
    if (context.isCancelled()) return;
    const outsideWidth = isWhole ? width : undefined;
    catalogue.publish({ server: server.name, slots, pieces: toTrigrams(server.name), outsideWidth });
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
  catalogue.dropUnusedWidths();
}
