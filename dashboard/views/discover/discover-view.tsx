// Finding a tool for what one wants done, among those that one may call; and finding a server that others publish, to install it.
import type { JSX } from "preact";
import { usePage } from "../../page.ts";
import { link } from "../../route/route.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { InstallView } from "./install-view.tsx";
import { SearchView } from "./search-view.tsx";

export function DiscoverView(): JSX.Element {
  const { router } = usePage();
  const { path, query } = router.route.value;
  const isInstall = path[1] === "install";
  const question = query.get("q");
  return (
    <>
      <header class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
        <nav class="facets" aria-label={words.tabs}>
          <a href={link(["discover"], { q: question })} {...(!isInstall && { "aria-current": "page" as const })}>
            {words.tools}
          </a>
          <a
            href={link(["discover", "install"], { q: question })}
            {...(isInstall && { "aria-current": "page" as const })}
          >
            {words.installTab}
          </a>
        </nav>
      </header>
      {isInstall ? <InstallView /> : <SearchView />}
    </>
  );
}
