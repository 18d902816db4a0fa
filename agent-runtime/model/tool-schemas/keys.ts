// Names of properties that a vendor refuses (`filter[id]`, `$top`), replaced by names it takes, and put back into what the model
// wrote. A replaced name is never one that the schema has elsewhere.
import { isRecord, mapChildren, type Schema } from "./schema.ts";

export interface KeyRules {
  /** What the properties of the root may be called. */
  root: RegExp;
  /** What all others may be called; without it whatever is well-formed text. */
  nested?: RegExp;
}

/** Given name → the tool's own. */
export type OriginalKeys = ReadonlyMap<string, string>;

const maxNameChars = 56;
const maxDepth = 100;

export function renameKeys(root: Schema, rules: KeyRules): { schema: Schema; originalKeys: OriginalKeys } {
  const taken = new Set<string>();
  collect(root, taken);
  const given = new Map<string, string>();
  const rename = (name: string, isRoot: boolean) => {
    const rule = isRoot ? rules.root : rules.nested;
    if (name.isWellFormed() && (rule === undefined || rule.test(name))) return name;
    const known = given.get(name);
    if (known !== undefined) return known;
    const base = name
      .replaceAll(/[^a-zA-Z0-9_]/g, "_")
      .replace(/^(?=\d|$)/, "_")
      .slice(0, maxNameChars);
    let free = base;
    for (let count = 2; taken.has(free); count += 1) free = `${base}_${count}`;
    taken.add(free);
    given.set(name, free);
    return free;
  };
  const change = (node: Schema, isRoot: boolean): Schema => {
    const copy = mapChildren(node, (child) => change(child, false));
    const { properties, required } = copy;
    if (properties !== undefined) {
      const entries = Object.entries(properties).map(([name, child]) => [rename(name, isRoot), child]);
      copy.properties = Object.fromEntries(entries);
    }
    if (required !== undefined) copy.required = required.map((name) => rename(name, isRoot));
    return copy;
  };
  const schema = change(root, true);
  return { schema, originalKeys: new Map([...given].map(([name, free]) => [free, name])) };
}

function collect(node: Schema, names: Set<string>): void {
  for (const name of [...Object.keys(node.properties ?? {}), ...(node.required ?? [])]) names.add(name);
  mapChildren(node, (child) => {
    collect(child, names);
    return child;
  });
}

/** The arguments under the tool's own names. */
export function restoreKeys(args: unknown, originalKeys: OriginalKeys, depth = 0): unknown {
  if (originalKeys.size === 0 || depth > maxDepth) return args;
  if (Array.isArray(args)) return args.map((each) => restoreKeys(each, originalKeys, depth + 1));
  if (!isRecord(args)) return args;
  const entries = Object.entries(args).map(([name, value]) => [
    originalKeys.get(name) ?? name,
    restoreKeys(value, originalKeys, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
