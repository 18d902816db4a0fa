// The revisions of MCP that an endpoint of ours speaks, newest first: those of both eras.
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";

/** The only one of its era; the SDK that serves it exports no list. */
const of2026Era = "2026-07-28";

export const protocolVersions: readonly string[] = [of2026Era, ...SUPPORTED_PROTOCOL_VERSIONS];
