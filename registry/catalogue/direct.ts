// Reads of the catalogue on node's own objects: the application would answer the same, but several times as slowly.
// Whatever is not plain (another Host, a query, another method, nothing to serve yet) is left to the application.
import { cataloguePath } from "../../crds/catalogue.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { chooseEncoding } from "../../lib/process/content-encoding.ts";
import { createHostCheck, publicReadHeaders } from "../../lib/process/http-guard.ts";
import type { DirectHandler } from "../../lib/process/http-server.ts";
import type { Logger } from "../../lib/process/log.ts";
import { requestIdHeader, requestIdOf } from "../request-id.ts";
import type { EncodedDocument } from "./document.ts";
import { chooseAnswer, type DocumentAnswer } from "./serve-document.ts";

/** Clients send few different headers; hostile ones must not fill the memory. */
const rememberedHeaders = 64;
/** What Node takes of all headers together is more. */
const rememberedHeaderChars = 256;

export interface DirectCatalogueOptions {
  current: () => EncodedDocument | undefined;
  allowedHosts: readonly string[];
  log: Logger;
}

/** Throws on a malformed entry of the allow-list. */
export function directCatalogue({ current, allowedHosts, log }: DirectCatalogueOptions): DirectHandler {
  const isAllowedHost = remember(createHostCheck(allowedHosts));
  const encodingOf = remember(chooseEncoding);
  const linesOf = flattenOnce();
  return ({ method, url, headers: asked }, outgoing) => {
    if (url !== cataloguePath || (method !== "GET" && method !== "HEAD")) return false;
    const document = current();
    if (document === undefined || !isAllowedHost(asked.host ?? "")) return false;
    const startedMs = systemClock.now();
    const given = asked["x-request-id"];
    const requestId = requestIdOf(typeof given === "string" ? given : undefined);
    const encoding = encodingOf(asked["accept-encoding"]?.toString() ?? "");
    const { status, headers, body } = chooseAnswer(document, encoding, asked["if-none-match"]);
    outgoing.writeHead(status, [...linesOf(headers), requestIdHeader, requestId]);
    outgoing.end(method === "GET" ? body : null);
    const durationMs = Math.round((systemClock.now() - startedMs) * 10) / 10;
    log.debug({ requestId, method, path: cataloguePath, status, durationMs }, "request served");
    return true;
  };
}

/** Names and values in turn, those of public reads among them, made once for each representation. */
function flattenOnce(): (headers: DocumentAnswer["headers"]) => readonly string[] {
  const known = new WeakMap<object, readonly string[]>();
  return (headers) => {
    const before = known.get(headers);
    if (before !== undefined) return before;
    const lines = Object.entries({ ...headers, ...publicReadHeaders }).flat();
    known.set(headers, lines);
    return lines;
  };
}

/** Keeps what was found for a header, since parsing it costs as much as the answer. */
function remember<T>(find: (header: string) => T): (header: string) => T {
  const known = new Map<string, T>();
  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const found = find(header);
    if (known.size >= rememberedHeaders) known.clear();
    if (header.length <= rememberedHeaderChars) known.set(header, found);
    return found;
  };
}
