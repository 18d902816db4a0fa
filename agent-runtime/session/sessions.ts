// Which history a call works on (AGT-5): by the agent's scope, the MCP session and the session_id argument, and that only who
// may use it does. One call at a time has a history open, or clears it.
import { randomUUID } from "node:crypto";
import { maxConversations, type Conversation } from "../../crds/conversations.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { Caller, NamedCaller } from "../../lib/mcp/caller.ts";
import { isOwnedBy, mintOwnedId } from "../../lib/mcp/owned-id.ts";
import { defined } from "../../lib/process/defined.ts";
import { CallerError } from "../call-error.ts";
import { createKeyedLock } from "./lock.ts";
import { openStored, openUnkept, type OpenHistory } from "./open-history.ts";
import type { HistoryPage, PageRequest, SessionStore, StoredSummary, SummaryRequest } from "./store.ts";

/** No such session. The message says what to do. */
export class UnknownSession extends CallerError {
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
  /** Whose room it takes; "" for nobody's in particular. */
  owner: string;
  /** The id to give back to the caller, where that is how the history is found again. */
  sessionId?: string;
}

export interface Sessions {
  /** The history a new call works on; mints a session_id where it has no other name. Rejects with UnknownSession. */
  resolve(claim: SessionClaim): Promise<SessionRef>;
  /** Waits for the history and loads it. Rejects with QueueFull, TooManyCalls, a problem of the store, or the signal's reason. */
  open(ref: SessionRef, signal: AbortSignal): Promise<OpenHistory>;
  /** A part of what was said in a conversation, without waiting for calls on it. Rejects with UnknownSession. */
  readPage(claim: SessionClaim, request: PageRequest): Promise<HistoryPage>;
  /**
   * The conversations that a caller can go on with by their ids, or the one that is everybody's, the most recently used first.
   * Waits for no call. Rejects with StoreError.
   */
  list(caller: NamedCaller): Promise<Conversation[]>;
  /** Forgets a conversation after the calls on it; returns how many messages it had. Rejects like resolve and open. */
  clear(claim: SessionClaim, signal: AbortSignal): Promise<number>;
  /** Whether the connection has a history, from this process or one before it. Rejects with StoreError. */
  isKnownConnection(connectionId: string): Promise<boolean>;
  /** Forgets a connection's history, once the calls that have it are done. Rejects with StoreError; it is then still known. */
  forgetConnection(connectionId: string): Promise<void>;
}

const connectionKey = (id: string) => `connection:${id}`;
const sessionPrefix = "session:";
const sessionKey = (id: string) => `${sessionPrefix}${id}`;
/** The id that names the conversation of a key; undefined where none does. */
const findSessionId = (key: string) => (key.startsWith(sessionPrefix) ? key.slice(sessionPrefix.length) : undefined);
const sharedKey = "shared";
/** In place of a session_id: a conversation of its own, also in a connection that has one (AGT-13). */
export const newConversation = "new";
/** Nothing is stored under it. */
const unkeptKey = "request";

/** Who may not take the room of others: an authenticated caller, else a connection. Others are told apart by nothing. */
function renderOwner({ caller, connectionId }: Pick<SessionClaim, "caller" | "connectionId">): string {
  if (caller !== "anyone") return `caller ${caller.subject}`;
  return connectionId === undefined ? "" : `connection ${connectionId}`;
}

/** What a caller alone can go on with. */
function renderOwn(caller: NamedCaller): SummaryRequest {
  const isWanted = (key: string) => {
    const id = findSessionId(key);
    return id !== undefined && isOwnedBy(id, caller);
  };
  return { owner: renderOwner({ caller }), isWanted, max: maxConversations };
}

const renderConversation = (stored: StoredSummary, answering: boolean): Conversation => ({
  ...defined({ sessionId: findSessionId(stored.key), turns: stored.turns }),
  title: stored.title,
  begunAt: new Date(stored.createdAtMs).toISOString(),
  lastAt: new Date(stored.usedAtMs).toISOString(),
  answering,
});

interface SessionsOptions {
  scope: RunConfig["scope"];
  /** Calls that may wait for one history. */
  maxQueued: number;
  /** Calls that may have a history at the same time, kept or not; any number when absent. */
  maxRunning?: number;
  onRefused?: (reason: "concurrent" | "queued") => void;
  store: SessionStore;
}

/** Sessions of one agent over `store`. */
export function createSessions(options: SessionsOptions): Sessions {
  const { scope, maxQueued, maxRunning = Number.POSITIVE_INFINITY, store } = options;
  const lock = createKeyedLock(options.onRefused);
  /** Keys that are on their way out. */
  const forgotten = new Set<string>();

  const findNamed = async (sessionId: string, caller: Caller): Promise<SessionRef> => {
    const key = sessionKey(sessionId);
    if (scope === "connection" && isOwnedBy(sessionId, caller) && (await store.has(key))) {
      return { key, kept: true, owner: renderOwner({ caller }), sessionId };
    }
    throw new UnknownSession(
      scope === "connection"
        ? `session_id is not known to this agent, or has expired: send "${newConversation}" to start a conversation`
        : `session_id is not used by this agent, whose scope is ${scope}: leave it out`,
    );
  };
  /** Of a conversation that is there, or may be. */
  const findKey = async ({ sessionId, connectionId, caller }: SessionClaim): Promise<string> => {
    if (sessionId !== undefined) return (await findNamed(sessionId, caller)).key;
    if (scope === "shared") return sharedKey;
    if (connectionId !== undefined) return connectionKey(connectionId);
    throw new UnknownSession("this request belongs to no session: give the session_id that send_message returned");
  };

  return {
    async resolve({ sessionId, connectionId, caller }) {
      const isNew = scope === "connection" && sessionId === newConversation;
      if (sessionId !== undefined && !isNew) return findNamed(sessionId, caller);
      if (scope === "shared") return { key: sharedKey, kept: true, owner: "" };
      if (scope === "request") return { key: unkeptKey, kept: false, owner: "" };
      const owner = renderOwner({ caller, connectionId });
      if (connectionId !== undefined && !isNew) return { key: connectionKey(connectionId), kept: true, owner };
      const fresh = mintOwnedId(caller);
      return { key: sessionKey(fresh), kept: true, owner, sessionId: fresh };
    },
    async open(ref, signal) {
      // A history that is not kept is this call's alone.
      const key = ref.kept ? ref.key : `${unkeptKey}:${randomUUID()}`;
      const unlock = await lock.acquire(key, { maxQueued, maxHeld: maxRunning, signal });
      if (!ref.kept) return openUnkept(unlock);
      return openStored(store, ref, unlock);
    },
    readPage: async (claim, request) => store.readPage(await findKey(claim), request),
    async list(caller) {
      if (scope === "request") return [];
      const stored = await store.listSummaries(scope === "shared" ? { key: sharedKey } : renderOwn(caller));
      return stored.map((each) => renderConversation(each, lock.isHeld(each.key)));
    },
    async clear(claim, signal) {
      const key = await findKey(claim);
      const release = await lock.acquire(key, { maxQueued, signal });
      return store.clear(key).finally(release);
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
