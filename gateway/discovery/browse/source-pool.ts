// The sources of a browser while it runs: opened when they are first asked, each asked for so long and no longer, what they answered kept
// for a while, and no more at one time than a gateway has room for.
import type { BrowseSource } from "../../../crds/gateway-config.ts";
import type { OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { untilAborted } from "../../../lib/process/until-aborted.ts";
import { lineOf } from "./listing.ts";
import { openSource, type ConfiguredSource } from "./open-source.ts";
import type { Source, SourcePage } from "./source.ts";
import { SourceFailed } from "./source-client.ts";

const sourceTimeoutMs = 3_000;
const keptMs = 60_000;
const maxKept = 128;
/** Browses and look-ups at one time: each asks every source. */
const maxRunning = 8;

/** There are too many at the same time. */
export class BrowserBusy extends Error {
  override readonly name = "BrowserBusy";
}

export interface SourceReport {
  readonly source: Pick<BrowseSource, "name" | "kind">;
  /** Why it is not among the answers; undefined: it is. */
  readonly problem?: string | undefined;
  readonly count: number;
  readonly leftOut: number;
}

export interface BrowserParts {
  /** In the order in which they are listed. */
  readSources: () => Promise<readonly ConfiguredSource[]>;
  clock: Clock;
  /** For tests. */
  openFetch?: OpenFetch;
}

interface Asked {
  query: string;
  size: number;
  at: string | undefined;
}

export class SourcePool {
  readonly #parts: BrowserParts;
  readonly #kept = new Map<string, { page: SourcePage; untilMs: number }>();
  #opened: Promise<readonly Source[]> | undefined;
  #running = 0;

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  sources(): Promise<readonly Source[]> {
    const { readSources, openFetch } = this.#parts;
    this.#opened ??= readSources().then((all) => all.map((each) => openSource(each, openFetch)));
    return this.#opened;
  }

  /** Their configuration is read anew when they are asked again. What is still being asked fails. */
  async closeSources(): Promise<void> {
    const before = this.#opened;
    this.#opened = undefined;
    this.#kept.clear();
    const opened = (await before?.catch(() => undefined)) ?? [];
    await Promise.all(opened.map((each) => each.close()));
  }

  /** Throws BrowserBusy. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= maxRunning) {
      throw new BrowserBusy(`${maxRunning} others are looking at this time: try again in a moment`);
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  /** What a source answers in time, or why it does not. */
  async ask<Result>(
    { name, kind }: Source,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ result?: Result; report: SourceReport }> {
    const controller = new AbortController();
    const late = new SourceFailed(`gave no answer within ${sourceTimeoutMs / 1000} s`);
    const timer = this.#parts.clock.schedule(sourceTimeoutMs, () => controller.abort(late));
    const report = { source: { name, kind }, count: 0, leftOut: 0 };
    try {
      return { result: await untilAborted(work(controller.signal), controller.signal), report };
    } catch (error) {
      if (!(error instanceof SourceFailed)) throw error;
      return { report: { ...report, problem: lineOf(error.message) } };
    } finally {
      timer.cancel();
    }
  }

  async readPage(source: Source, { query, size, at }: Asked, signal: AbortSignal): Promise<SourcePage> {
    const { clock } = this.#parts;
    const key = JSON.stringify([source.name, query, size, at]);
    const known = this.#kept.get(key);
    if (known !== undefined && known.untilMs > clock.now()) return known.page;
    const page = await source.search(query, { size, at }, signal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= maxKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { page, untilMs: clock.now() + keptMs });
    return page;
  }
}
