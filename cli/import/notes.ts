// What is said of an import: problems, which keep anything from being written; warnings, where a person has to do
// something; notes, for what was changed on the way. Kept in the order of finding, and never without end.
import type { Diagnostic } from "../manifests/diagnostic.ts";
import type { Place } from "./field.ts";

/** More than anybody reads; further ones are counted. */
const maxNotes = 1_000;
const maxMessageChars = 1_000;

export interface ImportNote extends Diagnostic {
  /** The resource that it is about: `instance`, `server NAME`, or an agent's name. */
  owner: string | undefined;
}

export class Notes {
  readonly all: ImportNote[];
  readonly #owner: string | undefined;

  constructor(all: ImportNote[] = [], owner?: string) {
    this.all = all;
    this.#owner = owner;
  }

  /** The same notes, for what is said of one resource. */
  about = (owner: string): Notes => new Notes(this.all, owner);

  problem = (place: Place, message: string): void => this.#add("error", place, message);
  /** Something is not carried over, or needs a person. */
  warn = (place: Place, message: string): void => this.#add("warning", place, message);
  note = (place: Place, message: string): void => this.#add("note", place, message);

  get problems(): number {
    return this.all.filter(({ severity }) => severity === "error").length;
  }

  #add(severity: Diagnostic["severity"], place: Place, text: string): void {
    if (this.all.length > maxNotes) return;
    const message = text.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, maxMessageChars);
    const tooMany = `more than ${maxNotes} things are to be said; import a part of the project at a time`;
    const note = this.all.length < maxNotes ? { severity, message } : { severity: "error" as const, message: tooMany };
    this.all.push({ ...place, ...note, owner: this.#owner });
  }
}
