// What is known of all servers: which tools have which terms, pieces of names and vectors, and the segment of each server.
import { PostingList } from "./posting-list.ts";
import { Slots, type Segment } from "./slots.ts";
import { Vectors } from "./vectors.ts";

export class Postings {
  readonly lists = new Map<string, PostingList>();

  add(term: string, posting: number): void {
    let list = this.lists.get(term);
    if (list === undefined) {
      list = new PostingList();
      this.lists.set(term, list);
    }
    list.add(posting);
  }
}

/** Vectors of one width from outside, and how many live tools have one. */
interface Outside {
  readonly vectors: Vectors;
  live: number;
}

export class Catalogue {
  readonly segments = new Map<string, Segment>();
  readonly slots = new Slots();
  readonly terms = new Postings();
  readonly pieces = new Postings();
  /** Made by the word table. */
  readonly meanings: Vectors | undefined;
  /** Made elsewhere, by their width. */
  readonly #outside = new Map<number, Outside>();
  /** Changes with what can be found. */
  version = 0;

  /** @param width of the word table's vectors; undefined without one */
  constructor(width: number | undefined) {
    this.meanings = width === undefined ? undefined : new Vectors(width);
  }

  /** The vectors from outside, if every tool has one of the same width. */
  get outside(): Vectors | undefined {
    for (const { vectors, live } of this.#outside.values()) if (live > 0 && live === this.slots.live) return vectors;
    return undefined;
  }

  /** Where vectors of that width belong. */
  outsideOf(width: number): Vectors {
    return this.#outsideOf(width).vectors;
  }

  publish(segment: Segment): void {
    this.remove(segment.server);
    this.segments.set(segment.server, segment);
    this.slots.publish(segment);
    if (segment.outsideWidth !== undefined) this.#outsideOf(segment.outsideWidth).live += segment.slots.length;
    this.version += 1;
  }

  remove(server: string): void {
    const segment = this.segments.get(server);
    if (segment === undefined) return;
    this.segments.delete(server);
    this.slots.retire(segment.slots);
    this.version += 1;
    if (segment.outsideWidth === undefined) return;
    this.#outsideOf(segment.outsideWidth).live -= segment.slots.length;
  }

  /** Forgets vectors from outside of widths that no tool has any more. */
  dropUnusedWidths(): void {
    for (const [width, { live }] of this.#outside) if (live === 0) this.#outside.delete(width);
  }

  #outsideOf(width: number): Outside {
    let outside = this.#outside.get(width);
    if (outside === undefined) {
      outside = { vectors: new Vectors(width), live: 0 };
      this.#outside.set(width, outside);
    }
    return outside;
  }
}
