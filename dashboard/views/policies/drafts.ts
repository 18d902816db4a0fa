// What somebody wrote and has not sent, kept for as long as the page is open, so that looking at another view loses nothing.
import { signal, type Signal } from "@preact/signals";
import { usePage, type Page } from "../../page.ts";

const maxDrafts = 32;
/** A page takes its drafts with it. */
const drafts = new WeakMap<Page, Map<string, Signal<string | undefined>>>();

/** Undefined until something was written. The one that was begun first gives way. */
export function useDraft(key: string): Signal<string | undefined> {
  const page = usePage();
  const own = drafts.get(page) ?? new Map<string, Signal<string | undefined>>();
  drafts.set(page, own);
  const draft = own.get(key) ?? signal<string | undefined>(undefined);
  own.set(key, draft);
  const [oldest] = own.keys();
  if (own.size > maxDrafts && oldest !== undefined) own.delete(oldest);
  return draft;
}
