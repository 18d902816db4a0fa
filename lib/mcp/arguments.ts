// What a caller gave as a tool's arguments, with the habits of clients taken off.
import type { ToolEntry } from "./table.ts";

/**
 * Without those that are null where the schema knows no null and does not demand them: clients that make a model of the
 * schema in their own language send every field that the caller left out as null.
 */
export function withoutNulls(
  { properties = {}, required = [] }: ToolEntry["inputSchema"],
  args: Record<string, unknown>,
): Record<string, unknown> {
  const isLeftOut = ([name, value]: [string, unknown]) =>
    value === null &&
    !required.includes(name) &&
    Object.hasOwn(properties, name) &&
    typeof Reflect.get(Object(properties[name]), "type") === "string";
  return Object.fromEntries(Object.entries(args).filter((entry) => !isLeftOut(entry)));
}
