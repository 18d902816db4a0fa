// The list of calls and, beside it, or in its place where there is no room, the one card that is open: in the page, and in hosts of MCP Apps. The
// open card is replaced by nothing but somebody's choice.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ShownApproval } from "../../data/approvals.ts";
import { narrow, useMedia } from "../../parts/use-media.ts";
import { useCardPage } from "../../page.ts";
import { isTyping } from "../../shell/typing.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { ApprovalList } from "./approval-list.tsx";
import { ApprovalCard } from "./card.tsx";
import type { CardPlace } from "./place.ts";

export interface BodyProps {
  /** What the list is called. */
  label: string;
  list: readonly ShownApproval[];
  /** All that wait. */
  waiting: readonly ShownApproval[];
  /** By the address. */
  chosen: string | undefined;
  place: CardPlace;
  /** Beside the heading. */
  actions: ComponentChildren;
  /** Above the list. */
  above?: ComponentChildren;
  /** In place of a list without anything in it. */
  empty: ComponentChildren;
  /** Below the list. */
  note?: string;
}

/** With room for both, the first call is opened by itself, once; afterwards only by somebody's choice. */
function useOpen(chosen: string | undefined, list: readonly ShownApproval[], isNarrow: boolean): string | undefined {
  const pinned = useRef<string | undefined>(undefined);
  if (chosen !== undefined) pinned.current = undefined;
  else if (!isNarrow) pinned.current ??= list[0]?.call_id;
  return chosen ?? (isNarrow ? undefined : pinned.current);
}

function useListKeys(list: readonly ShownApproval[], open: string | undefined, place: CardPlace): void {
  const { settings, router } = useCardPage();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!settings.keys.peek() || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const at = list.findIndex(({ call_id }) => call_id === open);
      const to = event.key === "j" ? at + 1 : event.key === "k" ? Math.max(0, at - 1) : undefined;
      const next = to === undefined ? undefined : list[to];
      if (next !== undefined && to !== at) router.go(place.hrefOf(next.call_id));
      if (event.key === "Escape" && open !== undefined) router.go(place.listHref);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [list, open, place, settings, router]);
}

export function ApprovalsBody({ label, list, waiting, chosen, place, actions, above, empty, note }: BodyProps) {
  const { caller, verdicts: desk } = useCardPage();
  const isNarrow = useMedia(narrow);
  const open = useOpen(chosen, list, isNarrow);
  useListKeys(list, open, place);
  const isAlone = isNarrow && open !== undefined;
  const shown = { place, desk };
  return (
    <>
      {!isAlone && (
        <div class="head">
          {open === undefined ? <h1 tabIndex={-1}>{words.title}</h1> : <p class="approvals-heading">{words.title}</p>}
          <span class="second approvals-who">{words.who}</span>
          <span class="space" />
          {actions}
        </div>
      )}
      <div class={isAlone ? "approvals-alone" : "approvals-both"}>
        {!isAlone && (
          <div class="card approvals-aside">
            {above}
            {list.length === 0 ? (
              empty
            ) : (
              <ApprovalList
                {...shown}
                label={label}
                rows={list}
                open={open}
                me={caller.value?.name}
                {...(note !== undefined && { note })}
              />
            )}
          </div>
        )}
        {open !== undefined && (
          <ApprovalCard
            {...shown}
            key={open}
            callId={open}
            listed={list.find(({ call_id }) => call_id === open)}
            waiting={waiting}
            isAlone={isAlone}
          />
        )}
      </div>
    </>
  );
}
