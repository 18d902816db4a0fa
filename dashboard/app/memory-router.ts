// Which card is open, kept in memory: a page in a host of MCP Apps has no address of its own. Links of the page are taken for it before the
// browser follows them.
import { signal } from "@preact/signals";
import { link, parseRoute, withQuery, type Router } from "../route/route.ts";

export function createMemoryRouter(): Router {
  const route = signal(parseRoute(link(["approvals"])));
  const go = (href: string) => void (route.value = parseRoute(href));
  return {
    route,
    go,
    setQuery: (values) => go(withQuery(route.peek(), values)),
    stop: () => undefined,
  };
}

/** For clicks anywhere in the page: nothing in it leads out of it. */
export function followLinks(event: MouseEvent, router: Pick<Router, "go">): void {
  const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (anchor === null) return;
  event.preventDefault();
  const href = anchor.getAttribute("href") ?? "";
  if (href.startsWith("#/")) router.go(href);
}
