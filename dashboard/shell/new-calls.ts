// Tells of calls that begin to wait for this person, in whichever view they are: politely to screen readers, and as a notification of the
// browser where they asked for that and do not look at the page. Neither has a value of the call in it.
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../page.ts";
import { plural } from "../words/fill.ts";
import { verdictWords as words } from "../words/verdicts.ts";
import { usePending } from "./waiting.ts";

export function useNewCallsTold(): void {
  const { announcer, settings } = usePage();
  const { data } = usePending().value;
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const mine = data.filter(({ may_decide }) => may_decide);
    const before = known.current;
    known.current = new Set(mine.map(({ call_id }) => call_id));
    // What waited when the page was opened is in the number of the navigation.
    const added = before === undefined ? [] : mine.filter(({ call_id }) => !before.has(call_id));
    const [first] = added;
    if (first === undefined) return;
    const tool = `${first.server} / ${first.tool}`;
    announcer.say(plural(words.newWaits, added.length, { tool }));
    if (settings.notify.peek() && document.hidden && Notification.permission === "granted") {
      new Notification(plural(words.notify, mine.length), { body: tool, tag: "pallas-approvals" });
    }
  }, [data, announcer, settings]);
}
