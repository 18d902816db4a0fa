// GET /.well-known/ai-catalog.json (CAT-11): made anew when it is first asked for after a change of what
// it says, so that it takes no time from the catalogue, which clients ask for all the time.
import { Hono } from "hono";
import type { Logger } from "../../lib/process/log.ts";
import { aiCatalogPath, cardCacheControl } from "../../crds/server-card.ts";
import type { Listing } from "../catalogue/listing.ts";
import { LiveDocument } from "../catalogue/live-document.ts";
import { serveDocument } from "../catalogue/serve-document.ts";
import type { Surface } from "../surface.ts";
import { renderAiCatalog } from "./ai-catalog.ts";

export interface DiscoverySurface extends Surface {
  update(listing: Listing): void;
}

export function discoverySurface(log: Logger): DiscoverySurface {
  const document = new LiveDocument({ contentType: "application/json", cacheControl: cardCacheControl }, log);
  let listing: Listing | undefined;
  const currentDocument = () => {
    if (listing !== undefined) document.set(renderAiCatalog(listing.servers));
    listing = undefined;
    return document.current();
  };
  const app = new Hono();
  app.get(aiCatalogPath, (c) => serveDocument(c, currentDocument()));
  return {
    app,
    isPublicRead: (path) => path === aiCatalogPath,
    update(next) {
      listing = next;
    },
  };
}
