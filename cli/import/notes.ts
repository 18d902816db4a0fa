// What is said of an import: faults, which keep anything from being written; warnings, where a person has to do
// something; notes, for what was changed on the way. Kept in the order of finding, and never without end.
import type { Diagnostic } from "../manifests/diagnostic.ts";
import type { Place } from "./field.ts";

/** More than anybody reads; further ones are counted. */
const maxNotes = 1_000;
const maxMessageLength = 1_000;

export interface ImportNote extends Diagnostic {
  /** The resource that it is about: `instance`, or an agent's name. */
  owner?: string;
}

export class Notes {
  readonly all: ImportNote[];
  private readonly owner: string | undefined;

  constructor(all: ImportNote[] = [], owner?: string) {
    this.all = all;
    this.owner = owner;
  }

  /** The same notes, for what is said of one resource. */
  about(owner: string): Notes {
    return new Notes(this.all, owner);
  }

  fault(place: Place, message: string): void {
    this.add("fault", place, message);
  }

  /** Something is not carried over, or needs a person. */
  warn(place: Place, message: string): void {
    this.add("warning", place, message);
  }

  note(place: Place, message: string): void {
    this.add("note", place, message);
  }

  get hasFaults(): boolean {
    return this.all.some(({ severity }) => severity === "fault");
  }

  private add(severity: Diagnostic["severity"], { file, position }: Place, message: string): void {
    if (this.all.length > maxNotes) return;
    const isFull = this.all.length === maxNotes;
    this.all.push({
      severity: isFull ? "fault" : severity,
      file,
      ...(position === undefined ? {} : { position }),
      message: isFull
        ? `more than ${maxNotes} things are to be said; import a part of the project at a time`
        : message.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, maxMessageLength),
      ...(this.owner === undefined ? {} : { owner: this.owner }),
    });
  }
}
