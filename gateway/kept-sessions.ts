// Which MCP sessions of the 2025 era were opened here, and what each of them subscribes to, so that a process started anew
// takes them up again: one file, replaced as a whole a moment after a change, and never while a request waits. Nothing
// secret is in it: an id fits only the caller who opened the session (lib/mcp/owned-id.ts), who still needs a token.
// What does not fit the limits is forgotten, oldest first, and its client opens a new session.
import * as z from "zod";
import type { KeptSubscriptions } from "../lib/mcp/kept-subscriptions.ts";
import type { Clock, Timer } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";
import { readLimited, replaceFile } from "./replaced-file.ts";

export const maxKeptSessions = 4_096;
export const maxFileBytes = 4 * 1024 * 1024;
/** What is lost when the process is killed. */
export const writeDelayMs = 200;

export interface KeptSessions extends KeptSubscriptions {
  isKnown(sessionId: string): boolean;
  add(sessionId: string): void;
  forget(sessionId: string): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface KeptSessionsOptions {
  path: string;
  log: Logger;
  clock: Clock;
}

const fileSchema = z.object({
  schema: z.literal(1),
  sessions: z.array(z.tuple([z.string().regex(/^[0-9a-f]{64}$/), z.array(z.string())])).max(maxKeptSessions),
});
const [opening, closing] = ['{"schema":1,"sessions":[', "]}\n"];

interface Kept {
  uris: readonly string[];
  /** As it stands in the file, once it has been written. */
  text?: string;
}

/** In the order of their latest change, oldest first. */
type Sessions = Map<string, Kept>;

/** Begins with what a process before this one has left. A file that cannot be used is dropped, and the log says so. */
export async function openKeptSessions({ path, log, clock }: KeptSessionsOptions): Promise<KeptSessions> {
  const sessions = await readSessions(path, log);
  let isDirty = false;
  let timer: Timer | undefined;
  let writing: Promise<void> | undefined;

  const write = async () => {
    isDirty = false;
    try {
      await replaceFile(path, renderFitting(sessions));
    } catch (error) {
      log.warn({ path, err: error }, "sessions could not be written: after a restart their clients open new ones");
    }
  };
  const note = () => {
    isDirty = true;
    if (writing !== undefined || timer !== undefined) return;
    timer = clock.schedule(writeDelayMs, () => {
      timer = undefined;
      writing = write().finally(() => {
        writing = undefined;
        if (isDirty) note();
      });
    });
  };
  const put = (sessionId: string, uris: readonly string[]) => {
    sessions.delete(sessionId);
    sessions.set(sessionId, { uris });
    note();
  };
  return {
    isKnown: (sessionId) => sessions.has(sessionId),
    add: (sessionId) => put(sessionId, []),
    save: put,
    forget(sessionId) {
      if (sessions.delete(sessionId)) note();
    },
    async load(sessionId) {
      const { uris } = sessions.get(sessionId) ?? { uris: [] };
      // It is in use again, and so not among the oldest.
      if (sessions.has(sessionId)) put(sessionId, uris);
      return uris;
    },
    async close() {
      await writing;
      timer?.cancel();
      timer = undefined;
      if (isDirty) await write();
    },
  };
}

async function readSessions(path: string, log: Logger): Promise<Sessions> {
  try {
    const text = await readLimited(path, maxFileBytes);
    if (text === undefined) return new Map();
    const { sessions } = fileSchema.parse(JSON.parse(text));
    return new Map(sessions.map(([id, uris]) => [id, { uris }]));
  } catch (error) {
    log.warn({ path, err: error }, "kept sessions cannot be read and are dropped: their clients open new ones");
    return new Map();
  }
}

/** The file's text. Forgets what has no room in it, so that memory and disk hold the same. */
function renderFitting(sessions: Sessions): string {
  const texts: string[] = [];
  let leftBytes = maxFileBytes - opening.length - closing.length;
  for (const [id, kept] of [...sessions].toReversed()) {
    kept.text ??= JSON.stringify([id, kept.uris]);
    const bytes = Buffer.byteLength(kept.text) + (texts.length === 0 ? 0 : 1);
    if (texts.length === maxKeptSessions || bytes > leftBytes) {
      sessions.delete(id);
    } else {
      texts.push(kept.text);
      leftBytes -= bytes;
    }
  }
  return opening + texts.toReversed().join(",") + closing;
}
