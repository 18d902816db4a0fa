// By which rules calls of an agent are judged, as sentences, with the way to what is proposed in their place.
import type { JSX } from "preact";
import { agentPolicyResource, agentPolicyUri, type AgentPolicy } from "../../../data/policies.ts";
import { useResource } from "../../../page.ts";
import { ButtonLink } from "../../../parts/button.tsx";
import { Empty, LoadedView } from "../../../parts/view-states.tsx";
import { link } from "../../../route/route.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { PolicyFault } from "../../policies/policy-fault.tsx";
import { RuleRows } from "../../policies/rule-rows.tsx";

export function PolicyTab({ name }: { name: string }): JSX.Element {
  const policy = useResource(agentPolicyUri(name), agentPolicyResource);
  return (
    <LoadedView what={words.policyWhat} from={policy}>
      {(data) =>
        data.policy === null ? <NoPolicy name={name} /> : <Judged agent={name} policy={data} name={data.policy} />
      }
    </LoadedView>
  );
}

const NoPolicy = ({ name }: { name: string }) => (
  <div class="card">
    <Empty title={fill(words.noPolicyTitle, { agent: name })}>
      <p>{words.noPolicyNext}</p>
    </Empty>
  </div>
);

interface JudgedProps {
  agent: string;
  policy: AgentPolicy;
  /** Of the policy. */
  name: string;
}

function Judged({ agent, policy, name }: JudgedProps): JSX.Element {
  const { in_force: inForce, fault, faulty, proposals } = policy;
  return (
    <div class="stack">
      <div class="row wrap">
        <p>
          {fill(words.policyIs, { agent })} <a href={link(["policies", name])}>{name}</a>
        </p>
        {proposals > 0 && (
          <a class="agent-tab-link" href={link(["policies", name, "proposals"])}>
            {plural(words.proposals, proposals)}
          </a>
        )}
        <span class="space" />
        <ButtonLink href={link(["policies", name, "try"])} icon="policies">
          {words.openPolicy}
        </ButtonLink>
      </div>
      <PolicyFault fault={fault} faulty={faulty} />
      {inForce && <RuleRows label={fill(words.rules, { agent })} rules={inForce} />}
    </div>
  );
}
