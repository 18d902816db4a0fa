// The revisions of MCP that an endpoint of ours speaks, newest first: those of both eras.

/** As the SDK that serves them has them, and written down so that nobody loads it for a list; a test compares. */
export const versionsOf2025Era: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The only one of its era; the SDK that serves it exports no list. */
const of2026Era = "2026-07-28";

export const protocolVersions: readonly string[] = [of2026Era, ...versionsOf2025Era];
