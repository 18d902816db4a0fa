// The first sight, without any agent: three lines that say what to do next.
import type { JSX } from "preact";
import { createRole } from "../../data/agents.ts";
import { usePage } from "../../page.ts";
import { Empty } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { hasRole } from "../../session/caller.ts";
import { agentsWords as words } from "../../words/agents.ts";
import { fill } from "../../words/fill.ts";
import { whyNoWrites } from "./new-agent.tsx";

export function NoAgents(): JSX.Element {
  const page = usePage();
  const { local, namespace } = page.config;
  const canCreate = whyNoWrites(page) === undefined && hasRole(page.caller.value, createRole);
  return (
    <div class="card">
      <Empty title={words.empty}>
        <p>{words.emptyNext}</p>
        <pre class="well">{local ? words.emptySteps.local : fill(words.emptySteps.cluster, { namespace })}</pre>
        {canCreate && (
          <p class="note">
            {words.emptyPreset} <a href={link(["agents", "new"])}>{words.create}</a>
          </p>
        )}
      </Empty>
    </div>
  );
}
