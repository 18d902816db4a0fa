// Reads the keys of one mapping, each by the schema of what it becomes. What does not fit is reported and left out, and so is
// every key that nobody has read, so that nothing is dropped unseen.
import * as z from "zod";
import { suggestion } from "../../crds/did-you-mean.ts";
import { describeForm, emptyMap, plainOf, type Field, type Place } from "./field.ts";
import type { LeftOut } from "./left-out.ts";
import type { Notes } from "./notes.ts";

export interface Placed<T> {
  value: T;
  place: Place;
  isSecret: boolean;
}

/** Text, or a number that stands for one. */
export const text = z.union([z.string(), z.number()]).transform(String);

export class MapReader {
  readonly place: Place;
  readonly notes: Notes;
  /** As it stands before keys in messages; empty for the whole file. */
  readonly name: string;
  readonly #left: Map<string, Field>;
  readonly #known = new Set<string>();

  constructor(field: Field, name: string, notes: Notes) {
    this.place = field.place;
    this.name = name;
    this.notes = notes;
    this.#left = new Map(field.kind === "map" ? field.entries : []);
    if (field.kind !== "map" && isThere(field)) this.#mistaken(name, field, "expected a mapping");
  }

  /** A key by itself; undefined when it is not there, or empty. */
  take(key: string): Field | undefined {
    const field = this.#left.get(key);
    this.#left.delete(key);
    this.#known.add(key);
    return field !== undefined && isThere(field) ? field : undefined;
  }

  /** Whether a key is there, not taken yet, and not empty. */
  has(key: string): boolean {
    const field = this.#left.get(key);
    return field !== undefined && isThere(field);
  }

  /** A value that a schema takes and that may be shown. */
  read<T>(key: string, schema: z.ZodType<T>, expected?: string): Placed<T> | undefined {
    const field = this.take(key);
    if (field?.isSecret !== true) return this.#parse(key, field, schema, expected);
    const message = `${this.path(key)}: not carried over: it is among the secrets; move it to the settings if it is not one`;
    this.notes.warn(field.place, message);
    return undefined;
  }

  text = (key: string): Placed<string> | undefined => this.read(key, text, "text");
  flag = (key: string): boolean | undefined => this.read(key, z.boolean(), "true or false")?.value;

  /** Text that may come from a file of secrets: its value goes into no manifest, unless it is a URL without a key. */
  secretText = (key: string): Placed<string> | undefined => this.#parse(key, this.take(key), text, "text");

  /** A list of texts; an item of another form is reported and left out. */
  texts(key: string): Placed<string>[] {
    const field = this.take(key);
    if (field === undefined) return [];
    if (field.kind === "list") {
      return field.items.flatMap((item, at) => this.#parse(`${key}[${at}]`, item, z.string(), "text") ?? []);
    }
    this.#mistaken(this.path(key), field, "expected a list");
    return [];
  }

  /** A mapping inside; empty when it is not there. */
  map(key: string): MapReader {
    const { place } = this.#left.get(key) ?? this;
    return new MapReader(this.take(key) ?? emptyMap(place), this.path(key), this.notes);
  }

  /** The keys that nobody has asked for yet. */
  get keys(): string[] {
    return [...this.#left.keys()];
  }

  /** Says of each key that nobody has asked for why it is not carried over. */
  finish(leftOut: LeftOut = new Map()): void {
    for (const [key, field] of this.#left) {
      const known = leftOut.get(key);
      const isUnset = !isThere(field) || (field.kind === "scalar" && field.value === false);
      if (known !== undefined && isUnset) continue;
      const unknown = `not a known key${suggestion(key, [...this.#known, ...leftOut.keys()])}; correct or remove it`;
      const { severity, reason } = known ?? { severity: "warn", reason: unknown };
      this.notes[severity](field.place, `${this.path(key)}: not carried over: ${reason}`);
    }
    this.#left.clear();
  }

  path = (key: string): string => (this.name === "" ? key : `${this.name}.${key}`);

  #parse<T>(key: string, field: Field | undefined, schema: z.ZodType<T>, expected?: string): Placed<T> | undefined {
    if (field === undefined) return undefined;
    const value = plainOf(field);
    const result = schema.safeParse(value);
    if (value !== undefined && result.success) {
      return { value: result.data, place: field.place, isSecret: field.isSecret === true };
    }
    const issue = result.error?.issues[0]?.message ?? "expected another value";
    return this.#mistaken(this.path(key), field, expected === undefined ? issue : `expected ${expected}`);
  }

  #mistaken(path: string, field: Field, expected: string): undefined {
    const found = field.kind === "opaque" ? field.why : `${expected}, found ${describeForm(field)}`;
    this.notes.warn(field.place, `${path}: not carried over: ${found}; write the value into the manifest`);
  }
}

const isThere = (field: Field): boolean => field.kind !== "scalar" || field.value !== null;
