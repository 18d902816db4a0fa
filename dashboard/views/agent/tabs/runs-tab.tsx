// What an agent is working on now, with a way to stop it, the last calls that ended, and how much it was called in a day. What a call is
// about is not here: that is for who made it.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { agentStateResource, agentStateUri, type AgentActivity, type ShownRun } from "../../../data/agent-parts.ts";
import { usePage, useResource } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Mark } from "../../../parts/mark.tsx";
import { Table, type Column } from "../../../parts/table.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { LoadedView, NeedsRole, useOffBecause } from "../../../parts/view-states.tsx";
import { hasRole } from "../../../session/caller.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { AgentDay } from "./agent-day.tsx";
import { EndedRuns } from "./ended-runs.tsx";
import { keyOfRun, runColumns, useRunRowHeight } from "./run-columns.tsx";
import { StopAll } from "./stop-all.tsx";

export function RunsTab({ name }: { name: string }): JSX.Element {
  const activity = useResource(agentStateUri(name), agentStateResource);
  return (
    <div class="stack-wide">
      <LoadedView what={words.runsWhat} from={activity} rows={2}>
        {(data) => (
          <>
            <Running name={name} activity={data} />
            {data.ended.length > 0 && <EndedRuns name={name} runs={data.ended} />}
          </>
        )}
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
      <NeedsRole needed="approver" action={words.needs.stop}>
        {null}
      </NeedsRole>
      {isAsking && <StopAll name={name} count={runs.length} onClose={() => setAsking(false)} />}
    </section>
  );
}

function RunTable({ name, runs }: { name: string; runs: readonly ShownRun[] }): JSX.Element {
  const rowHeight = useRunRowHeight();
  const columns: Column<ShownRun>[] = [
    ...runColumns,
    { key: "stop", title: words.stop, render: (run) => <Stop name={name} run={run} /> },
  ];
  const label = fill(words.runsTable, { agent: name });
  return <Table kind="agent-runs" rows={runs} keyOf={keyOfRun} {...{ label, columns, rowHeight }} />;
}

function Stop({ name, run: { run_id: id, caller } }: { name: string; run: ShownRun }): JSX.Element | null {
  const { connection, announcer, caller: person } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"stopping">();
  if (!hasRole(person.value, "approver")) return null;
  const stop = () =>
    run("stopping", async () => {
      await connection.call("agents_abort_run", { agent_id: name, run_id: id });
      announcer.say(words.stopped);
    });
  return (
    <span class="row">
      <Button
        look="red"
        small
        onPress={stop}
        offBecause={offline}
        label={fill(words.stopOne, { caller: caller ?? words.nobodyKnown })}
      >
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
