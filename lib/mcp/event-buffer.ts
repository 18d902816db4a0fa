/**
 * What was sent on the streams of 2025-era sessions lately, so that a client whose connection broke takes its stream up again
 * with Last-Event-ID (AGT-6). One buffer for all sessions of an endpoint, bounded in bytes and age: the oldest go first, and
 * a client that comes back too late gets 400. A session sees its own events only.
 */
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { rpcCodes } from "./json-rpc.ts";
import type { Clock } from "../process/clock.ts";

export interface EventLimits {
  /** Of all events together, each counted with its JSON text and a fixed amount for the rest. */
  maxBytes: number;
  maxAgeMs: number;
}

/** Enough for the answers of a busy minute; a bound on what hostile clients can make us keep. */
export const defaultEventLimits: Readonly<EventLimits> = { maxBytes: 4 * 1024 * 1024, maxAgeMs: 5 * 60_000 };

/** What an event takes beside its text. */
const entryBytes = 256;
/** The SDK's word for the event that opens a stream and says nothing. */
const emptyMessage = "{}";

interface Entry {
  streamId: string;
  json: string;
  storedAtMs: number;
  owner: Set<string>;
}

export interface SessionEvents extends EventStore {
  /** Forgets the session's events. */
  drop(): void;
}

/** Times by `clock`. */
export class EventBuffer {
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #limits: EventLimits;
  readonly #clock: Clock;
  #lastId = 0;
  #heldBytes = 0;

  constructor(limits: EventLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Bytes held, for tests and for whoever wonders. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The events of one session. */
  openSession(): SessionEvents {
    const own = new Set<string>();
    const find = (id: string): Entry | undefined => {
      this.#evict(0);
      return own.has(id) ? this.#entries.get(id) : undefined;
    };
    return {
      storeEvent: async (streamId, message) => this.#store(own, streamId, message),
      getStreamIdForEventId: async (id) => find(id)?.streamId,
      replayEventsAfter: async (lastEventId, { send }) => {
        const streamId = find(lastEventId)?.streamId;
        if (streamId === undefined) throw new Error("the event is not kept any more");
        for (const id of own) {
          const entry = this.#entries.get(id);
          const isLater = Number(id) > Number(lastEventId) && entry?.streamId === streamId;
          if (isLater && entry.json !== emptyMessage) await send(id, parseMessage(entry.json));
        }
        return streamId;
      },
      drop: () => own.forEach((id) => this.#delete(id)),
    };
  }

  #store(owner: Set<string>, streamId: string, message: JSONRPCMessage): string {
    const id = String((this.#lastId += 1));
    const json = this.#fit(message);
    this.#evict(json.length + entryBytes);
    this.#entries.set(id, { streamId, json, storedAtMs: this.#clock.now(), owner });
    owner.add(id);
    this.#heldBytes += json.length + entryBytes;
    return id;
  }

  /** The message's text; of one too large to keep, an error in its place, so that whoever resumes does not wait for it. */
  #fit(message: JSONRPCMessage): string {
    const json = JSON.stringify(message);
    if (json.length <= this.#limits.maxBytes / 4) return json;
    if (!("id" in message) || "method" in message) return emptyMessage;
    const text = "The answer was lost with the connection and is too large to be repeated: call again";
    return JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: rpcCodes.serverError, message: text } });
  }

  /** Makes room for `neededBytes` and drops what is too old. */
  #evict(neededBytes: number): void {
    const oldestMs = this.#clock.now() - this.#limits.maxAgeMs;
    for (const [id, { storedAtMs }] of this.#entries) {
      if (storedAtMs > oldestMs && this.#heldBytes + neededBytes <= this.#limits.maxBytes) return;
      this.#delete(id);
    }
  }

  #delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.owner.delete(id);
    this.#heldBytes -= entry.json.length + entryBytes;
  }
}

const parseMessage = (json: string): JSONRPCMessage => JSONRPCMessageSchema.parse(JSON.parse(json));
