// While a call runs: whether it waits for a person, and the way to where they decide. The gateway asks people by policy before it calls.
import { pendingResource, pendingUri } from "../../data/approvals.ts";
import { useResource } from "../../page.ts";
import { Icon } from "../../parts/icon.tsx";
import { link } from "../../route/route.ts";
import { testerWords as words } from "../../words/tester.ts";
import type { Request } from "./sent-message.ts";

/** An approval that was there before counts too: the same call asked again is answered by it. */
export function WaitsForPerson({ server, request }: { server: string; request: Request }) {
  const { data } = useResource(pendingUri, pendingResource).value;
  if (request.kind !== "tools") return null;
  const waiting = data?.find((each) => each.agent_id === null && each.server === server && each.tool === request.name);
  if (waiting === undefined) return null;
  return (
    <p class="row wait">
      <Icon name="approvals" />
      <span>
        {`${words.waitsForPerson} `}
        <a href={link(["approvals", waiting.call_id])}>{words.toApproval}</a>
      </span>
    </p>
  );
}
