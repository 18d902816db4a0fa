// The draft over a reload and other views: in the tab's session storage, for the person who wrote it, until an agent was made of it.
import * as z from "zod";
import { emptyDraft, type Draft } from "./draft.ts";

const storageKey = "pallas.new-agent";
const keptSchema = z.object({
  subject: z.string(),
  draft: z.object({ name: z.string(), spec: z.record(z.string(), z.unknown()) }),
});

export function readKept(storage: Pick<Storage, "getItem">, subject: string): Draft | undefined {
  try {
    const kept = keptSchema.parse(JSON.parse(storage.getItem(storageKey) ?? "null"));
    return kept.subject === subject ? kept.draft : undefined;
  } catch {
    return undefined;
  }
}

/** What does not fit into the storage is kept by the page alone. */
export function keep(storage: Pick<Storage, "setItem" | "removeItem">, subject: string, draft: Draft): void {
  try {
    if (isEmpty(draft)) storage.removeItem(storageKey);
    else storage.setItem(storageKey, JSON.stringify({ subject, draft }));
  } catch {
    storage.removeItem(storageKey);
  }
}

export const isEmpty = ({ name, spec }: Draft): boolean => name === emptyDraft.name && Object.keys(spec).length === 0;
