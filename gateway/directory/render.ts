// What the directory answers: entries in the generic form, cards as they came in with what is known of them, and pages of both as one
// JSON text, rendered piece by piece, since a page of cards may be far longer than what is sent at a time.
import type { Identity } from "../../lib/auth/roles.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Page } from "./discover.ts";
import { isMcpEndpoint, type DirectoryEndpoint, type DirectoryEntry } from "./entry.ts";

export const renderEndpoint = (endpoint: DirectoryEndpoint, { observe }: Pick<Catalogue, "observe">) => {
  const liveness = observe(endpoint);
  const { id, name, transport, protocol, address, livenessModel } = endpoint;
  const { ttlSeconds = null, heartbeatIntervalSeconds = null, protocolMetadata = null } = endpoint;
  return {
    ...{ id, name, transport, protocol, address, livenessModel, ttlSeconds, heartbeatIntervalSeconds },
    isLive: liveness !== "dead",
    liveness,
    protocolMetadata,
  };
};

/** Who owns it is not for everybody: callers without a token read null. */
export function renderEntry(entry: DirectoryEntry, catalogue: Catalogue, identity: Identity | undefined) {
  const { id, name, description = null, labels, capabilities, endpoints, createdAt = null, updatedAt = null } = entry;
  return {
    ...{ id, name, description },
    ownerId: identity === undefined ? null : (entry.registration?.spec.owner ?? null),
    labels,
    capabilities: capabilities.map(({ name: own, description: about = null, tags = [] }, position) => ({
      ...{ id: `${id}/${position}`, name: own, description: about, tags },
    })),
    endpoints: endpoints.map((endpoint) => renderEndpoint(endpoint, catalogue)),
    ...{ createdAt, updatedAt },
  };
}

/** Undefined where it serves no MCP over Streamable HTTP. */
export function renderEntryCard({ card, id, endpoints }: DirectoryEntry, { isLive }: Pick<Catalogue, "isLive">) {
  return card?.({ id, isLive: endpoints.some((endpoint) => isMcpEndpoint(endpoint) && isLive(endpoint)) });
}

export function* renderPage<Item>(
  { items, ...totals }: Page<Item>,
  renderItem: (item: Item) => string,
): Generator<string> {
  yield '{"items":[';
  for (const [position, item] of items.entries()) yield (position === 0 ? "" : ",") + renderItem(item);
  yield `],${JSON.stringify(totals).slice(1)}`;
}

/** A piece is made when its reader has taken the one before. */
export function renderChunks(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}
