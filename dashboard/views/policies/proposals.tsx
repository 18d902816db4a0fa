// What people propose for a policy: the list, and one proposal with what differs and what it would have made of the last calls.
import type { JSX } from "preact";
import type { ShownPolicy, ShownProposal } from "../../data/policies.ts";
import { Age } from "../../parts/age.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Chip } from "../../parts/mark.tsx";
import { Empty, Gone } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill, plural } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { DryRunResult } from "./dry-run.tsx";
import { sumUpDryRun } from "./dry-run-numbers.ts";
import { ProposalActions } from "./proposal-actions.tsx";
import { RulesCompared } from "./rule-rows.tsx";
import { compareRules } from "./rules-difference.ts";

interface ProposalsProps {
  policy: ShownPolicy;
  proposals: readonly ShownProposal[];
  /** Of the one that is open. */
  id: string | undefined;
}

export function Proposals({ policy, proposals, id }: ProposalsProps): JSX.Element {
  const { policy: name } = policy;
  if (id !== undefined) {
    const found = proposals.find((each) => each.proposal_id === id);
    if (found !== undefined) return <Proposal key={id} policy={policy} proposal={found} />;
    return (
      <Gone
        what={words.proposal}
        name={id}
        backTo={words.backToProposals}
        backHref={link(["policies", name, "proposals"])}
      />
    );
  }
  if (proposals.length === 0) {
    return (
      <div class="card">
        <Empty title={fill(words.noProposals, { name })}>
          <a class="button plain" href={link(["policies", name, "try"])}>
            {words.tryTab}
          </a>
        </Empty>
      </div>
    );
  }
  return (
    <ul class="stack">
      {proposals.map((proposal) => (
        <ProposalCard key={proposal.proposal_id} proposal={proposal} />
      ))}
    </ul>
  );
}

function ProposalCard({ proposal }: { proposal: ShownProposal }): JSX.Element {
  const { proposal_id: id, policy, by, at, reason, is_stale: isStale, dry_run: dryRun } = proposal;
  const looser = dryRun && sumUpDryRun(dryRun).looserCalls;
  return (
    <li class="card policies-proposal">
      <a
        class="policies-whole"
        href={link(["policies", policy, "proposals", id])}
        aria-label={fill(words.proposalLink, { by, reason })}
      >
        {reason}
      </a>
      <span class="row wrap">
        <span class="note second">
          {by}, <Age at={at} />
        </span>
        {isStale && <Chip look="warn">{words.staleShort}</Chip>}
        {looser !== undefined && looser > 0 && (
          <Chip look="bad" icon="degraded">
            {plural(words.looserCalls, looser)}
          </Chip>
        )}
      </span>
    </li>
  );
}

function Proposal({ policy, proposal }: { policy: ShownPolicy; proposal: ShownProposal }): JSX.Element {
  const { policy: name, in_force: inForce } = policy;
  const { by, at, reason, is_stale: isStale, dry_run: dryRun } = proposal;
  const difference = compareRules(inForce ?? { rules: [], default: "ask" }, proposal);
  return (
    <article class="stack-wide">
      <header class="card policies-top">
        <h2 class="policies-reason">{reason}</h2>
        <p class="note second">
          {by}, <Age at={at} />
        </p>
        {isStale && (
          <p class="warn row">
            <Icon name="degraded" /> {words.stale}
          </p>
        )}
        <ProposalActions proposal={proposal} />
      </header>
      <section class="stack">
        <h2>{words.difference}</h2>
        {difference.isEqual ? (
          <p class="second">{words.same}</p>
        ) : (
          <RulesCompared label={words.difference} difference={difference} />
        )}
      </section>
      <DryRunResult dryRun={dryRun} />
      <p>
        <a href={link(["policies", name, "proposals"])}>{fill(words.allProposals, { name })}</a>
      </p>
    </article>
  );
}
