// The last step: what will be, and the button that makes it; or why it is not made from here.
import type { JSX } from "preact";
import { createRole } from "../../data/agents.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { createWords as words } from "../../words/create.ts";
import { fill } from "../../words/fill.ts";
import type { Draft } from "./draft.ts";
import { tellWillBe } from "./will-be.ts";

interface CreateButtonProps {
  draft: Draft;
  /** Why it is not to be made as it is. */
  off: string | undefined;
  isWorking: boolean;
  others: readonly string[];
  onCreate(): void;
}

export function CreateButton({ draft, off, isWorking, others, onCreate }: CreateButtonProps): JSX.Element {
  const { config, caller } = usePage();
  const offline = useOffBecause();
  const management = caller.value?.management;
  return (
    <section class="card pad stack create-last">
      <p>{tellWillBe(draft, config.instance)}</p>
      {others.length > 0 && (
        <div role="alert" class="stack">
          {others.map((reason) => (
            <p key={reason} class="bad create-said">
              {fill(words.failed, { reason })}
            </p>
          ))}
        </div>
      )}
      {config.local ? (
        <p class="second">{words.noWrites.local}</p>
      ) : management === "approve" ? (
        <p class="second">{words.noWrites.approve}</p>
      ) : (
        <NeedsRole needed={createRole} action={words.needs}>
          <div class="row wrap">
            <Button look="filled" offBecause={offline ?? off} onPress={onCreate}>
              {isWorking ? words.creating : words.create}
            </Button>
            <span class="note second">{words.willStart}</span>
          </div>
        </NeedsRole>
      )}
    </section>
  );
}
