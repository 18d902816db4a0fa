// What may be done with a proposal, by whom: an admin who did not write it puts it in force or rejects it, who wrote it takes it back.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import type { ShownProposal } from "../../data/policies.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { hasRole } from "../../session/caller.ts";
import { fill, plural } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { sumUpDryRun } from "./dry-run-numbers.ts";

type Doing = "approving" | "rejecting" | "withdrawing";
const tools = {
  approving: "policy_approve_proposal",
  rejecting: "policy_reject_proposal",
  withdrawing: "policy_withdraw",
} as const satisfies Record<Doing, string>;
const done = { approving: words.approved, rejecting: words.rejected, withdrawing: words.withdrawn } as const;

/** Does it, says so, and goes where one looks next. */
function useDecision({ proposal_id: id, policy: name }: ShownProposal) {
  const { connection, announcer, router } = usePage();
  const { working, problem, run } = useAction<Doing>();
  const decide = (doing: Doing, args: Readonly<Record<string, unknown>> = {}) =>
    run(doing, async () => {
      await connection.call(tools[doing], { proposal_id: id, ...args });
      announcer.say(fill<string>(done[doing], { name }));
      router.go(link(doing === "approving" ? ["policies", name] : ["policies", name, "proposals"]));
    });
  return { working, problem, decide };
}

export function ProposalActions({ proposal }: { proposal: ShownProposal }): JSX.Element {
  const caller = usePage().caller.value;
  const offline = useOffBecause();
  const { working, problem, decide } = useDecision(proposal);
  const [asking, setAsking] = useState<"approve" | "reject" | undefined>(undefined);
  const isOwn = caller?.name !== undefined && caller.name === proposal.by;
  const isAdmin = hasRole(caller, "admin");
  const approveOff = isOwn ? words.own : proposal.is_stale ? words.stale : offline;
  const isReadOnly = caller?.management === "approve";
  return (
    <div class="stack">
      {isOwn && <p class="note second">{words.own}</p>}
      {isReadOnly && <p class="note second">{words.readOnly}</p>}
      <div class="row wrap">
        {isAdmin && !isReadOnly && (
          <Button look="filled" onPress={() => setAsking("approve")} offBecause={approveOff}>
            {words.approve}
          </Button>
        )}
        {isAdmin && (
          <Button look="red" onPress={() => setAsking("reject")} offBecause={offline}>
            {words.reject}
          </Button>
        )}
        {(isOwn || isAdmin) && (
          <Button onPress={() => decide("withdrawing")} offBecause={offline}>
            {working === "withdrawing" ? words.withdrawing : words.withdraw}
          </Button>
        )}
        {!isAdmin && !isOwn && (
          <NeedsRole needed="admin" action={words.needs.decide}>
            {null}
          </NeedsRole>
        )}
      </div>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      {asking === "approve" && <Approve proposal={proposal} onClose={() => setAsking(undefined)} />}
      {asking === "reject" && <Reject proposal={proposal} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

interface AskProps {
  proposal: ShownProposal;
  onClose(): void;
}

function Approve({ proposal, onClose }: AskProps): JSX.Element {
  const { working, problem, decide } = useDecision(proposal);
  const looser = proposal.dry_run ? sumUpDryRun(proposal.dry_run).looserCalls : 0;
  return (
    <Dialog title={words.approveTitle} onClose={onClose}>
      <p>{fill(words.approveWhat, { name: proposal.policy })}</p>
      {looser > 0 && <p class="bad">{plural(words.approveLooser, looser)}</p>}
      {problem !== undefined && <p class="bad">{fill(words.failed, { reason: problem.message })}</p>}
      <div class="row wrap policies-answer">
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button look="filled" onPress={() => decide("approving")}>
          {working === undefined ? words.approveConfirm : words.approving}
        </Button>
      </div>
    </Dialog>
  );
}

function Reject({ proposal, onClose }: AskProps): JSX.Element {
  const [reason, setReason] = useState("");
  const { working, problem, decide } = useDecision(proposal);
  const why = reason.trim();
  return (
    <Dialog title={words.rejectTitle} onClose={onClose}>
      <p>{words.rejectWhat}</p>
      <TextField label={words.rejectReason} value={reason} onInput={setReason} autoFocus />
      {problem !== undefined && <p class="bad">{fill(words.failed, { reason: problem.message })}</p>}
      <div class="row wrap policies-answer">
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button look="red" onPress={() => decide("rejecting", why === "" ? {} : { reason: why })}>
          {working === undefined ? words.rejectConfirm : words.rejecting}
        </Button>
      </div>
    </Dialog>
  );
}
