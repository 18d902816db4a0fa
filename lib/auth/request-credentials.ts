// Where a request carries its token: in one Authorization header, or for WebSockets of browsers, which cannot send one, in one
// subprotocol, as Kubernetes clients do. Nowhere else: a token in a URL ends up in logs and histories, and of two tokens nobody
// can say which is meant.
import type { IncomingMessage } from "node:http";
import { refuseInvalid, refuseMisplaced, refuseMissing, type Refusal } from "./refusal.ts";
import { maxTokenChars } from "./token.ts";

/**
 * What a WebSocket speaks, and the one that the server answers with: a library that takes the first it is offered (`ws` without
 * `handleProtocols`) might repeat the other, which holds the token.
 */
export const websocketProtocol = "pallas.v1";
/** Before the token in base64url without padding. */
export const tokenProtocolPrefix = "base64url.bearer.authorization.pallas.";
const urlNames = ["access_token", "token", "bearer_token"] as const;
/** RFC 6750, and what else a token of a table may hold that a header can. */
const tokenForm = /^[\x21-\x2b\x2d-\x7e]+$/;

export interface RequestFacts {
  /** With its query. */
  url: string;
  /** Each Authorization header by itself. */
  authorization: readonly string[];
  /** Subprotocols that a WebSocket offers; empty for any other request. */
  protocols: readonly string[];
}

/** `headers` and `headers.authorization` of node would hide a second Authorization. */
export function readRequestFacts(incoming: Pick<IncomingMessage, "url" | "headersDistinct">): RequestFacts {
  const { authorization = [], upgrade = [], "sec-websocket-protocol": offered = [] } = incoming.headersDistinct;
  const isWebSocket = upgrade.some((each) => each.toLowerCase() === "websocket");
  const protocols = isWebSocket ? offered.flatMap((each) => each.split(",")).map((each) => each.trim()) : [];
  return { url: incoming.url ?? "", authorization, protocols };
}

/** The one token of a request, or why there is none. */
export function readCredentials(facts: RequestFacts, metadataUrl?: string): { kind: "token"; token: string } | Refusal {
  const refuse = (why: string) => refuseMisplaced(why, metadataUrl);
  const query = new URLSearchParams(facts.url.split("?", 2)[1]);
  if (urlNames.some((name) => query.has(name))) {
    return refuse("a token in the URL is not accepted: send it in the Authorization header");
  }
  const headers = facts.authorization.filter((header) => header !== "");
  const carrying = facts.protocols.filter((each) => each.startsWith(tokenProtocolPrefix));
  if (headers.length + carrying.length > 1) return refuse("several tokens in one request are not accepted: send one");
  const [header] = headers;
  const [protocol] = carrying;
  if (header === undefined && protocol === undefined) return refuseMissing(metadataUrl);
  if (protocol !== undefined && !facts.protocols.includes(websocketProtocol)) {
    return refuse(`a WebSocket with a token as subprotocol must offer ${websocketProtocol} too`);
  }
  const token = header === undefined ? decodeProtocol(protocol ?? "") : /^bearer +([^ ]+) *$/i.exec(header)?.[1];
  if (token === undefined || !tokenForm.test(token)) {
    return refuseInvalid("expected one token after Bearer", metadataUrl);
  }
  if (token.length > maxTokenChars) {
    return refuseInvalid(`the token is longer than ${maxTokenChars} characters`, metadataUrl);
  }
  return { kind: "token", token };
}

function decodeProtocol(protocol: string): string | undefined {
  const encoded = protocol.slice(tokenProtocolPrefix.length);
  const token = Buffer.from(encoded, "base64url");
  return token.toString("base64url") === encoded ? token.toString("latin1") : undefined;
}
