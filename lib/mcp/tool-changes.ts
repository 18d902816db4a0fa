// Hears when a server's tools change: in the 2025 era on the stream that the transport keeps open, in the 2026 era on a
// subscription that is opened again with back-off when it ends. Neither hinders connecting or calling.
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { rpcCodes } from "./json-rpc.ts";
import { systemClock } from "../process/clock.ts";

const acknowledgeTimeoutMs = 10_000;
export const reopenFirstMs = 1_000;
const maxReopenMs = 30_000;
/** A subscription that lasted this long counts as one that works. */
const stableMs = 30_000;

/** How the transport opens the 2025-era stream again; after that a list's age alone decides. */
export const streamReconnection = {
  initialReconnectionDelay: reopenFirstMs,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: maxReopenMs,
  maxRetries: 8,
};

/** Calls `onChanged` for each change, and when changes may have been missed, until `closing` aborts. */
export function followToolChanges(client: Client, closing: AbortSignal, onChanged: () => void): void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  client.setNotificationHandler("notifications/tools/list_changed", onChanged);
  if (client.getProtocolEra() === "modern") {
    void keepListening(client, { filter: { toolsListChanged: true }, closing, onMissed: onChanged });
  }
}

export interface Listening {
  filter: Parameters<Client["listen"]>[0];
  closing: AbortSignal;
  /** Changes may have been missed. */
  onMissed: () => void;
}

/** Of the 2026 era. Never rejects. */
export async function keepListening(client: Client, { filter, closing, onMissed }: Listening): Promise<void> {
  let waitMs = reopenFirstMs;
  while (!closing.aborted) {
    const startedAt = systemClock.now();
    try {
      const options = { timeout: acknowledgeTimeoutMs, signal: closing };
      const subscription = await client.listen(filter, options);
      if ((await subscription.closed) === "local") return;
      onMissed();
    } catch (error) {
      if (isUnsupported(error)) return;
    }
    if (systemClock.now() - startedAt > stableMs) waitMs = reopenFirstMs;
    await sleep(waitMs, undefined, { signal: closing, ref: false }).catch(() => undefined); // Rejects only when closed.
    waitMs = Math.min(maxReopenMs, waitMs * 2);
  }
}

/** The server offers no subscriptions; any other failure may pass. */
function isUnsupported(error: unknown): boolean {
  return error instanceof ProtocolError
    ? error.code === rpcCodes.methodNotFound
    : error instanceof SdkHttpError && [400, 404, 405, 501].includes(error.status ?? 0);
}
