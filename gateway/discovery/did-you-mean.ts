// What somebody may have meant by the name of a tool that is not there, or that failed (DSC-4): similar ones, of those that the caller reaches.
import type { Identity } from "../../lib/auth/roles.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { SearchIndex } from "../../lib/search/search-index.ts";
import type { Reach } from "./reach.ts";
import { callAsOf } from "./tool-name.ts";

const maxSuggestions = 4;

/** Names that can be called as they are. */
export type Suggest = (name: string, identity: Identity) => string[];

export function createSuggest({ index, reach }: { index: Pick<SearchIndex, "suggest">; reach: Reach }): Suggest {
  return (name, identity) => {
    const { accept } = reach.of(identity);
    return index
      .suggest(name, { limit: maxSuggestions + 1, accept })
      .map(({ server, tool }) => callAsOf(server, tool))
      .filter((callAs) => callAs !== name && !callAs.endsWith(`__${name}`))
      .slice(0, maxSuggestions);
  };
}

/** In the result's structure, and once more as text, which is all that some models are shown. */
export const addSuggestions = (result: ToolResult, names: readonly string[]): ToolResult => ({
  ...result,
  content: [...result.content, { type: "text", text: JSON.stringify({ did_you_mean: names }) }],
  structuredContent: { ...result.structuredContent, did_you_mean: names },
});
