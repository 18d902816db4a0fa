// Changes of a value by a form: fields that are sent or not sent any more, items that are added, moved and removed, names of a map. Each
// returns a new value and keeps the order of everything else. Pure.
import { jsonArray, jsonObject, type Json, type JsonFields } from "./json-text.ts";

/** `undefined` takes the field out; a new one goes to the place that `order` gives it. */
export function setField(
  fields: JsonFields,
  name: string,
  value: Json | undefined,
  order: readonly string[] = [],
): Json {
  if (value === undefined) return jsonObject([...fields].filter(([each]) => each !== name));
  if (fields.has(name)) return jsonObject([...fields].map(([each, old]) => [each, each === name ? value : old]));
  const place = order.indexOf(name);
  if (place === -1) return jsonObject([...fields, [name, value]]);
  const before = [...fields].filter(([each]) => order.includes(each) && order.indexOf(each) < place);
  const behind = [...fields].filter(([each]) => !before.some(([known]) => known === each));
  return jsonObject([...before, [name, value], ...behind]);
}

/** Undefined where there is a field of the new name already. */
export function renameField(fields: JsonFields, from: string, to: string): Json | undefined {
  if (from !== to && fields.has(to)) return undefined;
  return jsonObject([...fields].map(([name, value]) => [name === from ? to : name, value]));
}

/** A name that is free, by a pattern with a number. */
export function freeName(fields: JsonFields, render: (n: number) => string): string {
  for (let n = 1; ; n += 1) if (!fields.has(render(n))) return render(n);
}

export const setItem = (items: readonly Json[], index: number, value: Json): Json =>
  jsonArray(items.with(index, value));
export const removeItem = (items: readonly Json[], index: number): Json => jsonArray(items.toSpliced(index, 1));

/** One place up (-1) or down (1); at the end it stays. */
export function moveItem(items: readonly Json[], index: number, by: -1 | 1): Json {
  const item = items[index];
  const other = items[index + by];
  if (item === undefined || other === undefined) return jsonArray(items);
  return jsonArray(items.with(index, other).with(index + by, item));
}
