// Which headers pass between a client and a remote server: those that the protocol needs, and no others, with those that the
// configuration gives, whose secrets are read as they are now. So what a server repeats in a header of its own stays here.
import type { BridgeTarget } from "../../crds/bridge-config.ts";
import type { SecretReader } from "../environment.ts";

type RemoteTarget = Extract<BridgeTarget, { kind: "remote" }>;

const toServer: ReadonlySet<string> = new Set(["accept", "last-event-id", "traceparent", "tracestate"]);
const toClient: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-type",
  "retry-after",
  "x-accel-buffering",
]);

/** `Mcp-Session-Id`, `MCP-Protocol-Version`, `Mcp-Method` and what else MCP says by headers. */
const isOfProtocol = (name: string): boolean => name.startsWith("mcp-");

/** The headers of the configuration. Rejects with a sentence that names the secret which is not there. */
export async function readOwnHeaders(
  { headers }: Pick<RemoteTarget, "headers">,
  readSecret: SecretReader,
): Promise<Record<string, string>> {
  const entries = await Promise.all(
    headers.map(async (entry): Promise<[string, string]> => {
      const value = "value" in entry ? entry.value : await readSecret(entry.secret);
      if (!/^[\t\x20-\x7e]+$/.test(value)) {
        throw new Error(`has a header ${entry.name} whose value is empty or holds characters that no header has`);
      }
      return [entry.name.toLowerCase(), value];
    }),
  );
  return Object.fromEntries(entries);
}

/** What the server gets: the client's, its token only where that is forwarded, and over both those of the configuration. */
export function renderServerHeaders(
  client: Headers,
  own: Readonly<Record<string, string>>,
  { forwardInboundAuth }: Pick<RemoteTarget, "forwardInboundAuth">,
): Record<string, string> {
  const authorization = forwardInboundAuth ? client.get("authorization") : null;
  return {
    ...pick(client, toServer),
    ...(authorization !== null && { authorization }),
    ...own,
  };
}

export const renderClientHeaders = (server: Headers): Record<string, string> => pick(server, toClient);

function pick(headers: Headers, wanted: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => wanted.has(name) || isOfProtocol(name)));
}
