// Says at once when the server that is tried goes away, and when it is back. The form beside it stays as it is.
import { useEffect, useRef } from "preact/hooks";
import type { ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Mark } from "../../parts/mark.tsx";
import { fill } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";

function tellTrouble(server: string, known: ShownServer | undefined): string | undefined {
  if (known === undefined) return fill(words.serverGone, { server });
  if (known.state === "off") return fill(words.serverOff, { server });
  if (known.state === "ready" || known.state === "degraded") return undefined;
  return fill(words.serverState, { server, reason: known.reason ?? words.unknownReason });
}

export function ServerNotice({ server, known }: { server: string; known: ShownServer | undefined }) {
  const { announcer } = usePage();
  const trouble = tellTrouble(server, known);
  const before = useRef<{ told: string | undefined } | undefined>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = { told: trouble };
    // What was so from the beginning is read with the page.
    if (last === undefined || last.told === trouble) return;
    announcer.sayNow(trouble ?? fill(words.serverBack, { server }));
  }, [trouble, announcer, server]);
  if (trouble === undefined) return null;
  return (
    <p class="card pad row tester-notice">
      <Mark state={known?.state ?? "error"} />
      <span>{trouble}</span>
    </p>
  );
}
