// What an agent does now, or why it does nothing: the column that people read. Reasons are told word by word.
import type { JSX } from "preact";
import type { ShownAgent } from "../../data/agents.ts";
import { Icon } from "../../parts/icon.tsx";
import { colourOf } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { agentsWords as words } from "../../words/agents.ts";
import { plural } from "../../words/fill.ts";
import { stateOf } from "./agent-rows.ts";

export function NowCell({ agent }: { agent: ShownAgent }): JSX.Element {
  const { waiting, reason, runs } = agent;
  const state = stateOf(agent);
  if (state === "error") return <Reason text={reason ?? words.noReason} colour={colourOf(state)} />;
  if (waiting > 0) {
    return (
      <span class="agents-now wait row">
        <Icon name="approvals" /> <span class="cut">{plural(words.waits, waiting)}</span>
      </span>
    );
  }
  if (state === "off") return <span class="agents-now second cut">{words.off}</span>;
  if (state === "starting") return <Reason text={reason ?? words.noReason} colour="second" />;
  if (state === "degraded") return <Reason text={reason ?? words.noReason} colour={colourOf(state)} />;
  if (runs === undefined) {
    return (
      <span class="agents-now third">
        <span aria-hidden="true">{words.runsUnknown}</span>
        <span class="unseen">{words.runsUnknownTold}</span>
      </span>
    );
  }
  return (
    <span class={runs === 0 ? "agents-now second cut" : "agents-now cut"}>
      {runs === 0 ? words.idle : plural(words.runs, runs)}
    </span>
  );
}

const Reason = ({ text, colour }: { text: string; colour: string }) => (
  <span class={`agents-now cut ${colour}`} title={text}>
    <ValueText text={text} />
  </span>
);
