// The AI catalogue's text (CAT-11): one entry per listed agent, which points at the card that the agent itself serves.
import * as z from "zod";
import { identitySchema, type CatalogueServer } from "../../crds/catalogue.ts";
import { serverCardMediaType, serverCardUrl } from "../../crds/server-card.ts";
import type { ListedServer } from "../catalogue/listing.ts";

/** Of the AI catalogue's draft. */
const specVersion = "1.0";

const entrySchema = identitySchema.pick({ description: true, version: true }).extend({
  identifier: z.string().regex(/^urn:air:[^:]+:mcp:[^:]+$/),
  displayName: identitySchema.shape.title,
  type: z.literal(serverCardMediaType),
  mediaType: z.literal(serverCardMediaType),
  url: z.string().regex(/\/mcp\/server-card$/),
});
export const aiCatalogSchema = z.object({ specVersion: z.string(), entries: z.array(entrySchema) });

export function renderAiCatalog(servers: readonly ListedServer[]): string {
  return JSON.stringify({ specVersion, entries: servers.map(({ entry }) => renderEntry(entry.server)) });
}

function renderEntry({ name, title, description, version, remotes }: CatalogueServer): z.output<typeof entrySchema> {
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
