// Ending all calls of an agent at once: asked once more, since they are other people's too.
import type { JSX } from "preact";
import * as z from "zod";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { useOffBecause } from "../../../parts/view-states.tsx";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";

const aborted = z.looseObject({ aborted: z.number().default(0) });

interface StopAllProps {
  name: string;
  count: number;
  onClose(): void;
}

export function StopAll({ name, count, onClose }: StopAllProps): JSX.Element {
  const { connection, announcer } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"stopping">();
  const stop = () =>
    run("stopping", async () => {
      const { structured } = await connection.call("agents_abort_agent", { agent_id: name });
      announcer.say(plural(words.stoppedAll, aborted.parse(structured ?? {}).aborted));
      onClose();
    });
  return (
    <Dialog title={fill(words.stopAllTitle, { agent: name })} onClose={onClose}>
      <p>{plural(words.stopAllWhat, count)}</p>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      <div class="row wrap agent-tab-answer">
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button look="red" onPress={stop} offBecause={offline}>
          {working === undefined ? words.stopAllConfirm : words.stopping}
        </Button>
      </div>
    </Dialog>
  );
}
