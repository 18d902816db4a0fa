// Keeps the published document up to date: changes of a moment are taken together, rendered once, and swapped in whole
// when every encoding is ready. Nothing is done on a request (CAT-8).
import type { SlugConflict } from "../../plan/catalogue.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ResourceSource } from "../source/source.ts";
import { encodeDocument, renderDocument, type EncodedDocument } from "./document.ts";
import type { Listing } from "./listing.ts";

/** Within this time after the first change, further ones join it. */
const coalesceMs = 5;

export interface Publisher {
  /** undefined before the first sync. */
  current(): EncodedDocument | undefined;
  conflicts(): readonly SlugConflict[];
  start(): void;
  /** After it resolves nothing is rendered any more. */
  stop(): Promise<void>;
}

export interface PublisherOptions {
  source: Pick<ResourceSource, "state" | "onChange">;
  list: () => Listing;
  /** Hears of each new listing in the moment from which it is served. */
  onListing?: (listing: Listing) => void;
  log: Logger;
}

export function createPublisher(options: PublisherOptions): Publisher {
  return new CataloguePublisher(options);
}

class CataloguePublisher implements Publisher {
  readonly #options: PublisherOptions;
  #document: EncodedDocument | undefined;
  #conflicts: readonly SlugConflict[] = [];
  #text = "";
  #changed = false;
  #timer: NodeJS.Timeout | undefined;
  #rendering: Promise<void> | undefined;
  #unsubscribe = () => {};

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  current = () => this.#document;
  conflicts = () => this.#conflicts;

  start(): void {
    this.#unsubscribe = this.#options.source.onChange(() => this.#noteChange());
    this.#noteChange();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#changed = false;
    await this.#rendering;
  }

  #noteChange(): void {
    this.#changed = true;
    if (this.#rendering !== undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#changed = false;
      this.#rendering = this.#render()
        .catch((error: unknown) => this.#options.log.error({ err: error }, "catalogue could not be rendered"))
        .finally(() => {
          this.#rendering = undefined;
          if (this.#changed) this.#noteChange();
        });
    }, coalesceMs);
  }

  async #render(): Promise<void> {
    const { phase, since } = this.#options.source.state();
    // What is known so far may be a part of the whole; a client would take it for all there is.
    if (phase === "starting") return;
    const { list, onListing, log } = this.#options;
    const listing = list();
    this.#conflicts = listing.conflicts;
    const text = renderDocument(listing.servers, phase === "degraded" ? since : undefined);
    if (text === this.#text) return;
    this.#document = await encodeDocument(text);
    this.#text = text;
    onListing?.(listing);
    log.debug({ servers: listing.servers.length, bytes: text.length, phase }, "catalogue published");
  }
}
