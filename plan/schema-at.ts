// What a schema of zod has at a path. Looks through what only says that a value may be left out.
import * as z from "zod";

/** The schema that a path leads to, through optionals, defaults, lists and maps. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  ) {
    return schemaAt(schema.def.innerType, path);
  }
  const [head, ...rest] = path;
  if (head === undefined) return schema;
  if (schema instanceof z.ZodObject) {
    const name = String(head);
    const child: z.core.$ZodType | undefined = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    return child && schemaAt(child, rest);
  }
  if (schema instanceof z.ZodArray) return schemaAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return schemaAt(schema.valueType, rest);
  return undefined;
}

/** Whether a field may be left out. */
export const isOptional = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;

/** Every place of a field of this name below a schema, as its names on the way; `[]` is any entry of a list. */
export function placesOf(schema: z.core.$ZodType, name: string, above: readonly string[] = []): string[][] {
  const at = schemaAt(schema, []);
  if (at instanceof z.ZodArray) return placesOf(at.element, name, [...above, "[]"]);
  if (!(at instanceof z.ZodObject)) return [];
  const here = Object.hasOwn(at.shape, name) ? [[...above]] : [];
  const below = Object.entries(at.shape).flatMap(([key, child]: [string, z.core.$ZodType]) =>
    placesOf(child, name, [...above, key]),
  );
  return [...here, ...below];
}
