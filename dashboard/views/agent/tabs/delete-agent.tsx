// Deleting an agent: its name is typed first.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { TextField } from "../../../parts/field.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { useOffBecause } from "../../../parts/view-states.tsx";
import { link } from "../../../route/route.ts";
import { fill } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";

export function DeleteAgent({ name, onClose }: { name: string; onClose(): void }): JSX.Element {
  const { connection, announcer, router } = usePage();
  const offline = useOffBecause();
  const [typed, setTyped] = useState("");
  const { working, problem, run } = useAction<"removing">();
  const off = offline ?? (typed === name ? undefined : words.removeOff);
  const remove = () =>
    run("removing", async () => {
      await connection.call("agents_delete", { agent_id: name });
      announcer.say(fill(words.removed, { agent: name }));
      onClose();
      router.go(link(["agents"]));
    });
  return (
    <Dialog title={fill(words.removeTitle, { agent: name })} onClose={onClose}>
      <p>{words.removeWhat}</p>
      <TextField label={fill(words.removeField, { agent: name })} value={typed} onInput={setTyped} mono autoFocus />
      {problem !== undefined && (
        <p class="bad agent-tab-said" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      <div class="row wrap agent-tab-answer">
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button look="red" onPress={remove} offBecause={off}>
          {working === undefined ? fill(words.removeConfirm, { agent: name }) : words.removing}
        </Button>
      </div>
    </Dialog>
  );
}
