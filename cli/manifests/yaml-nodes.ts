// The places of keys and values in a YAML text, from the parser's events. It refuses what would make reading run away:
// aliases that contain themselves, and documents that aliases blow up beyond a limit.
import { EVENT_ID, getScalarValue, type Event } from "js-yaml";

export interface YamlNode {
  /** Where its value begins; of a mapping in block style, its first key. */
  offset: number;
  items: YamlNode[];
  entries: { key: string; keyOffset: number; node: YamlNode }[];
  /** Nodes in it when aliases are written out. */
  size: number;
}

/** Values in one document, with aliases written out. */
export const maxNodes = 1_000_000;

export class YamlShapeError extends Error {
  override readonly name = "YamlShapeError";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The root of each document, undefined for an empty one. */
export function buildNodes(events: readonly Event[], source: string): (YamlNode | undefined)[] {
  const builder = new NodeBuilder(events, source);
  const roots: (YamlNode | undefined)[] = [];
  while (builder.hasMore) roots.push(builder.document());
  return roots;
}

class NodeBuilder {
  readonly #events: readonly Event[];
  readonly #source: string;
  #at = 0;
  /** "open" while the anchored node is still being read. */
  #anchors = new Map<string, YamlNode | "open">();

  constructor(events: readonly Event[], source: string) {
    this.#events = events;
    this.#source = source;
  }

  get hasMore(): boolean {
    return this.#at < this.#events.length;
  }

  document(): YamlNode | undefined {
    this.#anchors = new Map();
    return this.#children({ ...newNode(0), size: 0 }, false).items.at(-1);
  }

  /** Reads one value; `fallback` is its place when the text has none, as the value of `key:`. */
  #node(fallback: number): YamlNode {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING) {
      const node = newNode(event.start >= 0 ? event.start : fallback);
      this.#remember(event, "open");
      this.#children(node, event.type === EVENT_ID.MAPPING);
      this.#remember(event, node);
      return node;
    }
    this.#at += 1;
    if (event?.type === EVENT_ID.ALIAS) return this.#alias(event.anchorStart, event.anchorEnd);
    const node = newNode(fallback);
    if (event?.type === EVENT_ID.SCALAR) {
      if (event.valueStart >= 0 && event.valueEnd > event.valueStart) node.offset = event.valueStart;
      if (event.style === 2 || event.style === 3) node.offset = event.valueStart - 1; // the opening quote
      this.#remember(event, node);
    }
    return node;
  }

  /** From the event that opens a document, a list or a mapping to the one that closes it. */
  #children(node: YamlNode, isMapping: boolean): YamlNode {
    this.#at += 1;
    while (this.hasMore && this.#events[this.#at]?.type !== EVENT_ID.POP) {
      const event = this.#events[this.#at];
      const keyOffset = isMapping ? this.#node(node.offset).offset : node.offset;
      const child = this.#node(keyOffset);
      const key = event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#source, event) : "?";
      if (isMapping) node.entries.push({ key, keyOffset, node: child });
      else node.items.push(child);
      node.size += child.size;
      if (node.size > maxNodes) throw new YamlShapeError(tooMany, node.offset);
    }
    this.#at += 1;
    return node;
  }

  #remember(event: { anchorStart: number; anchorEnd: number }, node: YamlNode | "open"): void {
    if (event.anchorStart >= 0) this.#anchors.set(this.#source.slice(event.anchorStart, event.anchorEnd), node);
  }

  #alias(start: number, end: number): YamlNode {
    const found = this.#anchors.get(this.#source.slice(start, end));
    if (found !== "open") return { ...(found ?? newNode(0)), offset: start - 1 };
    throw new YamlShapeError("this alias stands inside what it stands for; write it out", start - 1);
  }
}

const newNode = (offset: number): YamlNode => ({ offset, items: [], entries: [], size: 1 });
const tooMany = `aliases blow this document up to more than ${maxNodes} values; write them out, or use fewer`;

/** Of a field: the key, or where it is a text or number, the value. */
export type FieldPart = "key" | "value";

/**
 * The offset of a field named as problems name it. Keys may have dots in them, so that the longest key that fits wins;
 * a field that is not there is looked for no further than the one around it.
 */
export function locateIn(root: YamlNode, path: string, part: FieldPart): number {
  let node = root;
  let offset = root.offset;
  let rest = path;
  while (rest !== "") {
    const index = /^\[(\d+)\]\.?/.exec(rest);
    if (index) {
      const item = node.items[Number(index[1])];
      if (item === undefined) return offset;
      [node, offset, rest] = [item, item.offset, rest.slice(index[0].length)];
      continue;
    }
    const entry = node.entries.filter(({ key }) => leadsWith(rest, key)).sort((a, b) => b.key.length - a.key.length)[0];
    if (entry === undefined) return offset;
    const isScalar = entry.node.items.length + entry.node.entries.length === 0;
    [node, offset] = [entry.node, isScalar && part === "value" ? entry.node.offset : entry.keyOffset];
    rest = rest.slice(entry.key.length).replace(/^\./, "");
  }
  return offset;
}

const leadsWith = (path: string, key: string): boolean =>
  path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
