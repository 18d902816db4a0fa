// The approvals as they stand in a host of MCP Apps: the list and the card of the dashboard, without its other views.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { LoadingRows } from "../parts/view-states.tsx";
import { Icon } from "../parts/icon.tsx";
import { pendingResource, pendingUri } from "../data/approvals.ts";
import { useCardPage, useResource } from "../page.ts";
import { link } from "../route/route.ts";
import { LiveRegions } from "../shell/live-regions.tsx";
import { useHeadingFocus } from "../shell/use-heading-focus.ts";
import { ApprovalsBody } from "../views/approvals/approvals-body.tsx";
import { NothingWaits } from "../views/approvals/nothing-waits.tsx";
import type { CardPlace } from "../views/approvals/place.ts";
import { appWords as words } from "../words/app.ts";
import { approvalWords } from "../words/approvals.ts";
import { fill } from "../words/fill.ts";
import { followLinks } from "./memory-router.ts";

export interface ApprovalsAppProps {
  /** Why nothing can be decided here, and where it can. */
  cannotDecide: string | undefined;
  onRefresh(): void;
}

const placeOf = (cannotDecide: string | undefined): CardPlace => ({
  hrefOf: (callId) => link(["approvals", callId]),
  listHref: link(["approvals"]),
  policyHref: undefined,
  ruleHref: undefined,
  cannotDecide,
});

export function ApprovalsApp({ cannotDecide, onRefresh }: ApprovalsAppProps) {
  const { router, announcer } = useCardPage();
  const { data, problem } = useResource(pendingUri, pendingResource).value;
  const { path } = router.route.value;
  const place = useMemo(() => placeOf(cannotDecide), [cannotDecide]);
  const main = useRef<HTMLElement>(null);
  useHeadingFocus(main, path.join("/"));
  useEffect(() => {
    const onClick = (event: MouseEvent) => followLinks(event, router);
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }, [router]);
  return (
    <main class="approvals-app" ref={main}>
      {problem !== undefined && (
        <p class="problem bad" role="alert">
          <span class="row">
            <Icon name="error" /> {fill(words.notRead, { reason: problem.message })}
          </span>
        </p>
      )}
      {data === undefined && problem === undefined && <LoadingRows rows={3} />}
      {data !== undefined && (
        <ApprovalsBody
          label={approvalWords.waitingList}
          list={data}
          waiting={data}
          chosen={path[1]}
          place={place}
          actions={
            cannotDecide === undefined && (
              <Button look="quiet" small onPress={onRefresh}>
                {words.refresh}
              </Button>
            )
          }
          empty={<NothingWaits />}
          note={approvalWords.order}
        />
      )}
      <LiveRegions announcer={announcer} />
    </main>
  );
}
