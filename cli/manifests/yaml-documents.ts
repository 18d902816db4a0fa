// One file's text → its YAML documents, each with the place of every field in it. JSON is read the same way.
// A document that cannot be read takes none of its neighbours down: documents are parsed one by one, as kubectl does.
import { boolYaml11Tag, constructFromEvents, CORE_SCHEMA, mergeTag, parseEvents, YAMLException } from "js-yaml";
import { createPositions, type Position } from "./positions.ts";
import { buildNodes, locateIn, YamlShapeError, type FieldPart, type YamlNode } from "./yaml-nodes.ts";

export interface YamlDocument {
  value: unknown;
  root: YamlNode;
  start: Position;
  positionAt(offset: number): Position;
  /** Where a field such as `spec.servers[0].name` stands, or the nearest enclosing one that is there. */
  locate(path: string, part?: FieldPart): Position;
}

export type YamlPart = { ok: true; document: YamlDocument } | { ok: false; position: Position; message: string };

/** kubectl reads y, yes, on, n, no and off as booleans, and merges `<<`; so do we, lest a file mean two things. */
const schema = CORE_SCHEMA.withTags(boolYaml11Tag, mergeTag);

/** Every document of a text that is not empty; kind List is unfolded into its items. */
export function readYamlDocuments(text: string): YamlPart[] {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const positionAt = createPositions(source);
  return splitDocuments(source).flatMap(({ offset, text: chunk }) => readChunk(chunk, (at) => positionAt(offset + at)));
}

function readChunk(chunk: string, positionAt: (offset: number) => Position): YamlPart[] {
  try {
    const events = parseEvents(chunk, {});
    const nodes = buildNodes(events, chunk);
    const values = constructFromEvents(events, { source: chunk, schema });
    return values.flatMap((value, index) => {
      const node = nodes[index];
      return node === undefined || value === null || value === undefined ? [] : unfold(value, node, positionAt);
    });
  } catch (error) {
    if (error instanceof YamlShapeError) {
      return [{ ok: false, position: positionAt(error.offset), message: error.message }];
    }
    if (!(error instanceof YAMLException)) throw error;
    const position = positionAt(error.mark?.position ?? 0);
    return [{ ok: false, position, message: describeSyntaxError(error, chunk) }];
  }
}

function unfold(value: unknown, node: YamlNode, positionAt: (offset: number) => Position): YamlPart[] {
  const items = isList(value) ? node.entries.find(({ key }) => key === "items") : undefined;
  if (isList(value) && items) {
    return value.items.flatMap((item, index) => {
      const child = items.node.items[index];
      return child === undefined ? [] : [toPart(item, child, positionAt)];
    });
  }
  return [toPart(value, node, positionAt)];
}

const isList = (value: unknown): value is { items: unknown[] } =>
  typeof value === "object" &&
  value !== null &&
  Reflect.get(value, "kind") === "List" &&
  Array.isArray(Reflect.get(value, "items"));

const toPart = (value: unknown, node: YamlNode, positionAt: (offset: number) => Position): YamlPart => ({
  ok: true,
  document: {
    value,
    root: node,
    positionAt,
    start: positionAt(node.offset),
    locate: (path, part = "value") => positionAt(locateIn(node, path, part)),
  },
});

function describeSyntaxError({ reason, mark }: YAMLException, chunk: string): string {
  if (reason === "duplicated mapping key") return "this key stands twice in one mapping; remove one of them";
  if (reason.startsWith("nesting exceeded")) {
    return "about 100 mappings and lists stand inside each other here, too many; make the document flatter";
  }
  // Quoted in it is a part of the text, which may be a secret: !x, *x and &x mean something else to YAML.
  const shown = reason.replaceAll(/!<[^>]*>|".*"|: .*/gs, "…");
  const line = mark === undefined ? "" : (chunk.split(/\r\n|\n|\r/)[mark.line] ?? "");
  if (/^ *\t/.test(line)) return `a tab indents this line, and YAML wants spaces; replace it (${shown})`;
  return `not valid YAML: ${shown}; correct it`;
}

/** `---` at the start of a line always begins a document, even inside a block of text. */
function splitDocuments(source: string): { offset: number; text: string }[] {
  const starts = [0, ...[...source.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index)];
  const chunks = starts.map((offset, index) => ({ offset, text: source.slice(offset, starts[index + 1]) }));
  return chunks.filter(({ text }) => text.split(/\r\n|\n|\r/).some((line) => !/^\s*([#%].*|---\s*)?$/.test(line)));
}
