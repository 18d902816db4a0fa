// Which headers pass between a client and an agent: those that the protocol needs, and no others. So neither hop-by-hop
// headers, cookies nor a token go through, nor does CORS, which is the gateway's own. Pure.
import { callerHeader, renderCaller, renderVouched, type Vouched } from "../../lib/auth/gateway-caller.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const toAgent: ReadonlySet<string> = new Set([
  "accept",
  "content-length",
  "content-type",
  "last-event-id",
  "traceparent",
  "tracestate",
  "user-agent",
]);
const toClient: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-length",
  "content-type",
  "retry-after",
  "x-accel-buffering",
]);

/** `Mcp-Session-Id`, `MCP-Protocol-Version`, `Mcp-Method` and what else MCP says by headers. */
const isOfProtocol = (name: string) => name.startsWith("mcp-");

export interface AgentHeaderParts {
  subject: string;
  authorization: string | undefined;
  /** By whom the request is, with the gateway's own token; absent while the gateway has none. */
  vouched: { caller: Vouched; proof: string } | undefined;
}

/**
 * What an agent gets of a client's headers: with `authorization` where there is one for it, and by whom the request is, so that
 * sessions and conversations are their callers' (`callerHeader`).
 */
export function renderAgentHeaders(
  headers: Headers,
  { subject, authorization, vouched }: AgentHeaderParts,
): Record<string, string> {
  return {
    ...pick(headers, toAgent),
    [callerHeader]: renderCaller(subject),
    ...(authorization === undefined ? {} : { authorization }),
    ...(vouched && renderVouched(vouched.caller, vouched.proof)),
  };
}

export const renderClientHeaders = (headers: Headers): Record<string, string> => pick(headers, toClient);

function pick(headers: Headers, wanted: ReadonlySet<string>): Record<string, string> {
  const ofConnection = new Set(
    String(headers["connection"] ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || ofConnection.has(name)) continue;
    if (wanted.has(name) || isOfProtocol(name)) picked[name] = value;
  }
  return picked;
}
