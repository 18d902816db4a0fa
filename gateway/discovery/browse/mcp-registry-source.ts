// A registry that speaks the generic registry API as a place to browse, such as another instance's own.
import { readServerJson, isRegistryName } from "./server-json.ts";
import { memberOf, type ReadSource } from "./source.ts";
import { SourceFailed, unexpected } from "./source-client.ts";
import { maxSourceCursorChars } from "./cursor.ts";

const path = "/v0.1/servers";

export const createMcpRegistrySource: ReadSource = (source, client) => ({
  ...source,
  async search(query, { size, at }, signal) {
    const asked = new URLSearchParams({ limit: String(size), version: "latest" });
    if (query !== "") asked.set("search", query);
    if (at !== undefined) asked.set("cursor", at);
    const answer = await client.get(`${path}?${asked}`, signal);
    if (answer.status !== 200) throw unexpected(answer);
    const servers = memberOf(answer.value, "servers");
    if (!Array.isArray(servers)) throw new SourceFailed("expected a list of servers, found other JSON");
    const entries: unknown[] = servers.slice(0, size);
    const listings = entries.flatMap(
      (entry) => readServerJson(source, memberOf(entry, "server"), memberOf(entry, "_meta")) ?? [],
    );
    const next = memberOf(memberOf(answer.value, "metadata"), "nextCursor");
    const isCursor = typeof next === "string" && next !== "" && next.length <= maxSourceCursorChars;
    return { listings, leftOut: entries.length - listings.length, next: isCursor && next !== at ? next : undefined };
  },
  async find(name, signal) {
    if (!isRegistryName(name)) return undefined;
    const answer = await client.get(`${path}/${encodeURIComponent(name)}/versions/latest`, signal);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw unexpected(answer);
    const { value } = answer;
    const listing = readServerJson(source, memberOf(value, "server"), memberOf(value, "_meta"));
    if (listing !== undefined && listing.name !== name) {
      throw new SourceFailed("expected the server that was asked for, found another");
    }
    return listing;
  },
  async probe(signal) {
    const answer = await client.get(`${path}?limit=1`, signal);
    if (answer.status !== 200) throw unexpected(answer);
  },
});
