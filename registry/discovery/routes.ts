// GET /.well-known/ai-catalog.json (CAT-11): bytes from memory, made anew when what it says of the agents changes.
import { Hono } from "hono";
import { aiCatalogPath, cardCacheControl } from "../../crds/server-card.ts";
import { encodeDocument, type EncodedDocument } from "../catalogue/document.ts";
import type { Listing } from "../catalogue/listing.ts";
import { serveDocument } from "../catalogue/serve-document.ts";
import type { Surface } from "../surface.ts";
import { renderAiCatalog } from "./ai-catalog.ts";

export interface DiscoverySurface extends Surface {
  update(listing: Listing): Promise<void>;
}

export function discoverySurface(): DiscoverySurface {
  let text: string | undefined;
  let document: EncodedDocument | undefined;
  const app = new Hono();
  app.get(aiCatalogPath, (c) =>
    serveDocument(c, document, { contentType: "application/json", cacheControl: cardCacheControl }),
  );
  return {
    app,
    isPublicRead: (path) => path === aiCatalogPath,
    async update({ servers }) {
      const next = renderAiCatalog(servers);
      // Most changes are of health, which it does not tell.
      if (next === text) return;
      document = await encodeDocument(next);
      text = next;
    },
  };
}
