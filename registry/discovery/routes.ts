// GET /.well-known/ai-catalog.json (CAT-11): made anew when it is first asked for after a change of what
// it says, so that it takes no time from the catalogue, which clients ask for all the time.
import { Hono } from "hono";
import { aiCatalogPath, cardCacheControl } from "../../crds/server-card.ts";
import { encodeDocument, type EncodedDocument } from "../catalogue/document.ts";
import type { Listing } from "../catalogue/listing.ts";
import { serveDocument } from "../catalogue/serve-document.ts";
import type { Surface } from "../surface.ts";
import { renderAiCatalog } from "./ai-catalog.ts";

export interface DiscoverySurface extends Surface {
  update(listing: Listing): void;
}

export function discoverySurface(): DiscoverySurface {
  let listing: Listing | undefined;
  let kept: { of: Listing; text: string; document: Promise<EncodedDocument> } | undefined;
  const currentDocument = () => {
    if (listing === undefined || kept?.of === listing) return kept?.document;
    const text = renderAiCatalog(listing.servers);
    // Most changes are of health, which it does not tell.
    const document = kept?.text === text ? kept.document : encodeDocument(text);
    kept = { of: listing, text, document };
    return document;
  };
  const app = new Hono();
  app.get(aiCatalogPath, async (c) => {
    const as = { contentType: "application/json", cacheControl: cardCacheControl };
    return serveDocument(c, await currentDocument(), as);
  });
  return {
    app,
    isPublicRead: (path) => path === aiCatalogPath,
    update(next) {
      listing = next;
    },
  };
}
