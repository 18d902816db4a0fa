// What the tester keeps while the page is open: what was filled in for each tool, and the last calls with what came of them. In memory
// alone, for one person: arguments of calls are in no address and in no storage.
import { signal, type Signal } from "@preact/signals";
import type { Page } from "../../page.ts";
import type { Json } from "../../parts/schema-form/json-text.ts";
import type { TriedKind } from "./names.ts";
import type { Outcome } from "./outcome.ts";
import type { Request } from "./sent-message.ts";

/** Where a request was written, so that it can be filled in there again. */
export interface RequestOrigin {
  readonly kind: TriedKind;
  readonly name: string;
  readonly value: Json;
}

export interface PastCall {
  readonly key: number;
  readonly server: string;
  readonly request: Request;
  readonly form: RequestOrigin;
  readonly outcome: Outcome;
  /** Milliseconds since the epoch, when it was sent. */
  readonly at: number;
  readonly durationMs: number;
  /** What came by last before it ended without an answer. */
  readonly lastHeard: string | undefined;
}

export interface TesterMemory {
  readonly subject: string;
  readonly past: Signal<readonly PastCall[]>;
  /** The one whose answer is on screen. */
  readonly shown: Signal<PastCall | undefined>;
  readonly drafts: Map<string, Json>;
}

export const maxPastCalls = 50;
const maxPastBytes = 32 * 1024 * 1024;
const maxDrafts = 200;

const memories = new WeakMap<Page["session"], TesterMemory>();

/** Of this person; what belonged to another one is forgotten. */
export function memoryOf(session: Page["session"], subject: string): TesterMemory {
  const found = memories.get(session);
  if (found?.subject === subject) return found;
  const memory = {
    subject,
    past: signal<readonly PastCall[]>([]),
    shown: signal<PastCall | undefined>(undefined),
    drafts: new Map<string, Json>(),
  };
  memories.set(session, memory);
  return memory;
}

/** The newest first: so many, and so many bytes of answers. */
export function addPast(past: readonly PastCall[], call: Omit<PastCall, "key">): readonly PastCall[] {
  const added = [{ ...call, key: (past[0]?.key ?? 0) + 1 }, ...past].slice(0, maxPastCalls);
  let bytes = 0;
  return added.filter(({ outcome }, index) => {
    bytes += outcome.bytes;
    return index === 0 || bytes <= maxPastBytes;
  });
}

export function keepDraft({ drafts }: Pick<TesterMemory, "drafts">, key: string, value: Json): void {
  drafts.delete(key);
  drafts.set(key, value);
  const [oldest] = drafts.keys();
  if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest);
}
