// What stands in place of the list where no call waits.
import { Empty } from "../../parts/view-states.tsx";
import { approvalWords as words } from "../../words/approvals.ts";

export const NothingWaits = () => (
  <Empty title={words.emptyTitle}>
    <p>{words.emptyText}</p>
  </Empty>
);
