// What is known of the agent beside its chat: health, what it does now, whose history it keeps, and what it can use.
import type { AgentInfo } from "../../../data/agent-info.ts";
import { agentsResource, agentsUri } from "../../../data/agents.ts";
import { useResource } from "../../../page.ts";
import { Mark } from "../../../parts/mark.tsx";
import { link } from "../../../route/route.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { tellNumber } from "../../../words/fill.ts";
import { stateOf } from "../../agents/agent-rows.ts";
import type { Chat } from "./open-chat.ts";

export function FactsPane({ facts, chat }: { facts: AgentInfo; chat: Chat }) {
  const { id, scope = "connection", servers, agents } = facts;
  const listed = useResource(agentsUri, agentsResource).value.data?.find((each) => each.id === id);
  const used = chat.turns.value.reduce(
    (sum, turn) => sum + (turn.who === "agent" ? (turn.usage?.input ?? 0) + (turn.usage?.output ?? 0) : 0),
    0,
  );
  return (
    <aside class="chat-facts stack-wide" aria-label={words.facts}>
      <dl class="facts">
        <dt>{words.health}</dt>
        <dd>
          <Mark state={stateOf(listed ?? facts)} />
        </dd>
        {listed?.runs !== undefined && (
          <>
            <dt>{words.runs}</dt>
            <dd class="tabular">{tellNumber(listed.runs)}</dd>
          </>
        )}
        <dt>{words.scope}</dt>
        <dd>{words.scopes[scope]}</dd>
        {used > 0 && (
          <>
            <dt>{words.used}</dt>
            <dd class="tabular">{tellNumber(used)}</dd>
          </>
        )}
      </dl>
      <div class="stack">
        <h2>{words.canUse}</h2>
        {servers.length + agents.length === 0 && <p class="second">{words.nothing}</p>}
        <ul class="row wrap">
          {agents.map((name) => (
            <li key={name}>
              <a class="chip" href={link(["agents", name])}>
                {name}
              </a>
            </li>
          ))}
          {servers.map((name) => (
            <li key={name}>
              <a class="chip" href={link(["servers", name])}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </aside>
  );
}
