// All words of the page stand in this folder: what is drawn has none of its own, so that a translation changes one folder.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import * as z from "zod";

const root = join(import.meta.dirname, "..");
/** What people see or hear, of elements and of our own parts. */
const told = new Set([
  "aria-label",
  "aria-description",
  "aria-valuetext",
  "alt",
  "label",
  "placeholder",
  "title",
  "note",
]);
/** Names, which are the same in every language. */
const names = new Set(["Pallas"]);
/** Of keys, as they stand on them; a sign without letters is no word. */
const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);

const nodeSchema = z.looseObject({ type: z.string(), start: z.number() });
type Node = z.output<typeof nodeSchema>;

/** Every node of the tree, and the element that it stands in. */
function* walk(value: unknown, element = ""): Generator<[Node, string]> {
  if (Array.isArray(value)) {
    for (const each of value) yield* walk(each, element);
    return;
  }
  const { data: node } = nodeSchema.safeParse(value);
  if (node === undefined) return;
  yield [node, element];
  // What an attribute's expression holds is no child.
  const inside = node.type === "JSXElement" ? readName(node) : node.type === "JSXAttribute" ? "" : element;
  for (const each of Object.values(node)) if (typeof each === "object") yield* walk(each, inside);
}

const elementSchema = z.looseObject({ openingElement: z.looseObject({ name: z.looseObject({ name: z.string() }) }) });
const readName = (node: Node): string => elementSchema.safeParse(node).data?.openingElement.name.name ?? "";

const textSchema = z.looseObject({ type: z.literal("JSXText"), value: z.string() });
const attributeSchema = z.looseObject({
  type: z.literal("JSXAttribute"),
  name: z.looseObject({ name: z.string() }),
  value: z.looseObject({ type: z.string() }),
});
const literalSchema = z.looseObject({ type: z.literal("Literal"), value: z.string() });

/** The literal texts of an attribute's value: `"x"`, `{"x"}`, `{a ? "x" : "y"}`, `` {`x`} ``. */
function readLiterals(value: unknown): string[] {
  const { data } = literalSchema.safeParse(value);
  if (data !== undefined) return [data.value];
  const choice = z
    .looseObject({ type: z.literal("ConditionalExpression"), consequent: z.unknown(), alternate: z.unknown() })
    .safeParse(value).data;
  if (choice !== undefined) return [...readLiterals(choice.consequent), ...readLiterals(choice.alternate)];
  const template = z
    .looseObject({
      type: z.literal("TemplateLiteral"),
      quasis: z.array(z.looseObject({ value: z.looseObject({ raw: z.string() }) })),
    })
    .safeParse(value).data;
  if (template !== undefined) return template.quasis.map((quasi) => quasi.value.raw);
  const wrapped = z
    .looseObject({ type: z.literal("JSXExpressionContainer"), expression: z.unknown() })
    .safeParse(value);
  return wrapped.success ? readLiterals(wrapped.data.expression) : [];
}

function findTexts(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const at = (node: Node) => `${path}:${source.slice(0, node.start).split("\n").length}`;
  return [...walk(program.body)].flatMap(([node, element]) => {
    const shown = textSchema.safeParse(node).data ?? (element === "" ? undefined : literalChild(node));
    // A key's name is printed on it.
    if (shown !== undefined && element !== "kbd" && hasWord(shown.value) && !names.has(shown.value.trim())) {
      return [`${at(node)}: ${shown.value.trim()}`];
    }
    const { data: attribute } = attributeSchema.safeParse(node);
    if (attribute === undefined || !told.has(attribute.name.name)) return [];
    const words = readLiterals(attribute.value).filter((text) => hasWord(text) && !names.has(text));
    return words.map((text) => `${at(node)}: ${attribute.name.name}="${text}"`);
  });
}

/** `{"text"}` as a child. */
function literalChild(node: Node): { value: string } | undefined {
  if (node.type !== "JSXExpressionContainer") return undefined;
  const texts = readLiterals(node);
  return texts.length === 0 ? undefined : { value: texts.join(" ") };
}

it("finds texts in what is drawn", () => {
  const wrong = [
    "<p>Some text</p>",
    '<p>{"Some text"}</p>',
    '<a aria-label="Some text" />',
    '<a title={isOpen ? "Close it" : words.open} />',
    "<a placeholder={`${count} of them`} />",
  ];
  for (const each of wrong) expect(findTexts("x.tsx", `const x = ${each};`), each).not.toEqual([]);
  const right = [
    "<b>Pallas</b>",
    "<kbd>Ctrl K</kbd>",
    "<p>{words.text} · {count}</p>",
    '<a class="some thing" title={words.x} />',
  ];
  for (const each of right) expect(findTexts("x.tsx", `const x = ${each};`), each).toEqual([]);
});

it("no component has a text of its own", () => {
  const files = globSync("**/*.tsx", { cwd: root });
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => findTexts(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});
