// What an agent uses: servers with their tools and other agents, whether each is reached, what tools say of themselves, and what its policy
// makes of calls of them.
import type { JSX } from "preact";
import { agentMountsResource, agentMountsUri, type ShownMount } from "../../../data/agent-parts.ts";
import { agentPolicyResource, agentPolicyUri, type AgentPolicy } from "../../../data/policies.ts";
import { useResource } from "../../../page.ts";
import { Empty, LoadedView } from "../../../parts/view-states.tsx";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { MountCard } from "./mount-card.tsx";

/** So many show their tools at once: each asks the gateway for them. */
const openAtOnce = 4;

export function ToolsTab({ name }: { name: string }): JSX.Element {
  const mounts = useResource(agentMountsUri(name), agentMountsResource);
  const policy = useResource(agentPolicyUri(name), agentPolicyResource).value.data;
  return (
    <LoadedView what={words.toolsWhat} from={mounts}>
      {(all) => <Mounts name={name} mounts={all} policy={policy} />}
    </LoadedView>
  );
}

interface MountsProps {
  name: string;
  mounts: readonly ShownMount[];
  policy: AgentPolicy | undefined;
}

function Mounts({ name, mounts, policy }: MountsProps): JSX.Element {
  if (mounts.length === 0) {
    return (
      <div class="card">
        <Empty title={fill(words.usesNothing, { agent: name })} />
      </div>
    );
  }
  const servers = mounts.filter(({ kind }) => kind === "server").length;
  const counts = [
    ...(servers > 0 ? [plural(words.servers, servers)] : []),
    ...(mounts.length > servers ? [plural(words.agents, mounts.length - servers)] : []),
  ];
  return (
    <div class="stack">
      <p class="second">
        {counts.join(", ")}. {tellPolicy(policy)}
      </p>
      {mounts.map((mount, at) => (
        <MountCard
          key={`${mount.kind} ${mount.server}`}
          agent={name}
          policy={policy}
          isFirst={at < openAtOnce}
          mount={mount}
        />
      ))}
    </div>
  );
}

function tellPolicy(policy: AgentPolicy | undefined): string {
  if (policy === undefined) return "";
  return policy.policy === null ? words.noPolicy : fill(words.byPolicy, { policy: policy.policy });
}
