// What an expression stands for when it is a literal, or made of literals: texts and their sums, lists, mappings, names
// of constants in this or an imported module, files that are read. Anything else would have to be run, and is opaque.
import type { SyntaxNode } from "@lezer/common";
import { posix } from "node:path";
import type { Field } from "../field.ts";
import { childrenOf, placeAt, textOf, type PythonModule } from "./module.ts";
import {
  changedText,
  type Content,
  dedent,
  joined,
  numberContent,
  opaque,
  pathOf,
  stringContent,
  text,
} from "./content.ts";
import { decodeBody, splitLiteral } from "./string-literal.ts";

/** Expressions inside each other, names that stand for names included. */
const maxDepth = 100;
/** Long texts use the budget up as many expressions would. */
const charactersPerStep = 1_000;

export interface EvaluationContext {
  module: PythonModule;
  /** Another module of the project, or undefined. */
  findModule(name: string, from: PythonModule): PythonModule | undefined;
  /** A file of the project, relative to it; or why it cannot be read. */
  readText(path: string): { ok: true; text: string } | { ok: false; message: string };
  /** Expressions that may still be looked at: names that stand for sums of names would never end. */
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
      return stringContent(source);
    case "ContinuedString":
      return joined(
        childrenOf(node).map((part) => evaluate(part, context)),
        "",
      );
    case "FormatString":
      return formatString(node, context);
    case "Number":
      return numberContent(source);
    case "Boolean":
      return { kind: "scalar", value: source === "True" };
    case "None":
      return { kind: "scalar", value: null };
    case "ArrayExpression":
    case "TupleExpression":
    case "SetExpression":
      return listContent(node, context);
    case "DictionaryExpression":
      return dictionaryContent(node, context);
    case "ParenthesizedExpression":
      return onlyExpression(node, context);
    case "UnaryExpression":
      return negative(node, context);
    case "BinaryExpression":
      return binary(node, context);
    case "VariableName":
      return variable(source, context);
    case "MemberExpression":
      return member(node, context);
    case "CallExpression":
      return call(node, context);
    default:
      return opaque("is made by code, which is not run");
  }
}

const expressionsOf = (node: SyntaxNode): SyntaxNode[] =>
  childrenOf(node).filter(({ name }) => /^[A-Z]/.test(name) && name !== "ArithOp");

function onlyExpression(node: SyntaxNode, context: EvaluationContext): Content {
  const [inner] = expressionsOf(node);
  return inner === undefined ? opaque("is empty") : evaluate(inner, context);
}

function listContent(node: SyntaxNode, context: EvaluationContext): Content {
  const items: Field[] = [];
  let isSpread = false;
  for (const child of childrenOf(node)) {
    if (child.name === "*") isSpread = true;
    if (!/^[A-Z]/.test(child.name)) continue;
    const item = evaluate(child, context);
    if (isSpread && item.kind === "list") items.push(...item.items);
    else items.push(item);
    isSpread = false;
  }
  return { kind: "list", items };
}

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

function negative(node: SyntaxNode, context: EvaluationContext): Content {
  const inner = onlyExpression(node, context);
  const isNumber = inner.kind === "scalar" && typeof inner.value === "number";
  if (!isNumber || !textOf(node, context.module.text).startsWith("-")) return opaque("is made by code");
  return { kind: "scalar", value: -Number(inner.value) };
}

function binary(node: SyntaxNode, context: EvaluationContext): Content {
  const operator = node.getChild("ArithOp");
  const [left, right] = expressionsOf(node).map((part) => evaluate(part, context));
  const sign = operator === null ? "" : textOf(operator, context.module.text);
  if (left === undefined || right === undefined) return opaque("is made by code");
  if (sign === "+" && left.kind === "list" && right.kind === "list") {
    return { kind: "list", items: [...left.items, ...right.items] };
  }
  if (sign === "+") return joined([left, right], "");
  if (sign === "/" && left.kind === "path" && right.kind === "scalar" && typeof right.value === "string") {
    return { kind: "path", path: posix.join(left.path, right.value) };
  }
  return opaque("is made by code, which is not run");
}

/** `f"…{NAME}…"` where every name stands for a text or number. */
function formatString(node: SyntaxNode, context: EvaluationContext): Content {
  const quoted = splitLiteral(textOf(node, context.module.text));
  if (quoted === undefined) return opaque("is a text that cannot be read without Python");
  const parts: string[] = [];
  let at = node.from + quoted.prefix.length + quoted.quote.length;
  const literalTo = (end: number): void => {
    const decoded = decodeBody(context.module.text.slice(at, end), quoted.prefix);
    parts.push((decoded ?? "").replaceAll(/(\{\{|\}\})/g, (brace) => brace.charAt(0)));
  };
  for (const replacement of node.getChildren("FormatReplacement")) {
    literalTo(replacement.from);
    const inner = expressionsOf(replacement);
    const value = inner[0] && evaluate(inner[0], context);
    const isPlain = inner.length === 1 && value?.kind === "scalar";
    if (!isPlain || (typeof value.value !== "string" && typeof value.value !== "number")) {
      return opaque("is a text with {…} in it that is made by code");
    }
    parts.push(String(value.value));
    at = replacement.to;
  }
  literalTo(node.to - quoted.quote.length);
  return text(parts.join(""));
}

function variable(name: string, context: EvaluationContext): Content {
  const { module, findModule } = context;
  const constant = module.constants.get(name);
  if (constant !== undefined) return evaluate(constant, context);
  if (name === "__file__") return { kind: "path", path: module.path };
  const from = module.imports.get(name);
  const other = from && findModule(from.module, module);
  const there = from && other?.constants.get(from.name);
  if (other !== undefined && there !== undefined) return evaluate(there, { ...context, module: other });
  return opaque(`${name} is not a constant of this module`);
}

function member(node: SyntaxNode, context: EvaluationContext): Content {
  const [object, property] = memberOf(node, context);
  if (object.kind === "path" && property === "parent") return { kind: "path", path: posix.dirname(object.path) };
  return opaque("is made by code, which is not run");
}

function memberOf(node: SyntaxNode, context: EvaluationContext): [Field, string] {
  const property = node.getChild("PropertyName");
  const object = node.firstChild;
  const name = property === null ? "" : textOf(property, context.module.text);
  return [
    object === null
      ? { kind: "opaque", why: "is empty", place: placeAt(context.module, 0) }
      : evaluate(object, context),
    name,
  ];
}

function call(node: SyntaxNode, context: EvaluationContext): Content {
  const callee = node.firstChild;
  const list = node.getChild("ArgList");
  if (callee === null || list === null) return opaque("is made by code, which is not run");
  const { positional, named } = callArguments(list, context);
  const name = textOf(callee, context.module.text);
  const last = name.slice(name.lastIndexOf(".") + 1);
  const [first] = positional;
  if (last === "Path" || last === "PurePath") return pathOf(positional);
  if (last === "RequestParams" || last === "dict") return { kind: "map", entries: named };
  if (last === "dedent" || last === "cleandoc")
    return first === undefined ? opaque("is empty") : changedText(first, dedent);
  if (callee.name !== "MemberExpression") return opaque(`is made by ${last}(), which is not run`);
  const [object] = memberOf(callee, context);
  if (last === "strip" && positional.length === 0) return changedText(object, (value) => value.trim());
  if (last === "join" && object.kind === "scalar" && first?.kind === "list") {
    return joined(first.items, String(object.value));
  }
  if (object.kind === "path" && last === "joinpath") return pathOf([object, ...positional]);
  if (object.kind === "path" && (last === "resolve" || last === "absolute")) return object;
  if (object.kind === "path" && last === "read_text") {
    const read = context.readText(object.path);
    return read.ok ? text(read.text) : opaque(`names the file ${object.path}, which ${read.message}`);
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
