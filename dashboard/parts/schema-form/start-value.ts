// The values that a form begins with: only what must be there and can be nothing else; defaults when a person asks for them; and what a
// new item of a list is. Pure.
import { closestSchema } from "./check-value.ts";
import type { FormNode, FormVariant } from "./form-model.ts";
import { jsonArray, jsonObject, jsonString, type Json } from "./json-text.ts";

/** Undefined where somebody must write it. */
export function startOf(node: FormNode): Json | undefined {
  switch (node.kind) {
    case "constant":
      return node.value;
    case "list":
      return jsonArray([]);
    case "group":
      return jsonObject(
        node.fields.flatMap(({ name, isNeeded, node: field }) => {
          const value = isNeeded ? startOf(field) : undefined;
          return value === undefined ? [] : [[name, value] as const];
        }),
      );
    case "variants":
      return undefined;
    case "choice": {
      const [only, more] = node.choices;
      return more === undefined ? only?.value : undefined;
    }
    case "text":
    case "number":
    case "json":
      return undefined;
  }
}

/** Of a place that cannot be left empty, such as an item of a list: what is filled in there next. */
export function emptyOf(node: FormNode): Json {
  if (node.kind === "variants") return node.variants[0] === undefined ? jsonObject() : emptyOf(node.variants[0].node);
  if (node.kind === "choice") return node.choices[0]?.value ?? jsonString("");
  if (node.kind === "json") return { kind: "draft", text: "" };
  return startOf(node) ?? jsonString("");
}

/** Of a variant that was just chosen: what it shares with what was there before stays. */
export function startOfVariant(node: FormNode, before: Json | undefined): Json | undefined {
  const start = startOf(node);
  if (node.kind !== "group" || start?.kind !== "object" || before?.kind !== "object") return start;
  const kept = node.fields.flatMap(({ name, node: field }) => {
    const value = before.fields.get(name);
    return value === undefined || field.kind === "constant" ? [] : [[name, value] as const];
  });
  return jsonObject([...start.fields, ...kept]);
}

export function findVariant(root: unknown, variants: readonly FormVariant[], value: Json | undefined): number {
  if (value === undefined) return 0;
  return closestSchema(
    root,
    variants.map(({ schema }) => schema),
    value,
  );
}

export function hasDefaults(node: FormNode): boolean {
  if (node.fallback !== undefined) return true;
  if (node.kind === "group") return node.fields.some((field) => hasDefaults(field.node));
  if (node.kind === "variants") return node.variants.some((variant) => hasDefaults(variant.node));
  return node.kind === "list" && hasDefaults(node.item);
}

/** With defaults where nothing was written; what was written stays. */
export function withDefaults(root: unknown, node: FormNode, value: Json | undefined): Json | undefined {
  if (value === undefined) return node.fallback;
  if (node.kind === "variants") {
    const variant = node.variants[findVariant(root, node.variants, value)];
    return variant === undefined ? value : withDefaults(root, variant.node, value);
  }
  if (node.kind === "list" && value.kind === "array") {
    return jsonArray(value.items.map((item) => withDefaults(root, node.item, item) ?? item));
  }
  if (node.kind !== "group" || value.kind !== "object") return value;
  const known = node.fields.flatMap(({ name, node: field }) => {
    const filled = withDefaults(root, field, value.fields.get(name));
    return filled === undefined ? [] : [[name, filled] as const];
  });
  const names = new Set(known.map(([name]) => name));
  return jsonObject([...known, ...[...value.fields].filter(([name]) => !names.has(name))]);
}
