// One Python module as it is written: what its names stand for at the top level, its decorated functions, its calls.
// Nothing of it is run. A name that is given twice, or inside a condition or loop, stands for nothing that can be told.
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import type { Place } from "../field.ts";

export interface PythonModule {
  /** Relative to the project, with slashes. */
  path: string;
  file: string;
  text: string;
  /** Offsets at which lines begin. */
  lineStarts: readonly number[];
  /** Expressions by the name that stands for them. */
  constants: ReadonlyMap<string, SyntaxNode>;

  /** Calls with which functions are decorated, and calls that stand alone, in order. */
  calls: readonly PythonCall[];
  /** Where the parser lost the thread. */
  errors: readonly Place[];
}

export interface PythonCall {
  /** `fast.agent` */
  name: string;
  isDecorator: boolean;
  node: SyntaxNode;
  /** Undefined for a decorator without brackets. */
  arguments?: SyntaxNode;
}

export function parseModule(path: string, file: string, text: string): PythonModule {
  const constants = new Map<string, SyntaxNode>();
  const repeated = new Set<string>();
  const calls: PythonCall[] = [];
  const module = { path, file, text, lineStarts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)] };
  // A bare `yield` is not in the grammar; what has its length keeps every place.
  const tree = parser.parse(text.replaceAll(/\byield\b(?=[ \t]*(?:#.*)?$|[ \t]*\))/gm, "None "));
  for (const node of childrenOf(tree.topNode)) {
    if (node.name === "AssignStatement") addConstant(node, module, constants, repeated);
  }
  for (const name of repeated) constants.delete(name);
  const errors: Place[] = [];
  tree.iterate({
    enter: (reference) => {
      if (reference.type.isError && errors.length === 0) errors.push(placeAt(module, reference.from));
      const { node } = reference;
      if (reference.name === "Decorator") calls.push(decoratorCall(node, text));
      else if (reference.name === "CallExpression") {
        const isStatement = node.parent?.name === "ExpressionStatement";
        // `fast.agent(…)(f)` is what the decorator is short for.
        const inner = node.firstChild?.name === "CallExpression" ? node.firstChild : undefined;
        const called = inner ?? (isStatement ? node : undefined);
        if (called === undefined) return;
        const name = nameOf(called.firstChild, text);
        calls.push({ name, isDecorator: inner !== undefined, node: called, ...argumentsOf(called) });
      } else if (isAssignmentInside(node)) constants.delete(nameOf(node.firstChild, text));
    },
  });
  return { ...module, constants, calls, errors };
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== "Comment") children.push(child);
  }
  return children;
}

export const textOf = (node: SyntaxNode, text: string): string => text.slice(node.from, node.to);

export function placeAt({ file, lineStarts }: Pick<PythonModule, "file" | "lineStarts">, offset: number): Place {
  let [low, high] = [0, lineStarts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { file, position: { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 } };
}

/** `NAME = value` and `NAME: type = value`; what is given in another way is known to be unknown. */
function addConstant(
  node: SyntaxNode,
  { text }: Pick<PythonModule, "text">,
  constants: Map<string, SyntaxNode>,
  repeated: Set<string>,
): void {
  const [target, ...rest] = childrenOf(node);
  if (target === undefined) return;
  const name = textOf(target, text);
  const [operator, value, ...more] = rest.filter(({ name: kind }) => kind !== "TypeDef");
  if (constants.has(name)) repeated.add(name);
  if (target.name !== "VariableName" || value === undefined || more.length > 0) return;
  if (operator !== undefined && textOf(operator, text) === "=") constants.set(name, value);
}

/** A name that is changed by `+=`, or given again under a condition or in a loop. */
function isAssignmentInside(node: SyntaxNode): boolean {
  if (node.name === "UpdateStatement") return true;
  if (node.name !== "AssignStatement" || node.parent?.name === "Script") return false;
  for (let around = node.parent; around !== null; around = around.parent) {
    if (around.name === "FunctionDefinition" || around.name === "ClassDefinition") return false;
  }
  return true;
}

const argumentsOf = (call: SyntaxNode): { arguments?: SyntaxNode } => {
  const found = call.getChild("ArgList");
  return found === null ? {} : { arguments: found };
};

function decoratorCall(node: SyntaxNode, text: string): PythonCall {
  const parts = childrenOf(node).filter(({ name }) => name === "VariableName" || name === "PropertyName");
  return { name: parts.map((part) => textOf(part, text)).join("."), isDecorator: true, node, ...argumentsOf(node) };
}

const nameOf = (node: SyntaxNode | null, text: string): string => (node === null ? "" : textOf(node, text));
