// Keys that work anywhere in the page: Ctrl K, and single keys where no field has the focus and the person has not switched them off. They
// only move about; none decides anything.
import { useEffect } from "preact/hooks";
import { usePage } from "../page.ts";
import { link } from "../route/route.ts";
import { moveInList } from "./list-keys.ts";
import { isTyping } from "./typing.ts";
import type { ViewName } from "./views.tsx";

/** Behind `g`. */
const goKeys: Readonly<Record<string, ViewName>> = {
  a: "agents",
  p: "approvals",
  s: "servers",
  d: "discover",
  t: "tester",
  c: "calls",
};

const secondKeyMs = 1_500;

export function useShortcuts({ openGoTo, openKeys }: { openGoTo(): void; openKeys(): void }): void {
  const { settings, router, time } = usePage();
  useEffect(() => {
    let goAtMs = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const hasModifier = event.ctrlKey || event.metaKey;
      if (hasModifier && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openGoTo();
        return;
      }
      if (hasModifier || event.altKey || !settings.keys.peek() || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const view = goKeys[event.key];
      if (view !== undefined && time.elapsed() - goAtMs < secondKeyMs) {
        goAtMs = Number.NEGATIVE_INFINITY;
        event.preventDefault();
        router.go(link([view]));
        return;
      }
      if (event.key === "g") goAtMs = time.elapsed();
      if (event.key === "?") openKeys();
      if ((event.key === "j" || event.key === "k") && moveInList(event.key)) event.preventDefault();
      if (event.key === "/") {
        const field = document.querySelector<HTMLElement>("main [data-find]");
        if (field === null) return;
        event.preventDefault();
        field.focus();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [settings, router, time, openGoTo, openKeys]);
}
