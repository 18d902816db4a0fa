// The AI catalogue's text (CAT-11): one entry per listed agent, which points at the card that the agent itself serves.
import type { CatalogueServer } from "../../crds/catalogue.ts";
import { serverCardMediaType, serverCardUrl } from "../../crds/server-card.ts";
import type { ListedServer } from "../catalogue/listing.ts";

/** Of the AI catalogue's draft. */
const specVersion = "1.0";

export function renderAiCatalog(servers: readonly ListedServer[]): string {
  return JSON.stringify({ specVersion, entries: servers.map(({ entry }) => renderEntry(entry.server)) });
}

function renderEntry({ name, title, description, version, remotes }: CatalogueServer) {
  return {
    identifier: renderIdentifier(name),
    displayName: title,
    description,
    version,
    type: serverCardMediaType,
    // What `type` was called until July 2026, and still is in the general draft.
    mediaType: serverCardMediaType,
    url: serverCardUrl(remotes[0]?.url ?? ""),
  };
}

/** `com.example/weather` → `urn:air:example.com:mcp:weather`: the publisher by its domain, which servers' names have reversed. */
function renderIdentifier(serverName: string): string {
  const [namespace = "", slug = ""] = serverName.split("/");
  return `urn:air:${namespace.split(".").toReversed().join(".")}:mcp:${slug}`;
}
