// Which history a call works on (AGT-5): by the agent's scope, the MCP session and the session_id argument. It opens that
// history under its lock and leaves it valid whatever happens to the call.
import { randomUUID } from "node:crypto";
import type { RunConfig } from "../../crds/run-config.ts";
import type { Caller } from "../../lib/mcp/caller.ts";
import { isOwnedBy, mintOwnedId } from "../../lib/mcp/owned-id.ts";
import { CallFault } from "../call-fault.ts";
import type { ModelMessage } from "../model/types.ts";
import { createKeyedLock } from "./lock.ts";
import type { SessionStore } from "./store.ts";
import { listMessages, renderInterrupted, type HistoryEntry } from "./transcript.ts";

/** No such session. The message says what to do. */
export class UnknownSession extends CallFault {
  override readonly name = "UnknownSession";
}

/** What a caller says of the conversation it means. */
export interface SessionClaim {
  /** The `session_id` argument. */
  sessionId?: string | undefined;
  /** The `Mcp-Session-Id` of its connection. */
  connectionId?: string | undefined;
  /** Who asks: a session_id is its caller's alone. */
  caller: Caller;
}

export interface SessionRef {
  key: string;
  /** False: the history is dropped with the call. */
  kept: boolean;
  /** The id to give back to the caller, where that is how the history is found again. */
  sessionId?: string;
}

/** A history in use by one call. */
export interface OpenHistory {
  readonly entries: readonly HistoryEntry[];
  append(entry: HistoryEntry): Promise<void>;
  /** Closes open tool calls as interrupted and lets the next call in. May be called more than once. */
  close(): Promise<void>;
}

export interface Sessions {
  /** The history a new call works on; mints a session_id where it has no other name. Rejects with UnknownSession. */
  resolve(claim: SessionClaim): Promise<SessionRef>;
  /** Waits for the history and loads it. Rejects with QueueFull, TooManyCalls, a fault of the store, or the signal's reason. */
  open(ref: SessionRef, signal: AbortSignal): Promise<OpenHistory>;
  /** All that was said in a conversation, without waiting for calls on it. Rejects with UnknownSession. */
  read(claim: SessionClaim): Promise<readonly ModelMessage[]>;
  /** Whether the connection has a history, from this process or one before it. Rejects with StoreFault. */
  isKnownConnection(connectionId: string): Promise<boolean>;
  /** Forgets a connection's history, once the calls that have it are done. Rejects with StoreFault; it is then still known. */
  forgetConnection(connectionId: string): Promise<void>;
}

const connectionKey = (id: string) => `connection:${id}`;
const sessionKey = (id: string) => `session:${id}`;
const sharedKey = "shared";
/** In place of a session_id: a conversation of its own, also in a connection that has one (AGT-13). */
export const newConversation = "new";
/** Nothing is stored under it. */
const unkeptKey = "request";

/** Sessions of one agent over `store`. */
export function createSessions(options: {
  scope: RunConfig["scope"];
  /** Calls that may wait for one history. */
  maxQueued: number;
  /** Calls that may have a history at the same time, kept or not; any number when absent. */
  maxRunning?: number;
  onRefused?: (reason: "concurrent" | "queued") => void;
  store: SessionStore;
}): Sessions {
  const { scope, maxQueued, maxRunning = Number.POSITIVE_INFINITY, store } = options;
  const lock = createKeyedLock(options.onRefused);
  /** Keys that are on their way out. */
  const forgotten = new Set<string>();

  const findNamed = async (sessionId: string, caller: Caller): Promise<SessionRef> => {
    const key = sessionKey(sessionId);
    if (scope === "connection" && isOwnedBy(sessionId, caller) && (await store.has(key)))
      return { key, kept: true, sessionId };
    throw new UnknownSession(
      scope === "connection"
        ? `session_id is not known to this agent, or has expired: send "${newConversation}" to start a conversation`
        : `session_id is not used by this agent, whose scope is ${scope}: leave it out`,
    );
  };
  const read = async (key: string) => listMessages(await store.load(key));

  return {
    async resolve({ sessionId, connectionId, caller }) {
      const isNew = scope === "connection" && sessionId === newConversation;
      if (sessionId !== undefined && !isNew) return findNamed(sessionId, caller);
      if (scope === "shared") return { key: sharedKey, kept: true };
      if (scope === "request") return { key: unkeptKey, kept: false };
      if (connectionId !== undefined && !isNew) return { key: connectionKey(connectionId), kept: true };
      const fresh = mintOwnedId(caller);
      return { key: sessionKey(fresh), kept: true, sessionId: fresh };
    },
    async open(ref, signal) {
      // A history that is not kept is this call's alone.
      const key = ref.kept ? ref.key : `${unkeptKey}:${randomUUID()}`;
      const unlock = await lock.acquire(key, { maxQueued, maxHeld: maxRunning, signal });
      if (!ref.kept) return openUnkept(unlock);
      return openStored(store, ref.key, unlock);
    },
    async read({ sessionId, connectionId, caller }) {
      if (sessionId !== undefined) return read((await findNamed(sessionId, caller)).key);
      if (scope === "shared") return read(sharedKey);
      if (connectionId !== undefined) return read(connectionKey(connectionId));
      throw new UnknownSession("this request belongs to no session: give the session_id that send_message returned");
    },
    async isKnownConnection(connectionId) {
      const key = connectionKey(connectionId);
      return scope === "connection" && !forgotten.has(key) && (await store.has(key));
    },
    async forgetConnection(connectionId) {
      if (scope !== "connection") return;
      const key = connectionKey(connectionId);
      forgotten.add(key);
      try {
        const release = await lock.acquire(key);
        await store.remove(key).finally(release);
      } finally {
        forgotten.delete(key);
      }
    },
  };
}

const openUnkept = (unlock: () => void) => openHistory([], async () => {}, unlock);

/** Calls `unlock` when the history is closed, or cannot be opened. */
async function openStored(store: SessionStore, key: string, unlock: () => void): Promise<OpenHistory> {
  let release = unlock;
  try {
    const letGo = await store.hold(key);
    release = () => {
      letGo();
      unlock();
    };
    const history = openHistory(await store.load(key), (entry) => store.append(key, entry), release);
    await closeOpenCalls(history);
    return history;
  } catch (error) {
    release();
    throw error;
  }
}

function openHistory(
  stored: readonly HistoryEntry[],
  keep: (entry: HistoryEntry) => Promise<void>,
  release: () => void,
): OpenHistory {
  const entries = [...stored];
  const history: OpenHistory = {
    entries,
    async append(entry) {
      // Kept first: what the run acts on must be there after a restart.
      await keep(entry);
      entries.push(entry);
    },
    async close() {
      try {
        await closeOpenCalls(history);
      } catch (error) {
        // The call's own outcome counts for more, and whoever opens the history next closes it first.
        if (!(error instanceof CallFault)) throw error;
      } finally {
        release();
      }
    },
  };
  return history;
}

async function closeOpenCalls(history: OpenHistory): Promise<void> {
  const interrupted = renderInterrupted(history.entries);
  if (interrupted !== undefined) await history.append(interrupted);
}
