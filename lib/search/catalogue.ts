// What is known of all servers: which tools have which terms and which pieces of names, and the segment of each server.
import { PostingList } from "./posting-list.ts";
import { Slots } from "./slots.ts";
import type { Rows } from "./vectors.ts";

/** The tools of one server, as they were put at one time. */
export interface Segment {
  readonly server: string;
  readonly tools: readonly string[];
  /** Of each tool. */
  readonly slots: readonly number[];
  /** Of each tool: how many terms its name has. */
  readonly nameTerms: Uint8Array;
  /** Of each tool: how many pieces its name has. */
  readonly namePieces: Uint16Array;
  readonly serverPieces: ReadonlySet<string>;
  /** Made by the word table. */
  readonly meanings: Rows | undefined;
  /** Made elsewhere; only if there is one of every tool. */
  readonly outside: Rows | undefined;
}

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

export class Catalogue {
  readonly segments = new Map<string, Segment>();
  readonly slots = new Slots();
  readonly terms = new Postings();
  readonly pieces = new Postings();
  /** Changes with what can be found. */
  version = 0;

  publish(segment: Segment): void {
    const before = this.segments.get(segment.server);
    if (before !== undefined) this.slots.retire(before.slots);
    this.segments.set(segment.server, segment);
    this.slots.publish(segment.slots);
    this.version += 1;
  }

  remove(server: string): void {
    const segment = this.segments.get(server);
    if (segment === undefined) return;
    this.segments.delete(server);
    this.slots.retire(segment.slots);
    this.version += 1;
  }
}
