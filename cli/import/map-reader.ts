// Reads the keys of one mapping, each by the form it should have. What has another form is said and left out; what
// nobody asked for can be said at the end, so that nothing is dropped unseen.
import { suggestion } from "../../crds/did-you-mean.ts";
import { describeForm, type Field } from "./field.ts";
import type { Notes } from "./notes.ts";

export interface Placed<T> {
  value: T;
  field: Field;
}

export class MapReader {
  readonly field: Field;
  readonly notes: Notes;
  private readonly name: string;
  private readonly left: Map<string, Field>;

  /** @param name of the mapping, as it stands before keys in messages; empty for the whole file */
  constructor(field: Field, name: string, notes: Notes) {
    this.field = field;
    this.name = name;
    this.notes = notes;
    this.left = new Map(field.kind === "map" ? field.entries : []);
    if (field.kind !== "map" && !isNothing(field)) this.mistaken(name, field, "a mapping");
  }

  /** A key by itself; undefined when it is not there, or empty. */
  take(key: string): Field | undefined {
    const field = this.left.get(key);
    this.left.delete(key);
    return field === undefined || isNothing(field) ? undefined : field;
  }

  /** Whether a key is there, not taken yet, and not empty. */
  has(key: string): boolean {
    const field = this.left.get(key);
    return field !== undefined && !isNothing(field);
  }

  private takePublic(key: string): Field | undefined {
    const field = this.take(key);
    if (field?.isSecret !== true) return field;
    const message = `${this.path(key)}: not carried over: it stands among secrets; move it to the settings if it is none`;
    this.notes.warn(field.place, message);
    return undefined;
  }

  /** Text, or a number that stands for one. */
  text(key: string): Placed<string> | undefined {
    return this.textOf(key, this.takePublic(key));
  }

  /** Text that may come from a file of secrets: its value goes into no manifest, unless it is a URL without a key. */
  secretText(key: string): Placed<string> | undefined {
    return this.textOf(key, this.take(key));
  }

  private textOf(key: string, field: Field | undefined): Placed<string> | undefined {
    if (field === undefined) return undefined;
    if (field.kind === "scalar" && (typeof field.value === "string" || typeof field.value === "number")) {
      return { value: String(field.value), field };
    }
    return this.mistaken(this.path(key), field, "text");
  }

  integer(key: string): Placed<number> | undefined {
    const field = this.takePublic(key);
    if (field === undefined) return undefined;
    if (field.kind === "scalar" && Number.isSafeInteger(field.value)) return { value: Number(field.value), field };
    return this.mistaken(this.path(key), field, "a whole number");
  }

  flag(key: string): Placed<boolean> | undefined {
    const field = this.takePublic(key);
    if (field === undefined) return undefined;
    if (field.kind === "scalar" && typeof field.value === "boolean") return { value: field.value, field };
    return this.mistaken(this.path(key), field, "true or false");
  }

  /** A list of texts; an item of another form is said and left out. */
  texts(key: string): Placed<string>[] {
    const field = this.takePublic(key);
    if (field === undefined) return [];
    if (field.kind !== "list") {
      this.mistaken(this.path(key), field, "a list");
      return [];
    }
    return field.items.flatMap((item, at): Placed<string>[] => {
      if (item.kind === "scalar" && typeof item.value === "string") return [{ value: item.value, field: item }];
      this.mistaken(`${this.path(key)}[${at}]`, item, "text");
      return [];
    });
  }

  /** A mapping inside; empty when it is not there. */
  map(key: string): MapReader {
    const field = this.take(key) ?? { kind: "map", entries: new Map(), place: this.field.place };
    return new MapReader(field, this.path(key), this.notes);
  }

  /** The keys that nobody has asked for yet. */
  get keys(): string[] {
    return [...this.left.keys()];
  }

  /** Says of keys that they mean nothing here; those that are not there are not spoken of. */
  leaveOut(reasons: Readonly<Record<string, string>>, severity: "warn" | "note"): void {
    for (const [key, reason] of Object.entries(reasons)) {
      const field = this.left.get(key);
      const isUnset = field === undefined || isNothing(field) || (field.kind === "scalar" && field.value === false);
      if (!isUnset) this.notes[severity](field.place, `${this.path(key)}: not carried over: ${reason}`);
      this.left.delete(key);
    }
  }

  /** Says of every key that is left that it is not known. */
  refuseRest(known: readonly string[]): void {
    for (const [key, field] of this.left) {
      this.notes.warn(
        field.place,
        `${this.path(key)}: not carried over: not a known key${suggestion(key, known)}; correct or remove it`,
      );
    }
    this.left.clear();
  }

  path(key: string): string {
    return this.name === "" ? key : `${this.name}.${key}`;
  }

  private mistaken(path: string, field: Field, expected: string): undefined {
    const found = field.kind === "opaque" ? field.why : `expected ${expected}, found ${describeForm(field)}`;
    this.notes.warn(field.place, `${path}: not carried over: ${found}; write the value into the manifest`);
    return undefined;
  }
}

const isNothing = (field: Field): boolean => field.kind === "scalar" && field.value === null;
