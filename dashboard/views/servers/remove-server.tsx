// Removing a server: its name is typed first, with who uses it in sight.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath, type ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useOffBecause } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";

const deleted = z.looseObject({});
const maxNames = 8;

export function RemoveServer({ server, back }: { server: ShownServer; back: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="red" onPress={() => setOpen(true)}>
        {words.remove}
      </Button>
      {isOpen && <RemoveDialog server={server} back={back} onClose={() => setOpen(false)} />}
    </>
  );
}

interface RemoveDialogProps {
  server: ShownServer;
  back: string;
  onClose(): void;
}

function RemoveDialog({ server: { name, used_by: users }, back, onClose }: RemoveDialogProps): JSX.Element {
  const { rest, router, announcer } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"removing">();
  const [typed, setTyped] = useState("");
  const off = offline ?? (typed === name ? undefined : words.removeOff);
  const remove = () =>
    run("removing", async () => {
      await rest({ method: "DELETE", path: serverPath(name), schema: deleted });
      announcer.say(fill(words.removed1, { name }));
      onClose();
      router.go(back);
    });
  const names = users.slice(0, maxNames).join(", ");
  return (
    <Dialog title={fill(words.removeTitle, { name })} onClose={onClose}>
      <p>{words.removeWhat}</p>
      {users.length > 0 && <p class="warn">{plural(words.removeUsers, users.length, { names })}</p>}
      <TextField label={fill(words.removeField, { name })} value={typed} onInput={setTyped} mono autoFocus />
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      <div class="row wrap">
        <Button onPress={onClose}>{words.cancel}</Button>
        <span class="space" />
        <Button look="red" offBecause={off} onPress={remove}>
          {working === undefined ? fill(words.removeConfirm, { name }) : words.removing}
        </Button>
      </div>
    </Dialog>
  );
}
