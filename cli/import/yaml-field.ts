// YAML of a project → a field with the place of everything in it. What the parser says is not repeated, since it quotes
// the text and these files hold keys: only the place and the kind of mistake are told.
import { readYamlDocuments, type Position, type YamlDocument } from "../manifests/yaml-documents.ts";
import type { Field, Place } from "./field.ts";
import type { Notes } from "./notes.ts";

/** Mappings and lists inside each other, and values in one file; more is nobody's settings. */
const maxDepth = 64;
const maxValues = 20_000;

/** The document of a file; undefined when it is empty, or faulty, which is then told. */
export function readYamlField(
  file: string,
  text: string,
  notes: Notes,
  { lineOffset = 0, isSecret = false }: { lineOffset?: number; isSecret?: boolean } = {},
): Field | undefined {
  const moved = ({ line, column }: Position): Position => ({ line: line + lineOffset, column });
  const parts = readYamlDocuments(text);
  for (const part of parts) {
    if (!part.ok) notes.fault({ file, position: moved(part.position) }, sayMistake(part.message));
  }
  const documents = parts.flatMap((part) => (part.ok ? [part.document] : []));
  const [first, second] = documents;
  if (second !== undefined) {
    notes.fault(
      { file, position: moved(second.start) },
      "a second document begins here, and one is expected; remove it",
    );
    return undefined;
  }
  if (first === undefined || documents.length < parts.length) return undefined;
  const place = { file, position: moved(first.start) };
  try {
    const budget = { left: maxValues };
    return toField(first.value, { file, document: first, moved, isSecret, budget, path: "", depth: 0 });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    notes.fault(place, error.message);
    return undefined;
  }
}

class ShapeError extends Error {
  override readonly name = "ShapeError";
}

const sayMistake = (message: string): string =>
  message.startsWith("this key stands twice") ? message : "is not valid YAML here; correct it";

interface Where {
  file: string;
  document: YamlDocument;
  moved: (position: Position) => Position;
  isSecret: boolean;
  budget: { left: number };
  path: string;
  depth: number;
}

function toField(value: unknown, where: Where): Field {
  const { file, document, moved, isSecret, path, depth } = where;
  if (depth >= maxDepth && typeof value === "object" && value !== null) {
    throw new ShapeError(`more than ${maxDepth} mappings and lists stand inside each other; make it flatter`);
  }
  where.budget.left -= 1;
  if (where.budget.left < 0) throw new ShapeError(`has more than ${maxValues} values; import a part of the project`);
  // Looked for only when something is said of it: each time a search from the top.
  const locate = (): Place => ({ file, position: moved(document.locate(path, "key")) });
  const below = (part: string, child: unknown): Field =>
    toField(child, { ...where, path: `${path}${part}`, depth: depth + 1 });
  if (Array.isArray(value)) {
    const items = value.map((item, index) => below(`[${index}]`, item));
    return {
      kind: "list",
      items,
      isSecret,
      get place() {
        return locate();
      },
    };
  }
  if (typeof value === "object" && value !== null) {
    const dot = path === "" ? "" : ".";
    const entries = Object.entries(value).map(([key, child]): [string, Field] => [key, below(`${dot}${key}`, child)]);
    return {
      kind: "map",
      entries: new Map(entries),
      isSecret,
      get place() {
        return locate();
      },
    };
  }
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return {
    kind: "scalar",
    value: isScalar ? value : null,
    isSecret,
    get place() {
      return locate();
    },
  };
}
