// The draft with its two sides, the form and the manifest's text, kept in step: what is changed on one side shows on the other, and a text
// that cannot be read keeps its side until it can, or until the form is put back.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Preset } from "../../data/presets.ts";
import { usePage } from "../../page.ts";
import { emptyDraft, type Draft } from "./draft.ts";
import { isEmpty, keep, readKept } from "./kept-draft.ts";
import { readManifest, renderManifest } from "./manifest-text.ts";

export interface DraftDesk {
  readonly draft: Draft;
  readonly text: string;
  /** Why the text is not what the form says. */
  readonly fault: string | undefined;
  /** What was there before a preset took its place. */
  readonly before: Draft | undefined;
  change(draft: Draft): void;
  write(text: string): void;
  /** The text anew from the form. */
  putBackText(): void;
  /** A preset in place of the spec; the name stays. */
  begin(preset: Preset | undefined): void;
  putBackDraft(): void;
  forget(): void;
}

/** @param start the preset that the address names, for whoever has begun nothing */
export function useDraft(subject: string, start: Preset | undefined): DraftDesk {
  const { instance, namespace } = usePage().config;
  const place = { instance, namespace };
  const [draft, setDraft] = useState<Draft>(
    () => readKept(sessionStorage, subject) ?? { ...emptyDraft, spec: start?.spec ?? {} },
  );
  const [written, setWritten] = useState<string | undefined>(undefined);
  const [before, setBefore] = useState<Draft | undefined>(undefined);
  const rendered = useMemo(() => renderManifest(draft, place), [draft, instance, namespace]);
  const text = written ?? rendered;
  const read = useMemo(() => (written === undefined ? undefined : readManifest(written, place)), [written]);
  useEffect(() => keep(sessionStorage, subject, draft), [draft, subject]);
  return {
    draft,
    text,
    fault: read?.ok === false ? read.problem : undefined,
    before,
    change(changed) {
      setWritten(undefined);
      setDraft(changed);
    },
    write(value) {
      setWritten(value);
      const found = readManifest(value, place);
      if (found.ok) setDraft(found.draft);
    },
    putBackText: () => setWritten(undefined),
    begin(preset) {
      setBefore(isEmpty({ ...draft, name: "" }) ? undefined : draft);
      setWritten(undefined);
      setDraft({ name: draft.name, spec: preset?.spec ?? {} });
    },
    putBackDraft() {
      if (before !== undefined) setDraft(before);
      setBefore(undefined);
      setWritten(undefined);
    },
    forget() {
      keep(sessionStorage, subject, emptyDraft);
    },
  };
}
