// Keys and tokens: where each is referred to, and from which variable it comes. Values are taken from nowhere: a text
// that is more than placeholders is left behind, and gets a variable of its own.
import type { Placed } from "./map-reader.ts";
import { firstFree } from "./names.ts";
import type { Notes } from "./notes.ts";

export interface SecretRef {
  secretKeyRef: { name: string; key: string };
}

export interface SecretKey {
  key: string;
  /** What stands in the Secret: `Bearer ${ARGOS_TOKEN}`. */
  template: string;
  variable: string;
}

/** A placeholder, perhaps with a default, behind the name of a scheme at most. */
const template = /^((?:Bearer|Basic|Token|token|bearer) +)?\$\{([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\}$/;

export class SecretKeys {
  readonly name: string;
  readonly #known = new Map<string, SecretKey>();

  constructor(name: string) {
    this.name = name;
  }

  get all(): SecretKey[] {
    return [...this.#known.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** For a value that the project has; `variable` is used when it does not come from one already. */
  referTo({ value, place }: Placed<string>, key: string, variable: string, notes: Notes): SecretRef {
    const [, scheme = "", name, fallback] = template.exec(value.trim()) ?? [];
    if (fallback !== undefined) notes.note(place, `the default of ${name} is left out; write the value to .env`);
    if (name !== undefined) return this.add(key, scheme, name);
    const taken = new Set(this.all.map((each) => each.variable));
    const own = firstFree(variable, "_", (wanted) => taken.has(wanted));
    notes.warn(place, `the value is left here, since manifests hold no secrets; write it to .env as ${own}`);
    return this.add(key, "", own);
  }

  /** Refers to what a variable holds, behind the name of a scheme. */
  add(wanted: string, scheme: string, variable: string): SecretRef {
    const key = firstFree(wanted, "-", (each) => this.#known.has(each));
    this.#known.set(key, { key, template: `${scheme}\${${variable}}`, variable });
    return { secretKeyRef: { name: this.name, key } };
  }
}
