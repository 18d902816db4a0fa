// What browse answers (DSC-7): the shape of the interface it comes from, with where each server is from, how it would be started, what it
// wants to be told, and which source gave no answer. Pure.
import { parseCursor, renderCursor, type Cursor } from "./cursor.ts";
import type { Browsed } from "./browser.ts";
import type { SourceReport } from "./source-pool.ts";
import type { Listing, Offer, Variable } from "./listing.ts";

/** How its publisher's users start it; null for what is reached at a URL. */
export function commandOf({ runtime, name, version, args }: Offer): { command: string; args: string[] } | null {
  if (runtime === "node") return { command: "npx", args: ["-y", version ? `${name}@${version}` : name, ...args] };
  if (runtime === "python") return { command: "uvx", args: [version ? `${name}==${version}` : name, ...args] };
  return runtime === "docker" ? { command: "docker", args: ["run", "-i", "--rm", name, ...args] } : null;
}

const registryNames = {
  node: "npm",
  python: "pypi",
  docker: "oci",
  "streamable-http": "remote",
  sse: "remote",
} as const;

export const renderVariable = ({ name, description, isRequired, isSecret }: Variable) => ({
  name,
  description,
  required: isRequired,
  secret: isSecret,
});

function renderOffer(offer: Offer, { version }: Listing) {
  const command = commandOf(offer);
  const { runtime, name, license, env, headers, missingArgs } = offer;
  return {
    registry_name: registryNames[runtime],
    name,
    version: offer.version ?? version,
    runtime,
    license: license ?? null,
    command: command?.command ?? null,
    args: command?.args ?? [],
    ...(env.length > 0 && { env: env.map(renderVariable) }),
    ...(headers.length > 0 && { headers: headers.map(renderVariable) }),
    ...(missingArgs.length > 0 && { missing_args: missingArgs }),
  };
}

const renderListing = (listing: Listing) => ({
  name: listing.name,
  ...(listing.title !== undefined && { title: listing.title }),
  description: listing.description,
  version: listing.version,
  repository: listing.repository ?? null,
  source: listing.source.name,
  tags: listing.tags,
  packages: listing.offers.map((offer) => renderOffer(offer, listing)),
});

export const renderReport = ({ source, problem, count, leftOut }: SourceReport) => ({
  name: source.name,
  kind: source.kind,
  status: problem === undefined ? "ok" : "failed",
  count,
  ...(problem !== undefined && { error: problem }),
  ...(leftOut > 0 && { left_out: leftOut }),
});

export const renderBrowsed = ({ listings, reports, next }: Browsed) => ({
  servers: listings.map(renderListing),
  next_cursor: next === undefined ? null : renderCursor(next),
  sources: reports.map(renderReport),
});

/** What is wrong with a cursor, or the cursor. */
export function readCursor(text: string | undefined, query: string | undefined): Cursor | undefined | string {
  if (text === undefined || text === "") return undefined;
  const cursor = parseCursor(text);
  if (cursor === undefined) return "expected next_cursor of an earlier answer, found something else: begin without";
  const isOther = query !== undefined && query !== "" && query.trim() !== cursor.query;
  return isOther ? "is of another query: begin without, or leave the query out" : cursor;
}
