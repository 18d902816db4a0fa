// What an agent is, as YAML that can be copied, and what the operator says of it; with ways to change and to delete it for those who may.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { agentInfoResource, agentInfoUri, type AgentInfo } from "../../../data/agent-info.ts";
import { agentSessionResource, agentSessionUri, type AgentSession } from "../../../data/agent-parts.ts";
import { createRole } from "../../../data/agents.ts";
import { usePage, useResource } from "../../../page.ts";
import { Age } from "../../../parts/age.tsx";
import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Mark } from "../../../parts/mark.tsx";
import { ValueText } from "../../../parts/value-text.tsx";
import { LoadedView, NeedsRole } from "../../../parts/view-states.tsx";
import { fill } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { renderDefinition } from "./agent-definition.ts";
import { DeleteAgent } from "./delete-agent.tsx";
import { EditAgent } from "./edit-agent.tsx";

export function DefinitionTab({ name }: { name: string }): JSX.Element {
  const info = useResource(agentInfoUri(name), agentInfoResource);
  const session = useResource(agentSessionUri(name), agentSessionResource);
  return (
    <div class="stack-wide">
      <LoadedView what={words.definitionWhat} from={info}>
        {(facts) => <Definition facts={facts} />}
      </LoadedView>
      <LoadedView what={words.conditions} from={session}>
        {({ conditions }) => <Conditions conditions={conditions} />}
      </LoadedView>
    </div>
  );
}

function Definition({ facts }: { facts: AgentInfo }): JSX.Element {
  const text = renderDefinition(facts);
  return (
    <section class="stack">
      <div class="row wrap">
        <h2>{words.definition}</h2>
        <span class="space" />
        <CopyButton word={words.copy} text={text} />
        <Changes facts={facts} />
      </div>
      <div class="card pad agent-definition" role="region" aria-label={fill(words.definitionText, { agent: facts.id })}>
        <ValueText text={text} />
      </div>
      <p class="note third">{words.definitionNote}</p>
    </section>
  );
}

function Changes({ facts }: { facts: AgentInfo }): JSX.Element {
  const caller = usePage().caller.value;
  const [open, setOpen] = useState<"edit" | "delete" | undefined>(undefined);
  const close = () => setOpen(undefined);
  if (caller?.management === "approve") return <p class="note second">{words.readOnly}</p>;
  return (
    <NeedsRole needed={createRole} action={words.needs.change}>
      <Button onPress={() => setOpen("edit")}>{words.edit}</Button>
      <Button look="red" onPress={() => setOpen("delete")}>
        {words.remove}
      </Button>
      {open === "edit" && <EditAgent facts={facts} onClose={close} />}
      {open === "delete" && <DeleteAgent name={facts.id} onClose={close} />}
    </NeedsRole>
  );
}

const markOf = (status: string) => (status === "True" ? "ready" : status === "False" ? "error" : "starting");

const Conditions = ({ conditions }: Pick<AgentSession, "conditions">) => (
  <section class="stack">
    <h2>{words.conditions}</h2>
    <ul class="card agent-conditions">
      {conditions.map(({ type, status, reason, message, since }) => (
        <li key={type}>
          <Mark state={markOf(status)} word={type} />
          <span class="second">{reason}</span>
          {message !== "" && <ValueText text={message} />}
          {since !== undefined && (
            <span class="note third">
              {words.conditionSince} <Age at={since} />
            </span>
          )}
        </li>
      ))}
    </ul>
  </section>
);
