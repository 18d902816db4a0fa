// What one session of the 2025 era has subscribed to: taken from its requests, told on its GET stream, kept for when it is
// resumed. While no stream is open, what changes is owed; each resource once.
import { StalledReader } from "../process/event-stream.ts";
import type { Caller } from "./caller.ts";
import { JsonRpcError } from "./json-rpc.ts";
import type { KeptSubscriptions } from "./kept-subscriptions.ts";
import { observeBody } from "./response-body.ts";
import type { Server2025, Subscriptions2025 } from "./server-2025.ts";
import type { SubscriptionHub } from "./subscription-hub.ts";

export interface SessionSubscriptions extends Subscriptions2025 {
  /** Who uses the session now; always the same subject. */
  identify(caller: Caller): void;
  /** Takes up what a session of this id had subscribed to, as far as its caller may still read it. */
  restore(uris: readonly string[]): void;
  /** Sends changes on the GET stream that this response is. */
  carry(response: Response, notify: Server2025["notify"], onEnd: () => void): Response;
  close(): void;
}

interface SessionSubscriptionOptions {
  sessionId: string;
  caller: Caller;
  /** Absent where no session is ever resumed. */
  kept: KeptSubscriptions | undefined;
}

export function openSessionSubscriptions(
  hub: SubscriptionHub,
  { sessionId, caller, kept }: SessionSubscriptionOptions,
): SessionSubscriptions {
  // A client of this era hears of lists without asking.
  const { subscriber, ...subscription } = hub.open({ caller, sessionId }, hub.lists);
  return {
    subscribe(uri) {
      const isKnown = subscription.subscribe(uri);
      if (isKnown) kept?.save(sessionId, subscriber.uris);
      return isKnown;
    },
    unsubscribe(uri) {
      subscription.unsubscribe(uri);
      kept?.save(sessionId, subscriber.uris);
    },
    identify: (current) => (subscriber.requester = { caller: current, sessionId }),
    restore(uris) {
      for (const uri of uris) {
        try {
          subscription.subscribe(uri);
        } catch (error) {
          if (error instanceof JsonRpcError) break;
          throw error;
        }
      }
      subscriber.oweAll();
    },
    carry(response, notify, onEnd) {
      const body = observeBody(response, {
        onTaken: () => attached.onTaken(),
        onEnd() {
          attached.detach();
          onEnd();
        },
      });
      const attached = subscriber.attach({
        isTaken: body.isTaken,
        send: (notifications) => notifications.forEach(notify),
        endStalled: () => body.fail(new StalledReader()),
      });
      return body.response;
    },
    close: subscription.close,
  };
}
