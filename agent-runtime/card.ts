// GET /mcp/server-card (CAT-11): who this agent is and how to connect, for whoever asks, with or without a token.
// Everything in it is in the run configuration; only the URL is as the client knows it.
import { Hono } from "hono";
import type { RunCard } from "../crds/run-config.ts";
import {
  cardCacheControl,
  serverCardMediaType,
  serverCardSchemaUrl,
  serverCardUrl,
  type ServerCard,
} from "../crds/server-card.ts";
import { protocolVersions } from "../lib/mcp/protocol-versions.ts";
import { digest, matchesEtag } from "../lib/process/entity-tag.ts";
import { urlAsAsked } from "./published-url.ts";

export const cardPath = serverCardUrl("/mcp");
const allowed = "GET, HEAD, OPTIONS";

/**
 * Mount before what asks for a token.
 * @param readCard the card's facts as they are now; undefined, as an older operator leaves it, is 404
 */
export function createCardApp(version: string, readCard: () => Promise<RunCard | undefined>): Hono {
  const app = new Hono();
  app.get(cardPath, async (c) => {
    const card = await readCard();
    if (card === undefined) return c.json({ error: "not_found", message: "this agent has no server card" }, 404);
    const body = JSON.stringify(renderCard(card, version, urlAsAsked(card.url, c.req.url)));
    const etag = `"${digest(body)}"`;
    const headers = { ETag: etag, "Cache-Control": cardCacheControl };
    if (matchesEtag(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    return c.body(body, 200, { ...headers, "Content-Type": serverCardMediaType });
  });
  app.all(cardPath, (c) => {
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allowed });
    const message = `${c.req.method} is not served at ${cardPath}; use ${allowed}`;
    return c.json({ error: "method_not_allowed", message }, 405, { Allow: allowed });
  });
  return app;
}

const renderCard = ({ name, title, description }: RunCard, version: string, url: string): ServerCard => ({
  $schema: serverCardSchemaUrl,
  name,
  title,
  description,
  version,
  remotes: [{ type: "streamable-http", url, supportedProtocolVersions: protocolVersions }],
});
