// Browsing: every configured source is asked at the same time, each for so long and no longer, and what has answered by then is the
// answer, with a word on each that has not (DSC-7). Nobody is asked but the sources that are configured.
import type { BrowseSource } from "../../../crds/gateway-config.ts";
import { defined } from "../../../lib/process/defined.ts";
import { maxQueryChars, type Cursor, type Place } from "./cursor.ts";
import type { Listing } from "./listing.ts";
import { takeByTurns, uniqueByName } from "./merge.ts";
import type { Source, SourcePage } from "./source.ts";
import { SourcePool, type BrowserParts, type SourceReport } from "./source-pool.ts";

/** A page of any source. */
const maxPage = 100;

export interface Browsed {
  readonly listings: readonly Listing[];
  readonly reports: readonly SourceReport[];
  /** Undefined: there is no more. */
  readonly next?: Cursor | undefined;
}

export interface Browser {
  /** Whether there is a source at all. */
  hasSources(): Promise<boolean>;
  /** Throws BrowserBusy. */
  browse(asked: { query: string; limit: number; cursor?: Cursor | undefined }): Promise<Browsed>;
  /**
   * The server of that name, from the first of the sources that has it.
   * @param source name of a source, or a kind, of which each source is asked
   */
  find(name: string, source: string): Promise<{ listing?: Listing | undefined; reports: readonly SourceReport[] }>;
  /** Reads the configuration of the sources anew, forgets what they answered, and asks each whether it is there. */
  sync(): Promise<readonly SourceReport[]>;
  close(): Promise<void>;
}

/** Other words for a kind. */
const kindWords = new Map<string, BrowseSource["kind"]>([["registry", "mcp-registry"]]);

interface Asked {
  query: string;
  limit: number;
  cursor?: Cursor | undefined;
}

export function createBrowser(parts: BrowserParts): Browser {
  const pool = new SourcePool(parts);
  return {
    hasSources: async () => (await pool.sources()).length > 0,
    browse: (asked) => pool.exclusively(() => browseAll(pool, asked)),
    find: (name, wanted) =>
      pool.exclusively(async () => {
        const all = await pool.sources();
        const named = all.filter((each) => each.name === wanted);
        const kind = kindWords.get(wanted) ?? wanted;
        const asked = named.length > 0 ? named : all.filter((each) => each.kind === kind);
        const answers = await Promise.all(
          asked.map((source) => pool.ask(source, (signal) => source.find(name, signal))),
        );
        return {
          listing: answers.find(({ result }) => result !== undefined)?.result,
          reports: answers.map(({ report, result }) => ({ ...report, count: result === undefined ? 0 : 1 })),
        };
      }),
    sync: () =>
      pool.exclusively(async () => {
        await pool.closeSources();
        const probe = async (source: Source) => (await pool.ask(source, (signal) => source.probe(signal))).report;
        return await Promise.all((await pool.sources()).map(probe));
      }),
    close: () => pool.closeSources(),
  };
}

/** What one source has from its place on, and how it answered. */
interface Answer {
  readonly result?: SourcePage;
  readonly report: SourceReport;
  readonly place: Place;
  readonly listings: readonly Listing[];
}

async function browseAll(pool: SourcePool, { query: asked, limit, cursor }: Asked): Promise<Browsed> {
  const query = cursor?.query ?? asked.trim().slice(0, maxQueryChars).toWellFormed();
  const going = (await pool.sources()).filter(({ name }) => cursor === undefined || cursor.places.has(name));
  const answers = await Promise.all(
    going.map(async (source): Promise<Answer> => {
      const { at, skip }: Place = cursor?.places.get(source.name) ?? { skip: 0 };
      const size = Math.min(maxPage, skip + limit);
      const answer = await pool.ask(source, (signal) => pool.readPage(source, { query, size, at }, signal));
      const listings = uniqueByName(answer.result?.listings ?? []).slice(skip);
      return { ...answer, place: { ...defined({ at }), skip }, listings };
    }),
  );
  const { taken, counts } = takeByTurns(
    answers.map(({ listings }) => listings),
    limit,
  );
  const countOf = (index: number) => counts[index] ?? 0;
  const reports = answers.map(({ report, result }, index) => ({
    ...report,
    count: countOf(index),
    leftOut: result?.leftOut ?? 0,
  }));
  const places = answers.flatMap((answer, index): [string, Place][] => {
    const next = placeAfter(answer, countOf(index));
    return next === undefined ? [] : [[answer.report.source.name, next]];
  });
  const next = places.length === 0 ? undefined : { query, places: new Map(places) };
  return { listings: taken, reports, next };
}

/** Where a source goes on after so many of its listings; undefined at its end. */
function placeAfter({ result, place, listings }: Answer, count: number): Place | undefined {
  if (count < listings.length) return { ...place, skip: place.skip + count };
  return result?.next === undefined ? undefined : { at: result.next, skip: 0 };
}
