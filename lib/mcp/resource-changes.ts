// Hears when resources of a server change, those that are followed and their list: in the 2025 era by a subscription for each,
// in the 2026 era by one stream, which is opened anew when they are others. What a server refuses is not heard of, and hinders
// nothing else.
import type { Client } from "@modelcontextprotocol/client";
import { keepListening } from "./tool-changes.ts";

/** `{ list }`: the list of resources, or that of templates. */
export type HeardChange = { readonly uri: string } | { readonly list: true };

export interface FollowedResources {
  /** In place of those before; they count as changed where changes may have been missed. */
  follow(uris: readonly string[]): void;
}

const subscribeTimeoutMs = 10_000;

/** Follows the list at once, where the server says that it tells of it, until `closing` aborts. */
export function followResources(
  client: Client,
  closing: AbortSignal,
  onChange: (change: HeardChange) => void,
): FollowedResources {
  const offered = client.getServerCapabilities()?.resources;
  if (offered === undefined) return { follow: () => undefined };
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onChange({ uri: params.uri }));
  client.setNotificationHandler("notifications/resources/list_changed", () => onChange({ list: true }));
  const hasList = offered.listChanged === true;
  if (client.getProtocolEra() !== "modern") return follow2025(client, closing);
  const followed = follow2026(client, closing, onChange, hasList);
  if (hasList) followed.follow([]);
  return followed;
}

function follow2025(client: Client, signal: AbortSignal): FollowedResources {
  const options = { signal, timeout: subscribeTimeoutMs };
  let followed: ReadonlySet<string> = new Set();
  const ignore = () => undefined;
  return {
    follow(uris) {
      const wanted = new Set(uris);
      for (const uri of wanted) if (!followed.has(uri)) client.subscribeResource({ uri }, options).catch(ignore);
      for (const uri of followed) if (!wanted.has(uri)) client.unsubscribeResource({ uri }, options).catch(ignore);
      followed = wanted;
    },
  };
}

function follow2026(
  client: Client,
  closing: AbortSignal,
  onChange: (change: HeardChange) => void,
  hasList: boolean,
): FollowedResources {
  let current = new AbortController();
  return {
    follow(uris) {
      current.abort();
      current = new AbortController();
      if (uris.length === 0 && !hasList) return;
      void keepListening(client, {
        filter: { resourceSubscriptions: [...uris], ...(hasList ? { resourcesListChanged: true } : {}) },
        closing: AbortSignal.any([closing, current.signal]),
        onMissed() {
          for (const uri of uris) onChange({ uri });
          if (hasList) onChange({ list: true });
        },
      });
    },
  };
}
