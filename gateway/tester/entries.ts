// What a server said and what was asked of it, a line each as GET /api/logs has them, in a ring that forgets the oldest: so many
// entries, and so many characters of them.
import { renderTime, type Clock } from "../../lib/process/clock.ts";

export type EntryKind = "call" | "ping" | "resource-read" | "prompt-get" | "notification" | "progress";

export interface Entry {
  readonly id: number;
  readonly timestamp: string;
  /** The server's name, as agents refer to it; of a transient one its handle. */
  readonly server: string;
  /** What it is about: a tool, a resource, a prompt, the method of a notification. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** JSON, or the sentence of what went wrong; cut where it is long. */
  readonly response: string;
  readonly latency_ms: number;
  readonly success: boolean;
  readonly kind: EntryKind;
}

export type NewEntry = Omit<Entry, "id" | "timestamp">;

export const ringBounds = { maxEntries: 200, maxChars: 512 * 1024 };
export const maxEntryChars = 16 * 1024;

/** Numbers entries, over all rings, so that those of several read in one order. */
export type Stamp = (entry: NewEntry) => Entry;

export function createStamp(clock: Clock): Stamp {
  let latest = 0;
  return (entry) => {
    latest += 1;
    return { id: latest, timestamp: renderTime(clock), ...entry };
  };
}

export interface Ring {
  push(entry: Entry): void;
  /** The newest first. */
  list(): readonly Entry[];
}

export function createRing({ maxEntries, maxChars } = ringBounds): Ring {
  const kept: { entry: Entry; chars: number }[] = [];
  let chars = 0;
  return {
    push(entry) {
      const added = { entry, chars: entry.tool.length + entry.response.length };
      kept.push(added);
      chars += added.chars;
      while (kept.length > maxEntries || (chars > maxChars && kept.length > 1)) chars -= kept.shift()?.chars ?? 0;
    },
    list: () => kept.map(({ entry }) => entry).toReversed(),
  };
}

/** A notification of a server. What it carries is left out where it is long, but for how it begins. */
export function renderNotification(server: string, method: string, params: Record<string, unknown>): NewEntry {
  const text = JSON.stringify(params);
  const tool = method.slice(0, 200);
  const base = { server, latency_ms: 0, success: true };
  const isLong = text.length > maxEntryChars;
  const args = isLong ? { truncated: true, chars: text.length } : params;
  const response = isLong ? `${text.slice(0, maxEntryChars)}…` : text;
  if (method !== "notifications/progress") return { ...base, tool, args, response, kind: "notification" };
  const { progressToken: token, ...rest } = args;
  return { ...base, tool: "progress", args: { ...(isLong ? {} : { token }), ...rest }, response, kind: "progress" };
}
