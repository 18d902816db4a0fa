// Query parameters of REST: which servers a text finds, and which part of a list is asked for. Pure, and linear in the text.
import type { ServerEntry } from "../servers/entry.ts";
import { wrongField } from "./answers.ts";

const maxQueryChars = 200;
const maxWords = 16;

/** Every word of the text stands in its name, title, description, tags or names of tools. */
export function matchesQuery({ name, known, tools = [] }: ServerEntry, query: string): boolean {
  const words = query
    .slice(0, maxQueryChars)
    .toLowerCase()
    .split(/\s+/)
    .slice(0, maxWords)
    .filter((word) => word !== "");
  if (words.length === 0) return true;
  const { title = "", description = "", tags = [] } = known.resource?.spec ?? {};
  const text = [name, title, description, ...tags, ...tools.map((tool) => tool.name)].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A larger one is cut to it, as clients of the interface expect. */
const maxLimit = 500;
export function readPage(query: Record<string, string>): { limit: number; offset: number } {
  const read = (field: "limit" | "offset", fallback: number): number => {
    const text = query[field];
    if (text === undefined || text === "") return fallback;
    if (!/^\d{1,9}$/.test(text)) throw wrongField(field, "expected a whole number from 0 on");
    return Number(text);
  };
  return { limit: Math.min(maxLimit, read("limit", 100)), offset: read("offset", 0) };
}
