// The last step before changed definitions count as approved: it repeats which, and sends the hash of what was read.
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath, type ServerPins, type ShownServer } from "../../data/servers.ts";
import { toProblem } from "../../connect/problem.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useOffBecause } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";

const approved = z.looseObject({});

interface AcceptDialogProps {
  server: ShownServer;
  pins: ServerPins;
  onClose(): void;
  /** The tools are others by now: what was read is not what would be approved. */
  onRefused(reason: string): void;
}

export function AcceptDialog({ server: { name }, pins, onClose, onRefused }: AcceptDialogProps): JSX.Element {
  const { rest, announcer } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"accepting">();
  const accept = () =>
    run("accepting", async () => {
      const body = { tools_hash: pins.tools_hash };
      try {
        await rest({ method: "POST", path: serverPath(name, "pins", "approve"), body, schema: approved });
      } catch (error) {
        const { kind, message } = toProblem(error);
        if (kind === "refused") onRefused(message);
        throw error;
      }
      announcer.sayNow(fill(words.accepted, { name }));
      onClose();
    });
  const tools = pins.changes.map(({ tool }) => tool).join(", ");
  return (
    <Dialog title={plural(words.acceptTitle, pins.changes.length, { name })} onClose={onClose}>
      <p>{fill(words.acceptWhat, { tools })}</p>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      {/* The focus is on Back, and what confirms is not where the press before was. */}
      <div class="row wrap servers-confirm">
        <Button onPress={onClose}>{words.cancel}</Button>
        <span class="space" />
        <Button look="red" offBecause={offline} onPress={accept}>
          {working === undefined ? words.acceptConfirm : words.accepting}
        </Button>
      </div>
    </Dialog>
  );
}
