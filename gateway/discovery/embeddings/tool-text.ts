// The text that a tool is embedded as: what a caller may ask for it by. Pure, and bounded, since models take so many tokens and
// endpoints charge for each.
import type { SearchableServer, SearchableTool } from "../../../lib/search/searchable.ts";

/** Some 400 tokens of English; the smallest models in use take 512. In bytes, since other scripts have a token for each two or three. */
export const maxTextBytes = 1_600;
const maxParameters = 32;
const maxParameterChars = 80;

/**
 * Name and what it does, where it is from, its parameters' names; in that order, since what is too long is cut at its end. Nothing
 * else: words that every tool has make all of them alike.
 */
export function renderToolText(server: SearchableServer, tool: SearchableTool): string {
  const parameters = tool.parameters.slice(0, maxParameters).map(({ name }) => cut(name, maxParameterChars));
  const lines = [
    `${cut(tool.name, 200)}: ${cut(tool.description ?? "", 1_200)}`,
    [server.name, tool.category, cut(server.description ?? "", 200)].filter(Boolean).join(", "),
    parameters.join(", "),
  ];
  return cutBytes(lines.filter((line) => line !== "").join("\n"), maxTextBytes);
}

const cut = (text: string, maxChars: number): string => text.slice(0, maxChars).replaceAll(/\s+/g, " ").trim();

/** At most so many bytes of UTF-8, in whole and well-formed characters. */
export function cutBytes(text: string, maxBytes: number): string {
  const start = text.slice(0, maxBytes).toWellFormed();
  const { read } = new TextEncoder().encodeInto(start, new Uint8Array(maxBytes));
  return start.slice(0, read);
}
