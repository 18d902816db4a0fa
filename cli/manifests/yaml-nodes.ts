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
  while (builder.more()) roots.push(builder.document());
  return roots;
}

class NodeBuilder {
  private readonly events: readonly Event[];
  private readonly source: string;
  private at = 0;
  /** "open" while the anchored node is still being read. */
  private anchors = new Map<string, YamlNode | "open">();

  constructor(events: readonly Event[], source: string) {
    this.events = events;
    this.source = source;
  }

  more = (): boolean => this.at < this.events.length;

  document(): YamlNode | undefined {
    this.at += 1; // the document's own event
    this.anchors = new Map();
    let root: YamlNode | undefined;
    while (this.more() && this.events[this.at]?.type !== EVENT_ID.POP) root = this.node(0);
    this.at += 1;
    return root;
  }

  /** Reads one value; `fallback` is its place when the text has none, as the value of `key:`. */
  private node(fallback: number): YamlNode {
    const event = this.events[this.at];
    this.at += 1;
    if (event?.type === EVENT_ID.ALIAS) return this.alias(event.anchorStart, event.anchorEnd);
    const node: YamlNode = { offset: fallback, items: [], entries: [], size: 1 };
    if (event?.type === EVENT_ID.SCALAR) {
      if (event.valueStart >= 0 && event.valueEnd > event.valueStart) node.offset = event.valueStart;
      if (event.style === 2 || event.style === 3) node.offset = event.valueStart - 1; // the opening quote
      this.remember(event, node);
    } else if (event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING) {
      node.offset = event.start >= 0 ? event.start : fallback;
      this.remember(event, "open");
      this.children(node, event.type === EVENT_ID.MAPPING);
      this.remember(event, node);
    }
    if (node.size > maxNodes) {
      throw new YamlShapeError(
        `aliases blow this document up to more than ${maxNodes} values; write them out, or use fewer`,
        node.offset,
      );
    }
    return node;
  }

  private children(node: YamlNode, isMapping: boolean): void {
    while (this.more() && this.events[this.at]?.type !== EVENT_ID.POP) {
      if (isMapping) {
        const event = this.events[this.at];
        const key = event?.type === EVENT_ID.SCALAR ? getScalarValue(this.source, event) : "?";
        const { offset: keyOffset } = this.node(node.offset);
        const child = this.node(keyOffset);
        node.entries.push({ key, keyOffset, node: child });
        node.size += child.size;
      } else {
        const child = this.node(node.offset);
        node.items.push(child);
        node.size += child.size;
      }
    }
    this.at += 1;
  }

  private remember(event: { anchorStart: number; anchorEnd: number }, node: YamlNode | "open"): void {
    if (event.anchorStart >= 0) this.anchors.set(this.source.slice(event.anchorStart, event.anchorEnd), node);
  }

  private alias(start: number, end: number): YamlNode {
    const name = this.source.slice(start, end);
    const node = this.anchors.get(name);
    if (node === "open") throw new YamlShapeError(`the alias *${name} stands inside what it stands for`, start - 1);
    return { ...(node ?? { items: [], entries: [], size: 1 }), offset: start - 1 };
  }
}

/** Of a field: the key, or where it is a text or number, the value. */
export type FieldPart = "key" | "value";

/**
 * The offset of a field named as faults name it. Keys may have dots in them, so that the longest key that fits wins;
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
