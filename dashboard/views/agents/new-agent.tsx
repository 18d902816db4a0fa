// The way to a new agent, or why there is none from here: the gateway writes nothing, or the role is missing.
import type { JSX } from "preact";
import { createRole } from "../../data/agents.ts";
import { usePage, type Page } from "../../page.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { NeedsRole } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { agentsWords as words } from "../../words/agents.ts";

/** Undefined where it writes. */
export function whyNoWrites({ config, caller }: Pick<Page, "config" | "caller">): string | undefined {
  if (config.local) return words.createOff.local;
  return caller.value?.management === "readWrite" ? undefined : words.createOff.approve;
}

export function NewAgent(): JSX.Element | null {
  const page = usePage();
  if (page.caller.value === undefined) return null;
  const why = whyNoWrites(page);
  if (why !== undefined) return <p class="note second agents-no-new">{why}</p>;
  return (
    <NeedsRole needed={createRole} action={words.creating}>
      <ButtonLink href={link(["agents", "new"])} icon="plus">
        {words.create}
      </ButtonLink>
    </NeedsRole>
  );
}
