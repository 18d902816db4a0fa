// The two places from which screen readers read what the page says: politely, and at once.
import type { Announcer } from "./announcer.ts";

export const LiveRegions = ({ announcer }: { announcer: Announcer }) => (
  <>
    <div class="unseen" role="status" aria-live="polite">
      {announcer.polite}
    </div>
    <div class="unseen" role="alert" aria-live="assertive">
      {announcer.urgent}
    </div>
  </>
);
