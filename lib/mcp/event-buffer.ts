// What was sent on the streams of 2025-era sessions lately, so that a client whose connection broke takes its stream up again
// with Last-Event-ID (AGT-6). One buffer for all sessions of an endpoint, bounded in bytes and age: who holds most gives way
// first, its oldest before its newer ones, and a client that comes back too late gets 400. A session sees its own events
// only, and no id is ever used twice: one of an earlier process is unknown.
import { randomBytes } from "node:crypto";
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

/** The events of one session: ids in the order of their events. */
interface Holder {
  ids: Set<string>;
  bytes: number;
}

interface Entry {
  /** Rises with each event of the buffer. */
  number: number;
  streamId: string;
  json: string;
  storedAtMs: number;
  holder: Holder;
}

export interface SessionEvents extends EventStore {
  /** Forgets the session's events. */
  drop(): void;
}

/** Times by `clock`. */
export class EventBuffer {
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** Those that hold any event. */
  readonly #holders = new Set<Holder>();
  readonly #limits: EventLimits;
  readonly #clock: Clock;
  /** Of this buffer alone: a counter by itself begins anew in every process, and would name another stream's events. */
  readonly #prefix = randomBytes(8).toString("hex");
  #lastNumber = 0;
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
    const holder: Holder = { ids: new Set(), bytes: 0 };
    const find = (id: string): Entry | undefined => {
      this.#dropOld();
      return holder.ids.has(id) ? this.#entries.get(id) : undefined;
    };
    return {
      storeEvent: async (streamId, message) => this.#store(holder, streamId, message),
      getStreamIdForEventId: async (id) => find(id)?.streamId,
      replayEventsAfter: async (lastEventId, { send }) => {
        const last = find(lastEventId);
        if (last === undefined) throw new Error("the event is not kept any more");
        for (const id of holder.ids) {
          const entry = this.#entries.get(id);
          const isLater = entry?.streamId === last.streamId && entry.number > last.number;
          if (isLater && entry.json !== emptyMessage) await send(id, parseMessage(entry.json));
        }
        return last.streamId;
      },
      drop: () => holder.ids.forEach((id) => this.#delete(id)),
    };
  }

  #store(holder: Holder, streamId: string, message: JSONRPCMessage): string {
    const number = (this.#lastNumber += 1);
    const id = `${this.#prefix}-${number}`;
    const json = this.#fit(message);
    const bytes = json.length + entryBytes;
    this.#dropOld();
    this.#entries.set(id, { number, streamId, json, storedAtMs: this.#clock.now(), holder });
    this.#holders.add(holder);
    holder.ids.add(id);
    holder.bytes += bytes;
    this.#heldBytes += bytes;
    this.#makeRoom();
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

  #dropOld(): void {
    const oldestMs = this.#clock.now() - this.#limits.maxAgeMs;
    for (const [id, { storedAtMs }] of this.#entries) {
      if (storedAtMs > oldestMs) return;
      this.#delete(id);
    }
  }

  /** Whoever holds most loses its oldest, down to an even share: a busy session takes no other's. */
  #makeRoom(): void {
    while (this.#heldBytes > this.#limits.maxBytes) {
      const shareBytes = this.#limits.maxBytes / this.#holders.size;
      let most: Holder | undefined;
      for (const holder of this.#holders) if (most === undefined || holder.bytes > most.bytes) most = holder;
      for (const id of most?.ids ?? []) {
        this.#delete(id);
        if (this.#heldBytes <= this.#limits.maxBytes || (most?.bytes ?? 0) <= shareBytes) break;
      }
    }
  }

  #delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { holder, json } = entry;
    const bytes = json.length + entryBytes;
    this.#entries.delete(id);
    holder.ids.delete(id);
    holder.bytes -= bytes;
    if (holder.ids.size === 0) this.#holders.delete(holder);
    this.#heldBytes -= bytes;
  }
}

const parseMessage = (json: string): JSONRPCMessage => JSONRPCMessageSchema.parse(JSON.parse(json));
