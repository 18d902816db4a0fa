// Entity tags of HTTP (RFC 9110 section 8.8.3): what they are made of, and whether a client has what it asks for.
import { createHash } from "node:crypto";

/** Short and the same for the same text; quoted, it is a strong tag. */
export const digest = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Weak comparison, as If-None-Match wants it: an intermediary may have weakened our tag. `etag` with its quotes. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((tag) => {
    const known = tag.trim();
    return known === "*" || known.replace(/^W\//, "") === etag;
  });
}
