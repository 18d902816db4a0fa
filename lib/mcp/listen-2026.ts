// Streams of the 2026 era that a client opens to hear of changes, by `subscriptions/listen`. The second SDK judges the
// request; its own stream is not used, because it would take any URI, send each change by itself, and keep without bound what
// a reader does not take.
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import type { Clock, Timer } from "../process/clock.ts";
import { isEventStream, StalledReader } from "../process/event-stream.ts";
import type { Caller } from "./caller.ts";
import type { InboundRequest } from "./inbound-request.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import type { ListName } from "./subscriber.ts";
import { type HubSubscriber, type SubscriptionHub, maxSubscriptions, tooMany } from "./subscription-hub.ts";
import type { ResourceCalls } from "./resource-calls.ts";
import type { McpTable } from "./table.ts";

const keepAliveMs = 15_000;
const maxStreams = 1_024;
/** So that one caller does not take all. */
export const maxStreamsPerCaller = 64;

const headers = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
const encoder = new TextEncoder();

/** What the client asked for, and then what of it the server holds to. */
interface Filter {
  lists: ReadonlySet<ListName>;
  uris: readonly string[];
}

export interface Listening {
  /** The stream in place of the SDK's, unless the SDK has refused the request. */
  takeOver(judged: Response, inbound: InboundRequest): Promise<Response>;
  /** Ends all streams in the way that the protocol has for it. */
  close(): void;
}

interface OpenStream {
  readonly readable: ReadableStream<Uint8Array>;
  finish(): void;
}

interface ListeningParts {
  server: McpTable["server"];
  hub: SubscriptionHub;
  /** Absent where there are no resources. */
  resources: Pick<ResourceCalls, "maySubscribe"> | undefined;
  clock: Clock;
}

export function createListening({ server, hub, resources, clock }: ListeningParts): Listening {
  /** With their callers. */
  const open = new Map<OpenStream, string | undefined>();
  const listen = (id: unknown, filter: Filter, caller: Caller): OpenStream => {
    const subject = subjectOf(caller);
    checkRoom([...open.values()], subject);
    const lists = new Set([...filter.lists].filter((list) => hub.lists.has(list)));
    const subscription = hub.open({ caller }, lists);
    try {
      const uris = filter.uris.filter((uri) => subscription.subscribe(uri));
      const onEnd = () => open.delete(stream);
      const stream = openStream({ id, server, clock, honored: { lists, uris }, subscription, onEnd });
      open.set(stream, subject);
      if (lists.size === 0 && uris.length === 0) stream.finish();
      return stream;
    } catch (error) {
      subscription.close();
      throw error;
    }
  };
  return {
    async takeOver(judged, inbound) {
      if (!isEventStream(judged.headers)) return judged;
      await judged.body?.cancel();
      const { message, caller } = inbound;
      const id = message?.["id"];
      try {
        const filter = parseFilter(message);
        checkRoom([...open.values()], subjectOf(caller));
        const uris = resources === undefined ? [] : await findPermitted(filter.uris, inbound, resources);
        return new Response(listen(id, { ...filter, uris }, caller).readable, { headers });
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        return Response.json({ jsonrpc: "2.0", error: { code: error.code, message: error.message }, id });
      }
    },
    close: () => [...open.keys()].forEach((stream) => stream.finish()),
  };
}

const subjectOf = (caller: Caller) => (caller === "anyone" ? undefined : caller.subject);

/** What is refused is left out. */
async function findPermitted(
  uris: readonly string[],
  { message, request: { signal }, caller }: InboundRequest,
  { maySubscribe }: Pick<ResourceCalls, "maySubscribe">,
): Promise<string[]> {
  const params = message?.["params"];
  const said = isJsonObject(params) ? params["_meta"] : undefined;
  const context = { caller, signal, meta: isJsonObject(said) ? said : {} };
  const permitted = await Promise.all(
    uris.map(async (uri) => {
      try {
        return await maySubscribe(uri, context);
      } catch (error) {
        if (error instanceof JsonRpcError) return false;
        throw error;
      }
    }),
  );
  if (signal.aborted) throw new JsonRpcError(rpcCodes.serverError, "The request was given up before the stream began");
  return uris.filter((_, at) => permitted[at]);
}

function checkRoom(subjects: readonly (string | undefined)[], subject: string | undefined): void {
  const isFull = subjects.length >= maxStreams;
  const own = subjects.filter((other) => subject !== undefined && other === subject).length;
  if (!isFull && own < maxStreamsPerCaller) return;
  const limit = isFull ? `${maxStreams} streams` : `${maxStreamsPerCaller} streams for one caller`;
  throw new JsonRpcError(rpcCodes.serverError, `Too many streams: at most ${limit}; close those that are not needed`);
}

/** The SDK has refused what is no filter. Throws JsonRpcError when it names too many resources. */
function parseFilter(message: Record<string, unknown> | undefined): Filter {
  const params = message?.["params"];
  const filter = isJsonObject(params) && isJsonObject(params["notifications"]) ? params["notifications"] : {};
  const listed: unknown = filter["resourceSubscriptions"];
  const uris = new Set<string>();
  for (const uri of Array.isArray(listed) ? listed : []) if (typeof uri === "string") uris.add(uri);
  if (uris.size > maxSubscriptions) throw tooMany(uris.size);
  const lists = (["tools", "resources"] as const).filter((list) => filter[`${list}ListChanged`] === true);
  return { lists: new Set(lists), uris: [...uris] };
}

interface StreamParts {
  id: unknown;
  server: McpTable["server"];
  clock: Clock;
  honored: Filter;
  subscription: HubSubscriber;
  onEnd: () => void;
}

function openStream({ id, server, clock, honored, subscription, onEnd }: StreamParts): OpenStream {
  const own = { [SUBSCRIPTION_ID_META_KEY]: id };
  let keepAlive: Timer | undefined;
  let isOver = false;
  let sink: ReadableStreamDefaultController<Uint8Array>;
  const isTaken = () => (sink.desiredSize ?? 0) > 0;
  const end = () => {
    isOver = true;
    keepAlive?.cancel();
    attached.detach();
    subscription.close();
    onEnd();
  };
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      sink = controller;
      const params = { notifications: renderFilter(honored), _meta: own };
      sink.enqueue(renderEvents([{ method: "notifications/subscriptions/acknowledged", params }]));
    },
    pull: () => attached.onTaken(),
    cancel: () => end(),
  });
  const attached = subscription.subscriber.attach({
    isTaken,
    send: (notifications) =>
      sink.enqueue(
        renderEvents(
          notifications.map(({ method, ...rest }) => ({
            method,
            params: { ...("params" in rest ? rest.params : {}), _meta: own },
          })),
        ),
      ),
    endStalled() {
      end();
      sink.error(new StalledReader());
    },
  });
  const stayAlive = () => {
    keepAlive = clock.schedule(keepAliveMs, () => {
      if (isTaken()) sink.enqueue(encoder.encode(": keep-alive\n\n"));
      stayAlive();
    });
  };
  stayAlive();
  return {
    readable,
    finish() {
      if (isOver) return;
      end();
      const result = { resultType: "complete", _meta: { ...own, [SERVER_INFO_META_KEY]: server } };
      sink.enqueue(renderEvents([{ id, result }]));
      sink.close();
    },
  };
}

/** Only what the client asked for, in the words of the protocol. */
const renderFilter = ({ lists, uris }: Filter) => ({
  ...Object.fromEntries([...lists].map((list) => [`${list}ListChanged`, true])),
  ...(uris.length > 0 && { resourceSubscriptions: uris }),
});

/** In one piece: what goes out together is taken together. */
const renderEvents = (messages: readonly object[]): Uint8Array =>
  encoder.encode(
    messages.map((each) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...each })}\n\n`).join(""),
  );
