// Answers the requests that list and read resources, the same for both eras, from a table's source. It asks whether the
// requester may read before it reads, and lets nobody tell what is hidden from what is not there.
import { cutPage } from "./list-pages.ts";
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { maxUriChars } from "./subscription-hub.ts";
import type {
  CallContext,
  Era,
  Requester,
  ResourceContents,
  ResourceEntry,
  ResourceSource,
  ResourceTemplate,
  SubscribeContext,
} from "./table.ts";

export interface ResourceCalls {
  list(cursor: string | undefined, requester: Requester): Promise<{ resources: ResourceEntry[]; nextCursor?: string }>;
  listTemplates(
    cursor: string | undefined,
    requester: Requester,
  ): Promise<{ resourceTemplates: ResourceTemplate[]; nextCursor?: string }>;
  /** Rejects with JsonRpcError where there is nothing for this requester. */
  read(uri: string, context: CallContext): Promise<{ contents: ResourceContents[] }>;
  /** False where it is unknown to this requester. Rejects with the JsonRpcError of the source where it is refused. */
  maySubscribe(uri: string, context: SubscribeContext): Promise<boolean>;
}

export function createResourceCalls(source: ResourceSource): ResourceCalls {
  return {
    async list(cursor, requester) {
      const { entries, ...next } = cutPage(await source.list(requester), ({ uri }) => uri, cursor);
      return { resources: [...entries], ...next };
    },
    async listTemplates(cursor, requester) {
      const { entries, ...next } = cutPage(await source.templates(requester), (each) => each.uriTemplate, cursor);
      return { resourceTemplates: [...entries], ...next };
    },
    async read(uri, context) {
      const mayRead = uri.length <= maxUriChars && source.mayRead(uri, context);
      const contents = mayRead ? await source.read(uri, context) : undefined;
      if (contents === undefined) throw unknownResource(uri, context.era);
      return { contents: [...contents] };
    },
    async maySubscribe(uri, context) {
      if (uri.length > maxUriChars || !source.mayRead(uri, context)) return false;
      return (await source.maySubscribe?.(uri, context)) ?? true;
    },
  };
}

/** Of a resource that is not there, or not for this requester. */
export function unknownResource(uri: string, era: Era): JsonRpcError {
  const code = era === "2025" ? rpcCodes.resourceNotFound : rpcCodes.invalidParams;
  const named = uri.length <= maxUriChars ? uri : `${uri.slice(0, maxUriChars)}…`;
  return new JsonRpcError(code, "Resource not found", { data: { uri: named } });
}
