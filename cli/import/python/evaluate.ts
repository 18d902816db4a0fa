// What an expression stands for when it is a literal, a list or mapping of literals, a constant of its module, or a file that
// is read. Anything else, such as a text that is put together, would have to be run, and is opaque.
import type { SyntaxNode } from "@lezer/common";
import { posix } from "node:path";
import type { Field } from "../field.ts";
import type { ReadFile } from "../project-files.ts";
import { childrenOf, type PythonModule } from "./module.ts";
import { decodeLiteral } from "./string-literal.ts";

/** Expressions inside each other, names that stand for names included. */
const maxDepth = 100;
/** Of one list or mapping, which many agents may share; more is no agent's. */
const maxItems = 1_000;
const tooMany = `has more than ${maxItems} items`;
const byCode = "is made by code, which is not run";

/** A field without its place. */
type Content = Field extends infer Each ? (Each extends Field ? Omit<Each, "place"> : never) : never;

const opaque = (why: string): Content => ({ kind: "opaque", why });
const scalar = (value: string | number | boolean | null | undefined, why: string): Content =>
  value === undefined || Number.isNaN(value) ? opaque(why) : { kind: "scalar", value };

const mapping = (entries: ReadonlyMap<string, Field>): Content =>
  entries.size > maxItems ? opaque(tooMany) : { kind: "map", entries };

export interface CallArguments {
  positional: Field[];
  /** `*` and `**` are put under names that nobody asks for. */
  named: Map<string, Field>;
}

export class Evaluator {
  readonly #module: PythonModule;
  readonly #readFile: (path: string) => ReadFile;
  /** What constants stand for: names that stand for lists of names would never end. */
  readonly #known = new Map<string, Content>();
  #depth = 0;

  constructor(module: PythonModule, readFile: (path: string) => ReadFile) {
    this.#module = module;
    this.#readFile = readFile;
  }

  /** The arguments of a call, or of a decorator. */
  argumentsOf(call: SyntaxNode): CallArguments {
    const { text, place } = this.#module;
    const found: CallArguments = { positional: [], named: new Map() };
    const list = call.getChild("ArgList");
    const parts = list === null ? [] : childrenOf(list);
    for (const [at, part] of parts.entries()) {
      const before = parts[at - 1]?.name ?? "";
      if (!isExpression(part) || parts[at + 1]?.name === "AssignOp") continue;
      const target = parts[at - 2];
      if (before === "AssignOp" && target !== undefined) {
        found.named.set(text(target), this.evaluate(part));
      } else if (before === "*" || before === "**") {
        const why = "is put together by * or **, which is not followed";
        found.named.set(`${before}${text(part)}`, { kind: "opaque", why, place: place(part) });
      } else {
        found.positional.push(this.evaluate(part));
      }
    }
    return found;
  }

  evaluate(node: SyntaxNode): Field {
    this.#depth += 1;
    const tooDeep = `leads through more than ${maxDepth} expressions`;
    const content = this.#depth > maxDepth ? opaque(tooDeep) : this.#content(node);
    this.#depth -= 1;
    // A constant is shown where it is used, which is what a person looks for.
    return { ...content, place: this.#module.place(node) };
  }

  /** A file as text, or why it cannot be read. */
  readText(path: string): Content {
    const read = this.#readFile(path);
    return scalar(read.ok ? read.text : undefined, read.ok ? "" : `names the file ${path}, which ${read.message}`);
  }

  #content(node: SyntaxNode): Content {
    const { text } = this.#module;
    switch (node.name) {
      case "String":
      case "ContinuedString":
        return this.#string(node);
      case "Number":
      case "UnaryExpression":
        return scalar(Number(text(node).replaceAll("_", "")), byCode);
      case "Boolean":
        return scalar(text(node) === "True", byCode);
      case "None":
        return scalar(null, byCode);
      case "ArrayExpression":
      case "TupleExpression":
      case "SetExpression": {
        const items = childrenOf(node).filter(isExpression);
        if (childrenOf(node).some(({ name }) => name === "*")) return opaque(byCode);
        if (items.length > maxItems) return opaque(tooMany);
        return { kind: "list", items: items.map((item) => this.evaluate(item)) };
      }
      case "DictionaryExpression":
        return this.#dictionary(node);
      case "ParenthesizedExpression": {
        const inner = childrenOf(node).find(isExpression);
        return inner === undefined ? opaque(byCode) : this.evaluate(inner);
      }
      case "BinaryExpression": {
        const [left, operator, right] = childrenOf(node);
        const isJoined = left && right && operator && text(operator) === "/";
        return isJoined ? joinPaths([this.evaluate(left), this.evaluate(right)], true) : opaque(byCode);
      }
      case "VariableName":
        return this.#variable(text(node));
      case "MemberExpression": {
        const path = this.#object(node);
        const isParent = path?.kind === "path" && text(node).endsWith(".parent");
        return isParent ? { kind: "path", path: posix.dirname(path.path) } : opaque(byCode);
      }
      case "CallExpression":
        return this.#call(node);
      default:
        return opaque(byCode);
    }
  }

  /** One literal, or several one after another, which are one text to Python. */
  #string(node: SyntaxNode): Content {
    const literals = node.name === "String" ? [node] : childrenOf(node);
    if (literals.some(({ name }) => name !== "String")) return opaque(byCode);
    const parts = literals.map((literal) => decodeLiteral(this.#module.text(literal)));
    return scalar(
      parts.includes(undefined) ? undefined : parts.join(""),
      "is a text that cannot be read without Python",
    );
  }

  #dictionary(node: SyntaxNode): Content {
    const entries = new Map<string, Field>();
    const parts = childrenOf(node);
    if (parts.some(({ name }) => name === "**")) return opaque("is put together by **, which is not followed");
    for (const [at, { name }] of parts.entries()) {
      const [key, value] = [parts[at - 1], parts[at + 1]];
      if (name !== ":" || key === undefined || value === undefined) continue;
      const found = this.evaluate(key);
      if (found.kind !== "scalar") return opaque("has a key that is made by code");
      entries.set(String(found.value), this.evaluate(value));
    }
    return mapping(entries);
  }

  #variable(name: string): Content {
    if (name === "__file__") return { kind: "path", path: this.#module.path };
    const expression = this.#module.constants.get(name);
    if (expression === undefined) return opaque(`${name} is not a constant of this module`);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#known.set(name, opaque(`${name} stands for itself`));
    const content = this.evaluate(expression);
    this.#known.set(name, content);
    return content;
  }

  /** What stands before the last dot. */
  #object({ name, firstChild }: SyntaxNode): Field | undefined {
    return name === "MemberExpression" && firstChild !== null ? this.evaluate(firstChild) : undefined;
  }

  #call(node: SyntaxNode): Content {
    const callee = node.firstChild;
    if (callee === null) return opaque(byCode);
    const name = this.#module.text(callee).replace(/^[^]*\./, "");
    const { positional, named } = this.argumentsOf(node);
    if (name === "Path" || name === "PurePath") return joinPaths(positional);
    if (name === "RequestParams" || name === "dict") return mapping(named);
    const object = this.#object(callee);
    if (object?.kind === "path" && name === "resolve") return object;
    if (object?.kind === "path" && name === "read_text") return this.readText(object.path);
    const isText = object?.kind === "scalar" && typeof object.value === "string";
    if (isText && name === "strip" && positional.length === 0) return scalar(String(object.value).trim(), byCode);
    return opaque(`is made by ${name}(), which is not run`);
  }
}

const isExpression = ({ name }: SyntaxNode): boolean => /^[A-Z]/.test(name) && name !== "AssignOp";

/** @param isOfPaths whether the first part must be one, as of `/` */
function joinPaths(parts: readonly Field[], isOfPaths = false): Content {
  if (isOfPaths && parts[0]?.kind !== "path") return opaque(byCode);
  const names: string[] = [];
  for (const part of parts) {
    if (part.kind === "path") names.push(part.path);
    else if (part.kind === "scalar" && typeof part.value === "string") names.push(part.value);
    else return opaque("is a path that is made by code");
  }
  // As in Python, an absolute part replaces what stands before it; it then leads out of the project.
  const from = names.findLastIndex((name) => name.startsWith("/"));
  return { kind: "path", path: posix.join(...names.slice(Math.max(0, from))) };
}
