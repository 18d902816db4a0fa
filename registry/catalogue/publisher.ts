// Keeps the published document up to date: changes of a moment are taken together and rendered once. Nothing is done on
// a request (CAT-8).
import type { SlugConflict } from "../../plan/catalogue.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ResourceSource } from "../source/source.ts";
import { renderDocument, type EncodedDocument } from "./document.ts";
import type { Listing } from "./listing.ts";
import { LiveDocument } from "./live-document.ts";
import { catalogueServedAs } from "./routes.ts";

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
  /** Hears of each new listing before it is served; a throw leaves the last document. */
  onListing?: (listing: Listing) => void;
  log: Logger;
}

export function createPublisher(options: PublisherOptions): Publisher {
  return new CataloguePublisher(options);
}

class CataloguePublisher implements Publisher {
  readonly #options: PublisherOptions;
  readonly #document: LiveDocument;
  #conflicts: readonly SlugConflict[] = [];
  #listed: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = () => {};

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#document = new LiveDocument(catalogueServedAs, options.log);
  }

  current = () => this.#document.current();
  conflicts = () => this.#conflicts;

  start(): void {
    this.#unsubscribe = this.#options.source.onChange(() => this.#noteChange());
    this.#noteChange();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#document.settled();
  }

  #noteChange(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#render();
      } catch (error) {
        this.#options.log.error({ err: error }, "catalogue could not be rendered");
      }
    }, coalesceMs);
  }

  #render(): void {
    const { phase, since } = this.#options.source.state();
    // What is known so far may be a part of the whole; a client would take it for all there is.
    if (phase === "starting") return;
    const { list, onListing, log } = this.#options;
    const listing = list();
    this.#conflicts = listing.conflicts;
    const text = renderDocument(listing.servers, phase === "degraded" ? since : undefined);
    if (text === this.#listed) return;
    onListing?.(listing);
    this.#document.set(text);
    this.#listed = text;
    log.debug({ servers: listing.servers.length, bytes: text.length, phase }, "catalogue published");
  }
}
