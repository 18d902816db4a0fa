// Did you mean: names of tools like one that nobody has, half by their three-letter pieces and half by their words.
import type { Catalogue } from "./catalogue.ts";
import { slotOf } from "./postings.ts";
import { addWords, createVerdicts, insert, lookUp, type Candidate } from "./scores.ts";
import type { Accept } from "./searchable.ts";
import { slotState } from "./slots.ts";
import { toTerm, toWords } from "./tokens.ts";
import { dice, maxNameLength, toTrigrams } from "./trigrams.ts";

/** Names less alike than this are not worth being said. */
const minSimilarity = 0.25;
const maxSuggestions = 20;
/** Places at which a name may be divided into a server's and a tool's. */
const maxDivisions = 4;
/** Part of the similarity that the server's name has, where the name has one. */
const serverPart = 0.3;

export interface Suggestion {
  readonly server: string;
  readonly tool: string;
  /** 0 to 1. */
  readonly similarity: number;
}

interface Reading {
  readonly server: string | undefined;
  readonly tool: string;
}

/** A tool's name may itself have `__`: every division is tried, and none. */
function readName(name: string): Reading[] {
  const bare = (name.startsWith("mcp__") ? name.slice("mcp__".length) : name).slice(0, maxNameLength);
  const readings: Reading[] = [{ server: undefined, tool: bare }];
  for (let at = bare.indexOf("__", 1); at !== -1 && readings.length <= maxDivisions; at = bare.indexOf("__", at + 1)) {
    readings.push({ server: bare.slice(0, at), tool: bare.slice(at + 2) });
  }
  return readings;
}

function countInCommon(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let count = 0;
  for (const piece of left) if (right.has(piece)) count += 1;
  return count;
}

/** For each slot how many pieces of the name its tool's has. */
function countPieces(catalogue: Catalogue, pieces: ReadonlySet<string>): Uint16Array {
  const counts = new Uint16Array(catalogue.slots.states.length);
  for (const piece of pieces) {
    const list = catalogue.pieces.lists.get(piece);
    if (list === undefined) continue;
    for (let at = 0; at < list.length; at += 1) {
      const slot = slotOf(list.entries[at] ?? 0);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
  }
  return counts;
}

/** Of tools that are accepted: others have no influence. */
function findMost({ slots }: Catalogue, scores: Float32Array, isAccepted: (slot: number) => boolean): number {
  let most = 0;
  for (let slot = 0; slot < slots.end; slot += 1) {
    const score = scores[slot] ?? 0;
    if (score > most && slots.states[slot] === slotState.live && isAccepted(slot)) most = score;
  }
  return most;
}

/** Similarities by slot under one reading; into `similarities` go those that are larger than what is there. */
function compare(
  catalogue: Catalogue,
  { server, tool }: Reading,
  similarities: Float32Array,
  isAccepted: (slot: number) => boolean,
): void {
  const pieces = toTrigrams(tool);
  const counts = countPieces(catalogue, pieces);
  const byWords = new Float32Array(counts.length);
  addWords(lookUp(catalogue, [...new Set(toWords(tool).map(toTerm))]), byWords);
  const most = findMost(catalogue, byWords, isAccepted);
  const serverPieces = server === undefined ? undefined : toTrigrams(server);
  const { namePieces } = catalogue.slots;
  for (const segment of catalogue.segments.values()) {
    const common = serverPieces === undefined ? 0 : countInCommon(serverPieces, segment.pieces);
    const serverAlike = dice(common, serverPieces?.size ?? 0, segment.pieces.size);
    for (const slot of segment.slots) {
      const byPieces = dice(counts[slot] ?? 0, pieces.size, namePieces[slot] ?? 0);
      const alike = (byPieces + (most === 0 ? 0 : (byWords[slot] ?? 0) / most)) / 2;
      const similarity = server === undefined ? alike : (1 - serverPart) * alike + serverPart * serverAlike;
      if (similarity > (similarities[slot] ?? 0)) similarities[slot] = similarity;
    }
  }
}

/** Names like an unknown one, most alike first. What is not accepted is not said. */
export function suggest(
  catalogue: Catalogue,
  name: string,
  { limit, accept }: { limit: number; accept?: Accept },
): Suggestion[] {
  const { slots } = catalogue;
  const similarities = new Float32Array(slots.states.length);
  const isAccepted = createVerdicts(slots, accept);
  for (const reading of readName(name)) compare(catalogue, reading, similarities, isAccepted);
  const wanted = Math.max(0, Math.min(maxSuggestions, Math.trunc(limit)));
  const best: Candidate[] = [];
  if (!(wanted > 0)) return [];
  let least = minSimilarity;
  for (let slot = 0; slot < slots.end; slot += 1) {
    const score = similarities[slot] ?? 0;
    if (score <= least || !isAccepted(slot)) continue;
    insert(best, { slot, score }, wanted);
    if (best.length === wanted) least = best.at(-1)?.score ?? least;
  }
  return best.map(({ slot, score }) => ({
    server: slots.segments[slot]?.server ?? "",
    tool: slots.names[slot] ?? "",
    similarity: Math.min(1, score),
  }));
}
