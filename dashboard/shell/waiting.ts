// How many calls wait for this person's decision: the one number of the navigation. From `resource://approvals/pending`, to which the page
// is always subscribed.
import { useResource } from "../page.ts";
import { pendingResource, pendingUri } from "../data/approvals.ts";

export function useWaitingForMe(): number {
  const { data } = useResource(pendingUri, pendingResource).value;
  return data?.filter(({ may_decide }) => may_decide).length ?? 0;
}

/** Those that wait, for whoever needs more than their number. */
export const usePending = () => useResource(pendingUri, pendingResource);
