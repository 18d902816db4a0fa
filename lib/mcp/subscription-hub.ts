// Who is to hear of which change, for all streams of an endpoint and both eras (MGM-2): the one listener of the table's
// sources. What a requester may not read never enters, and what all subscriptions take together is bounded. It sends nothing
// itself, and no requester's subscriptions are ever looked up by another's.
import type { Clock } from "../process/clock.ts";
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { type ListName, Subscriber } from "./subscriber.ts";
import type { IsFor, McpTable, Requester, ResourceSource } from "./table.ts";

/** Of one stream, or one session. */
export const maxSubscriptions = 1_024;
/** No resource has a longer name: it is unknown without being looked for. */
export const maxUriChars = 2_048;
/** Of all URIs together, each counted with what it takes beside its text. */
const maxHeldCharacters = 16 * 1024 * 1024;
const entryCharacters = 128;

export interface SubscriptionHub {
  /** The lists whose changes can be heard. */
  readonly lists: ReadonlySet<ListName>;
  /** Whether there are resources to subscribe to. */
  readonly hasResources: boolean;
  /** A reader of changes of `lists`. Whoever opens it closes it. */
  open(requester: Requester, lists: ReadonlySet<ListName>): HubSubscriber;
  /** Hears of no change any more. */
  close(): void;
}

export interface HubSubscriber {
  readonly subscriber: Subscriber;
  /** Throws a JsonRpcError when it would be one too many; false, and nothing else, when the requester may not read it. */
  subscribe(uri: string): boolean;
  /** Does nothing where there is no such subscription. */
  unsubscribe(uri: string): void;
  close(): void;
}

/** Undefined where nothing of the table ever changes. */
export function createSubscriptionHub({ tools, resources }: McpTable, clock: Clock): SubscriptionHub | undefined {
  if (tools.changes === undefined && resources === undefined) return undefined;
  const readers = createReaders(resources);
  const ofTools = createFollowing(tools.follow?.bind(tools));
  const subscribers = new Set<Subscriber>();
  let heldCharacters = 0;

  const announceList = (list: ListName, isFor: IsFor = () => true) => {
    for (const subscriber of subscribers) {
      if (subscriber.lists.has(list) && isFor(subscriber.requester)) subscriber.oweList(list);
    }
  };
  const announceUri = (uri: string, isFor: IsFor = () => true) => {
    for (const subscriber of readers.of(uri)) if (isFor(subscriber.requester)) subscriber.owe(uri);
  };
  const stops = [
    tools.changes?.((isFor) => announceList("tools", isFor)),
    resources?.changes((change) => {
      if ("list" in change) announceList("resources", change.isFor);
      else announceUri(change.uri, change.isFor);
    }),
  ];
  const mayRead = (uri: string, requester: Requester) =>
    uri.length <= maxUriChars && resources?.mayRead(uri, requester) === true;
  const remove = (subscriber: Subscriber, uri: string) => {
    if (!subscriber.has(uri)) return;
    subscriber.delete(uri);
    readers.delete(uri, subscriber);
    heldCharacters -= uri.length + entryCharacters;
  };
  const add = (subscriber: Subscriber, uri: string): boolean => {
    if (!mayRead(uri, subscriber.requester)) return false;
    if (subscriber.has(uri)) return true;
    if (subscriber.count >= maxSubscriptions) throw tooMany();
    if (heldCharacters + uri.length + entryCharacters > maxHeldCharacters) throw full();
    heldCharacters += uri.length + entryCharacters;
    subscriber.add(uri);
    readers.add(uri, subscriber);
    return true;
  };
  return {
    lists: new Set([
      ...(tools.changes === undefined ? [] : ["tools" as const]),
      ...(resources === undefined ? [] : ["resources" as const]),
    ]),
    hasResources: resources !== undefined,
    open(requester, lists) {
      const subscriber = new Subscriber({ requester, lists, mayRead, clock });
      subscribers.add(subscriber);
      const leaveTools = lists.has("tools") ? ofTools.enter() : undefined;
      return {
        subscriber,
        subscribe: (uri) => add(subscriber, uri),
        unsubscribe: (uri) => remove(subscriber, uri),
        close() {
          for (const uri of subscriber.uris) remove(subscriber, uri);
          subscriber.close();
          subscribers.delete(subscriber);
          leaveTools?.();
        },
      };
    },
    close() {
      stops.forEach((stop) => stop?.());
      readers.close();
      ofTools.close();
    },
  };
}

/** Whether anybody hears of changes of the list of tools. `follow` is called while somebody does. */
function createFollowing(follow: (() => () => void) | undefined) {
  const inside = new Set<symbol>();
  let stop: (() => void) | undefined;
  const close = () => {
    stop?.();
    stop = undefined;
  };
  return {
    /** What it returns may be called twice. */
    enter() {
      const own = Symbol("reader");
      inside.add(own);
      stop ??= follow?.();
      return () => {
        inside.delete(own);
        if (inside.size === 0) close();
      };
    },
    close,
  };
}

/** Who subscribes to what. The source is told of the first and the last of a resource, and of each where it differs between them. */
function createReaders(resources: Pick<ResourceSource, "follow" | "followOwn"> | undefined) {
  type Stop = (() => void) | undefined;
  const byUri = new Map<string, { subscribers: Map<Subscriber, Stop>; stop: Stop }>();
  return {
    of: (uri: string): Iterable<Subscriber> => byUri.get(uri)?.subscribers.keys() ?? [],
    add(uri: string, subscriber: Subscriber) {
      const known = byUri.get(uri) ?? { subscribers: new Map<Subscriber, Stop>(), stop: resources?.follow?.(uri) };
      byUri.set(uri, known);
      known.subscribers.set(subscriber, resources?.followOwn?.(uri, subscriber.requester));
    },
    delete(uri: string, subscriber: Subscriber) {
      const known = byUri.get(uri);
      known?.subscribers.get(subscriber)?.();
      known?.subscribers.delete(subscriber);
      if (known === undefined || known.subscribers.size > 0) return;
      byUri.delete(uri);
      known.stop?.();
    },
    close() {
      for (const { stop, subscribers } of byUri.values()) for (const each of [stop, ...subscribers.values()]) each?.();
      byUri.clear();
    },
  };
}

/** Says how many there may be; `found` where all come at once. */
export function tooMany(found?: number): JsonRpcError {
  const what = found === undefined ? "this would be one more" : `found ${found}`;
  const text = `Too many subscriptions: at most ${maxSubscriptions} resources for one stream, ${what}; unsubscribe from some, or listen on several streams`;
  return new JsonRpcError(rpcCodes.invalidParams, text);
}

const full = (): JsonRpcError =>
  new JsonRpcError(rpcCodes.serverError, "This server holds as many subscriptions as it has room for; try again later");
