// What one session of a client talks to: a process of its own, or its view of one that is shared.
import type { Message, Received } from "../stdio/messages.ts";
import type { ProcessEvents } from "../stdio/server-process.ts";

export interface Peer {
  /** The server's answer to `initialize`. */
  readonly answer: Received;
  send(message: Message): void;
  /** Bytes sent that the server has not read. */
  unreadBytes(): number;
  end(): Promise<void>;
}

/** Opens one for a client that sent this `initialize`. Rejects with a JsonRpcError. */
export type OpenPeer = (initialize: Message, events: ProcessEvents) => Promise<Peer>;
