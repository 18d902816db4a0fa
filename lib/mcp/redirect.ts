// Where an answer's Location may lead a request (SEC-5): to the same host and port, or from http to https of that host. What
// a redirect to another host names would be called with our place in the network, and its answer read back. And what of a
// request goes there: to another origin, as https is to http, no header that may be a secret (BRR-3).

/** A redirect that is not followed. Its code puts it among network faults. */
export class RedirectError extends Error {
  override readonly name = "RedirectError";
  readonly code = "EREDIRECT";
}

/** Longer than any URL in use; the URL parser takes more than its share of time for longer ones. */
const maxLocationChars = 4_096;

/** The URL that a Location names. Throws RedirectError for what is none. */
export function parseLocation(location: string, from: URL): URL {
  if (location.length <= maxLocationChars && URL.canParse(location, from)) return new URL(location, from);
  throw new RedirectError(
    `a redirect from ${from.origin} was refused: its Location is not a URL, or longer than ${maxLocationChars} characters`,
  );
}

/**
 * Throws RedirectError where `method` to `from` may not go on at `to` after `status`. It names the server to configure instead,
 * and no path: that is the answering server's to choose, and may hold what was sent to it.
 */
export function judgeRedirect(redirect: { from: URL; to: URL; status: number; method: string }): void {
  const { from, to, status, method } = redirect;
  const place = /^https?:$/.test(to.protocol) ? to.origin : to.protocol;
  if (!isSameServer(from, to)) {
    throw new RedirectError(
      `a redirect from ${from.origin} to ${place} was refused: it would leave the host, or encryption; ` +
        "configure the URL that it leads to instead",
    );
  }
  if (method === "POST" && status !== 307 && status !== 308) {
    const text = `HTTP ${status} to ${place} would turn the POST into a GET; configure the URL that it leads to instead`;
    throw new RedirectError(text);
  }
}

function isSameServer(from: URL, to: URL): boolean {
  if (to.origin === from.origin) return true;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && to.hostname === from.hostname;
  return isUpgrade && (to.port === "" || to.port === from.port);
}

/** What another origin may see. An allow-list: any other header may be a secret of the first origin. */
const portableHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

/** The headers of a request that goes on from one URL at the other. */
export function renderCarried(headers: Headers, { from, to }: { from: URL; to: URL }): Headers {
  if (to.origin === from.origin) return headers;
  return new Headers([...headers].filter(([name]) => portableHeaders.has(name)));
}
