// What an agent is working on now, with a way to stop it, and how much it was called in a day. What a call is about is not here: that is for
// who made it.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { agentStateResource, agentStateUri, type AgentActivity, type ShownRun } from "../../../data/agent-parts.ts";
import { usePage, useResource } from "../../../page.ts";
import { Age } from "../../../parts/age.tsx";
import { Button } from "../../../parts/button.tsx";
import { Mark } from "../../../parts/mark.tsx";
import { Table, type Column } from "../../../parts/table.tsx";
import { phone, useMedia } from "../../../parts/use-media.ts";
import { useAction } from "../../../parts/use-action.ts";
import { LoadedView, NeedsRole, useOffBecause } from "../../../parts/view-states.tsx";
import { hasRole } from "../../../session/caller.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { AgentDay } from "./agent-day.tsx";
import { StopAll } from "./stop-all.tsx";

export function RunsTab({ name }: { name: string }): JSX.Element {
  const activity = useResource(agentStateUri(name), agentStateResource);
  return (
    <div class="stack-wide">
      <LoadedView what={words.runsWhat} from={activity} rows={2}>
        {(data) => <Running name={name} activity={data} />}
      </LoadedView>
      <AgentDay name={name} />
    </div>
  );
}

function Running({ name, activity: { state, message, runs } }: { name: string; activity: AgentActivity }): JSX.Element {
  const caller = usePage().caller.value;
  const [isAsking, setAsking] = useState(false);
  if (state === "suspended") return <p class="second">{words.suspended}</p>;
  if (state === "unknown") {
    return (
      <p class="warn agent-tab-row">
        <Mark state="degraded" word={fill(words.unknown, { reason: message ?? "" })} />
      </p>
    );
  }
  if (runs.length === 0) return <p class="second">{words.idle}</p>;
  return (
    <section class="stack">
      <div class="row wrap">
        <h2>{plural(words.running, runs.length)}</h2>
        <span class="space" />
        {hasRole(caller, "approver") && (
          <Button look="red" onPress={() => setAsking(true)}>
            {words.stopAll}
          </Button>
        )}
      </div>
      <RunTable name={name} runs={runs} />
      <p class="note third">{words.runsNote}</p>
      <NeedsRole needed="approver" action={words.needs.stop}>
        {null}
      </NeedsRole>
      {isAsking && <StopAll name={name} count={runs.length} onClose={() => setAsking(false)} />}
    </section>
  );
}

const rowHeights = { phone: 60, plain: 44 } as const;
const keyOf = ({ run_id: id }: ShownRun): string => id;

function RunTable({ name, runs }: { name: string; runs: readonly ShownRun[] }): JSX.Element {
  const isPhone = useMedia(phone);
  const columns: Column<ShownRun>[] = [
    { key: "run", title: words.run, render: ({ run_id: id }) => <code class="cut">{id}</code> },
    { key: "started", title: words.started, render: ({ started_at: at }) => <Age at={at} /> },
    { key: "stop", title: words.stop, render: ({ run_id: id }) => <Stop name={name} id={id} /> },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights.plain;
  return (
    <Table
      label={fill(words.runsTable, { agent: name })}
      kind="agent-runs"
      rows={runs}
      {...{ keyOf, columns, rowHeight }}
    />
  );
}

function Stop({ name, id }: { name: string; id: string }): JSX.Element | null {
  const { connection, announcer, caller } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"stopping">();
  if (!hasRole(caller.value, "approver")) return null;
  const stop = () =>
    run("stopping", async () => {
      await connection.call("agents_abort_run", { agent_id: name, run_id: id });
      announcer.say(words.stopped);
    });
  return (
    <span class="row">
      <Button look="red" small onPress={stop} offBecause={offline} label={fill(words.stopOne, { id })}>
        {working === undefined ? words.stop : words.stopping}
      </Button>
      {problem !== undefined && (
        <span class="note bad cut" role="alert" title={problem.message}>
          {problem.message}
        </span>
      )}
    </span>
  );
}
