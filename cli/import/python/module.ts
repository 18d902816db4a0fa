// One Python module as it is written: what its names stand for at the top level, its decorated functions, its calls.
// Nothing of it is run. A name that is given twice, or inside a condition or loop, stands for nothing that can be told.
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import { createPositions } from "../../manifests/positions.ts";
import type { Place } from "../field.ts";

export interface PythonModule {
  /** Relative to the project, with slashes. */
  path: string;
  text(node: SyntaxNode): string;
  place(node: SyntaxNode): Place;
  /** Expressions by the name that stands for them; undefined where that cannot be told. */
  constants: ReadonlyMap<string, SyntaxNode | undefined>;
  /** Calls with which functions are decorated, and calls that stand alone, in order. */
  calls: readonly PythonCall[];
  /** Where the parser lost the thread. */
  firstError: Place | undefined;
}

export interface PythonCall {
  /** `fast.agent` */
  name: string;
  isDecorator: boolean;
  node: SyntaxNode;
}

export function parseModule(path: string, file: string, source: string): PythonModule {
  const positionAt = createPositions(source);
  const place = ({ from }: { from: number }): Place => ({ file, position: positionAt(from) });
  const text = ({ from, to }: { from: number; to: number }): string => source.slice(from, to);
  const constants = new Map<string, SyntaxNode | undefined>();
  const calls: PythonCall[] = [];
  let firstError: Place | undefined;
  /** Functions and classes around, which have names of their own. */
  let scopes = 0;
  // A bare `yield` is not in the grammar; what has its length keeps every place.
  parser.parse(source.replaceAll(/\byield\b(?=[ \t]*(?:#.*)?$|[ \t]*\))/gm, "None ")).iterate({
    enter: (at) => {
      if (at.type.isError) firstError ??= place(at);
      if (hasScope(at.name)) {
        scopes += 1;
      } else if (at.name === "Decorator") {
        const parts = childrenOf(at.node).filter(({ name }) => name === "VariableName" || name === "PropertyName");
        calls.push({ name: parts.map(text).join("."), isDecorator: true, node: at.node });
      } else if (at.name === "CallExpression") {
        // `fast.agent(…)(f)` is what the decorator is short for.
        const inner = at.node.firstChild?.name === "CallExpression" ? at.node.firstChild : undefined;
        const node = inner ?? (at.node.parent?.name === "ExpressionStatement" ? at.node : undefined);
        if (node?.firstChild) calls.push({ name: text(node.firstChild), isDecorator: inner !== undefined, node });
      } else if (scopes === 0 && /^(Assign|Update)Statement$/.test(at.name)) {
        addConstants(at.node, text, constants);
      }
    },
    leave: ({ name }) => {
      if (hasScope(name)) scopes -= 1;
    },
  });
  return { path, text, place, constants, calls, firstError };
}

const hasScope = (name: string): boolean => name === "FunctionDefinition" || name === "ClassDefinition";

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== "Comment") children.push(child);
  }
  return children;
}

/** `NAME = value` and `NAME: type = value`; what is given in another way is known to be unknown. */
function addConstants(
  node: SyntaxNode,
  text: (node: SyntaxNode) => string,
  constants: Map<string, SyntaxNode | undefined>,
): void {
  const parts = childrenOf(node).filter(({ name }) => name !== "TypeDef");
  const operator = parts.findLastIndex(({ name }) => name === "AssignOp" || name === "UpdateOp");
  const isPlain = operator === 1 && parts.length === 3 && parts[1]?.name === "AssignOp";
  for (const target of parts.slice(0, Math.max(0, operator)).filter(({ name }) => name === "VariableName")) {
    const name = text(target);
    const isConstant = isPlain && node.parent?.name === "Script" && !constants.has(name);
    constants.set(name, isConstant ? parts[2] : undefined);
  }
}
