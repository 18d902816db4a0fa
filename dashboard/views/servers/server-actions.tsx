// What can be done with a server by whom: try its tools, read its log, switch it on and off, ask it now, count its failures anew, remove it.
// Where nothing can be written from here, or the role is missing, that stands in place of the buttons.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath, type ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { useAction, type Action } from "../../parts/use-action.ts";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { hasRole } from "../../session/caller.ts";
import { fill } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { tellDuration } from "../../words/times.ts";
import { RemoveServer } from "./remove-server.tsx";
import { whyReadOnly } from "./server-kind.ts";

const done = z.looseObject({});
const checked = z.looseObject({ status: z.string(), latency_ms: z.number(), error: z.string().optional() });

type Doing = "activating" | "deactivating" | "checking" | "resetting";

interface ServerActionsProps {
  server: ShownServer;
  /** Where the page goes once the server is gone. */
  back: string;
  showsLog: boolean;
  onLog(): void;
}

export function ServerActions({ server, back, showsLog, onLog }: ServerActionsProps): JSX.Element {
  const { caller, config } = usePage();
  const action = useAction<Doing>();
  const [said, setSaid] = useState("");
  const who = caller.value;
  const readOnly = whyReadOnly(server, { isLocal: config.local, management: who?.management });
  const parts = { server, action, onSaid: setSaid };
  return (
    <div class="stack servers-actions">
      <div class="row wrap">
        <ButtonLink href={link(["tester", server.name])} icon="tester">
          {words.try}
        </ButtonLink>
        <Button onPress={onLog} expanded={showsLog}>
          {words.log}
        </Button>
        {hasRole(who, "operator") && (
          <>
            {readOnly === undefined && <Switches {...parts} />}
            {(server.active || readOnly === undefined) && <Checks {...parts} />}
          </>
        )}
        {readOnly === undefined && hasRole(who, "admin") && <RemoveServer server={server} back={back} />}
      </div>
      {readOnly !== undefined && hasRole(who, "operator") && <p class="note second">{readOnly}</p>}
      <NeedsRole needed="operator" action={words.needs.act}>
        {readOnly === undefined && (
          <NeedsRole needed="admin" action={words.needs.remove}>
            {null}
          </NeedsRole>
        )}
      </NeedsRole>
      <p class="note second" role="status">
        {said}
      </p>
      {action.problem !== undefined && (
        <p class="note bad" role="alert">
          {fill(words.failed, { reason: action.problem.message })}
        </p>
      )}
    </div>
  );
}

interface Parts {
  server: ShownServer;
  action: Action<Doing>;
  onSaid(sentence: string): void;
}

function Switches({ server: { name, active, listed }, action, onSaid }: Parts): JSX.Element {
  const { rest } = usePage();
  const offline = useOffBecause();
  const post = (doing: Doing, what: "activate" | "deactivate", sentence: string) =>
    action.run(doing, async () => {
      await rest({ method: "POST", path: serverPath(name, what), schema: done });
      onSaid(fill(sentence, { name }));
    });
  return (
    <>
      {(!active || !listed) && (
        <Button offBecause={offline} onPress={() => post("activating", "activate", words.activated)}>
          {action.working === "activating" ? words.activating : active ? words.listForAll : words.activate}
        </Button>
      )}
      {active && (
        <Button look="quiet" offBecause={offline} onPress={() => post("deactivating", "deactivate", words.deactivated)}>
          {action.working === "deactivating" ? words.deactivating : words.deactivate}
        </Button>
      )}
    </>
  );
}

function Checks({ server: { name, error_count: errors }, action, onSaid }: Parts): JSX.Element {
  const { rest } = usePage();
  const offline = useOffBecause();
  const check = () =>
    action.run("checking", async () => {
      const answer = await rest({ method: "POST", path: serverPath(name, "health"), schema: checked });
      const { status, latency_ms: ms, error = status } = answer;
      const isHealthy = status === "healthy";
      onSaid(isHealthy ? fill(words.healthy, { name, ms: tellDuration(ms) }) : fill(words.unhealthy, { name, error }));
    });
  const reset = () =>
    action.run("resetting", async () => {
      await rest({ method: "POST", path: serverPath(name, "reset-errors"), schema: done });
      onSaid(fill(words.reset, { name }));
    });
  return (
    <>
      <Button look="quiet" offBecause={offline} onPress={check}>
        {action.working === "checking" ? words.checking : words.check}
      </Button>
      {errors > 0 && (
        <Button look="quiet" offBecause={offline} onPress={reset}>
          {action.working === "resetting" ? words.resetting : words.resetErrors}
        </Button>
      )}
    </>
  );
}
