// One policy: its head, and its tabs, each with an address of its own.
import type { JSX } from "preact";
import type { ReadonlySignal } from "@preact/signals";
import type { Loaded } from "../../connect/resources.ts";
import type { ShownPolicy, ShownProposal } from "../../data/policies.ts";
import { usePage } from "../../page.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { LoadedView } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { PolicyFault } from "./policy-fault.tsx";
import { tellJudged } from "./policy-list.tsx";
import { Proposals } from "./proposals.tsx";
import { RuleRows } from "./rule-rows.tsx";
import { TryRules } from "./try-rules.tsx";

interface PolicyPageProps {
  policy: ShownPolicy;
  proposals: ReadonlySignal<Loaded<ShownProposal[]>>;
}

export function PolicyPage({ policy, proposals }: PolicyPageProps): JSX.Element {
  const { router } = usePage();
  const { policy: name, judges } = policy;
  const { path, query } = router.route.value;
  const [, , tab = query.get("rule") === "new" ? "try" : "rules", id] = path;
  const count = proposals.value.data?.filter((each) => each.policy === name).length;
  const tabs = [
    { href: link(["policies", name]), word: words.rulesTab, isCurrent: tab === "rules" },
    { href: link(["policies", name, "try"]), word: words.tryTab, isCurrent: tab === "try" },
    { href: link(["policies", name, "proposals"]), word: words.proposalsTab, count, isCurrent: tab === "proposals" },
  ];
  return (
    <>
      <header class="policies-head">
        <a href={link(["policies"])} class="policies-back">
          <span aria-hidden="true">← </span>
          {words.back}
        </a>
        <h1 tabIndex={-1}>{name}</h1>
        <span class="second">{fill(words.judged, { what: tellJudged(judges) })}</span>
      </header>
      <Tabs label={fill(words.tabs, { name })} tabs={tabs} />
      {tab === "try" && <TryRules policy={policy} />}
      {tab === "proposals" && (
        <LoadedView what={words.proposalsWhat} from={proposals}>
          {(all) => <Proposals policy={policy} proposals={all.filter((each) => each.policy === name)} id={id} />}
        </LoadedView>
      )}
      {tab !== "try" && tab !== "proposals" && <Rules policy={policy} />}
    </>
  );
}

function Rules({
  policy: { policy: name, judges, in_force: inForce, fault, faulty },
}: {
  policy: ShownPolicy;
}): JSX.Element {
  return (
    <div class="stack-wide">
      <PolicyFault fault={fault} faulty={faulty} />
      {inForce && <RuleRows label={fill(words.rules, { name })} rules={inForce} />}
      {judges.agents.length > 0 && (
        <p class="policies-agents">
          <span class="second">{words.judgedAgents}</span>
          {judges.agents.map((agent) => (
            <a key={agent} href={link(["agents", agent, "policy"])}>
              {agent}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}
