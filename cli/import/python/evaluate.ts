// What an expression stands for when it is a literal, a list or mapping of literals, a constant of its module, or a file that
// is read. Anything else, such as a text that is put together, would have to be run, and is opaque.
import type { SyntaxNode } from "@lezer/common";
import { posix } from "node:path";
import type { Field } from "../field.ts";
import { type Content, numberContent, opaque, pathOf, stringContent, text } from "./content.ts";
import { childrenOf, placeAt, textOf, type PythonModule } from "./module.ts";

/** Expressions inside each other, names that stand for names included. */
const maxDepth = 100;
/** Long texts use the budget up as many expressions would. */
const charactersPerStep = 1_000;
const byCode = "is made by code, which is not run";

export interface EvaluationContext {
  module: PythonModule;
  /** A file of the project, relative to it; or why it cannot be read. */
  readText(path: string): { ok: true; text: string } | { ok: false; message: string };
  /** Expressions that may still be looked at: names that stand for lists of names would never end. */
  budget: { left: number };
  depth?: number;
}

function evaluate(node: SyntaxNode, context: EvaluationContext): Field {
  const place = placeAt(context.module, node.from);
  const depth = (context.depth ?? 0) + 1;
  if (depth > maxDepth) return { kind: "opaque", why: `leads through more than ${maxDepth} expressions`, place };
  context.budget.left -= 1;
  const content = context.budget.left < 0 ? opaque("") : evaluateKind(node, { ...context, depth });
  if (content.kind === "scalar" && typeof content.value === "string") {
    context.budget.left -= Math.floor(content.value.length / charactersPerStep);
  }
  // Parts that were not looked at any more would make it look like something else.
  if (context.budget.left < 0) return { kind: "opaque", why: "is made of too many expressions", place };
  // A constant is shown where it is used, which is what a person looks for.
  return { ...content, place };
}

function evaluateKind(node: SyntaxNode, context: EvaluationContext): Content {
  const source = textOf(node, context.module.text);
  switch (node.name) {
    case "String":
      return stringContent([source]);
    case "ContinuedString":
      return childrenOf(node).every(({ name }) => name === "String")
        ? stringContent(childrenOf(node).map((part) => textOf(part, context.module.text)))
        : opaque(byCode);
    case "Number":
      return numberContent(source);
    case "Boolean":
      return { kind: "scalar", value: source === "True" };
    case "None":
      return { kind: "scalar", value: null };
    case "ArrayExpression":
    case "TupleExpression":
    case "SetExpression":
      return childrenOf(node).some(({ name }) => name === "*")
        ? opaque(byCode)
        : { kind: "list", items: expressionsOf(node).map((item) => evaluate(item, context)) };
    case "DictionaryExpression":
      return dictionaryContent(node, context);
    case "ParenthesizedExpression": {
      const [inner] = expressionsOf(node);
      return inner === undefined ? opaque(byCode) : evaluate(inner, context);
    }
    case "UnaryExpression": {
      const value = Number(source);
      return Number.isFinite(value) ? { kind: "scalar", value } : opaque(byCode);
    }
    case "BinaryExpression":
      return joinedPath(node, context);
    case "VariableName":
      return variable(source, context);
    case "MemberExpression": {
      const [object, property] = memberOf(node, context);
      if (object.kind === "path" && property === "parent") return { kind: "path", path: posix.dirname(object.path) };
      return opaque(byCode);
    }
    case "CallExpression":
      return call(node, context);
    default:
      return opaque(byCode);
  }
}

const expressionsOf = (node: SyntaxNode): SyntaxNode[] =>
  childrenOf(node).filter(({ name }) => /^[A-Z]/.test(name) && name !== "ArithOp");

function dictionaryContent(node: SyntaxNode, context: EvaluationContext): Content {
  const entries = new Map<string, Field>();
  const children = childrenOf(node);
  for (const [index, child] of children.entries()) {
    if (child.name === "**") return opaque("is put together by **, which is not followed");
    const [key, value] = [children[index - 1], children[index + 1]];
    if (child.name !== ":" || key === undefined || value === undefined) continue;
    const name = evaluate(key, context);
    if (name.kind !== "scalar") return opaque("has a key that is made by code");
    entries.set(String(name.value), evaluate(value, context));
  }
  return { kind: "map", entries };
}

/** `Path(…) / "x.md"`. */
function joinedPath(node: SyntaxNode, context: EvaluationContext): Content {
  const operator = node.getChild("ArithOp");
  const [left, right] = expressionsOf(node).map((each) => evaluate(each, context));
  if (left?.kind !== "path" || right === undefined || operator === null) return opaque(byCode);
  return textOf(operator, context.module.text) === "/" ? pathOf([left, right]) : opaque(byCode);
}

function variable(name: string, context: EvaluationContext): Content {
  const constant = context.module.constants.get(name);
  if (constant !== undefined) return evaluate(constant, context);
  if (name === "__file__") return { kind: "path", path: context.module.path };
  return opaque(`${name} is not a constant of this module`);
}

function memberOf(node: SyntaxNode, context: EvaluationContext): [Field, string] {
  const property = node.getChild("PropertyName");
  const object = node.firstChild;
  const name = property === null ? "" : textOf(property, context.module.text);
  return [
    object === null ? { kind: "opaque", why: byCode, place: placeAt(context.module, 0) } : evaluate(object, context),
    name,
  ];
}

function call(node: SyntaxNode, context: EvaluationContext): Content {
  const callee = node.firstChild;
  const list = node.getChild("ArgList");
  if (callee === null || list === null) return opaque(byCode);
  const { positional, named } = callArguments(list, context);
  const name = textOf(callee, context.module.text);
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (last === "Path" || last === "PurePath") return pathOf(positional);
  if (last === "RequestParams" || last === "dict") return { kind: "map", entries: named };
  const [object] = callee.name === "MemberExpression" ? memberOf(callee, context) : [];
  if (object?.kind === "path" && last === "resolve") return object;
  if (object?.kind === "path" && last === "read_text") {
    const read = context.readText(object.path);
    return read.ok ? text(read.text) : opaque(`names the file ${object.path}, which ${read.message}`);
  }
  if (object?.kind === "scalar" && typeof object.value === "string" && last === "strip" && positional.length === 0) {
    return text(object.value.trim());
  }
  return opaque(`is made by ${last}(), which is not run`);
}

/** Arguments by position and by name; `*` and `**` are put under names that nobody asks for. */
export function callArguments(
  list: SyntaxNode,
  context: EvaluationContext,
): { positional: Field[]; named: Map<string, Field> } {
  const positional: Field[] = [];
  const named = new Map<string, Field>();
  const children = childrenOf(list);
  for (const [index, child] of children.entries()) {
    const [before, after] = [children[index - 1], children[index + 1]];
    if (!/^[A-Z]/.test(child.name) || child.name === "AssignOp" || after?.name === "AssignOp") continue;
    const target = children[index - 2];
    if (before?.name === "AssignOp" && target !== undefined) {
      named.set(textOf(target, context.module.text), evaluate(child, context));
    } else if (before?.name === "**" || before?.name === "*") {
      const why = "is put together by * or **, which is not followed";
      named.set(`${before.name}${textOf(child, context.module.text)}`, {
        kind: "opaque",
        why,
        place: placeAt(context.module, child.from),
      });
    } else positional.push(evaluate(child, context));
  }
  return { positional, named };
}
