// An approval in words: in one line for a list, and whole for whoever decides of it. What others wrote is made visible first
// (MGM-6); arguments are shown to their last character.
import type { Approval, ShownDecision } from "./shown-approval.ts";
import { visibleJson, visibleLine } from "./visible-text.ts";

const verdicts: Readonly<Record<ShownDecision["verdict"], string>> = {
  approve: "approved",
  approve_edited: "approved with other arguments",
  answer: "answered in the tool's place",
  deny_continue: "denied",
  deny_abort: "denied, which ended the run",
};

/** How long until then, or since, in one unit. */
function describeSpan(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** What became of it, as a sentence without its end. */
export function describeState({ state, decision, expires_at: expiresAt }: Approval, now: number): string {
  const until = Date.parse(expiresAt);
  if (decision !== undefined) {
    const { verdict, by, at, reason, scope } = decision;
    const isYes = verdict.startsWith("approve");
    const isUsed =
      isYes && state === "used" ? ", and used" : isYes && state === "expired" ? ", and not used in time" : "";
    const why = reason === undefined ? "" : `: ${visibleLine(reason)}`;
    const forSession = scope === "session" ? " for the conversation" : "";
    return `${verdicts[verdict]}${forSession} by ${visibleLine(by)} at ${visibleLine(at)}${isUsed}${why}`;
  }
  if (state === "expired" || until <= now) return `expired at ${expiresAt} without an answer, so that it was denied`;
  return `waits for a person; denied if nobody answers within ${describeSpan(until - now)} (${expiresAt})`;
}

/** A row: name, call, who, state; `mine` marks what the owner of the token may decide. */
export function describeRow(approval: Approval, now: number): string[] {
  const { call_id: name, agent_id: agent, server, tool, caller } = approval;
  const who = `${agent === null ? "" : `${agent} for `}${caller}`;
  const note = approval.state === "pending" && !approval.may_decide ? " (not yours to decide)" : "";
  const parts = [name, `${server}/${tool}`, who].map(visibleLine);
  return [...parts, `${describeState(approval, now)}${note}`];
}

/** All that one needs to decide of it, a line an entry; the last lines are the arguments. */
export function describeApproval(approval: Approval, now: number): string[] {
  const { call_id: name, server, tool, policy, reason, approvers, redacted } = approval;
  const because = reason === undefined ? "" : `: ${reason}`;
  const rule = policy.rule === undefined ? "the default" : `rule ${policy.rule}`;
  const facts: [string, string | undefined][] = [
    ["call", `${server}/${tool}`],
    ["for", `${approval.caller}${approval.role === undefined ? "" : ` (${approval.role})`}`],
    ["came by", describeChain(approval)],
    ["the tool says", describeHints(approval)],
    ["definition", describeDefinition(approval)],
    ["asked by", `${rule} of policy ${policy.name}, generation ${policy.generation}${because}`],
    ["to decide", approvers === undefined ? undefined : `${approvers.join(", ")}, and not the caller`],
    ["not shown", redacted.length === 0 ? undefined : `${redacted.join(", ")}; the call carries it`],
    ["hash", approval.arguments_hash],
  ];
  const lines = facts.flatMap(([label, value]) =>
    value === undefined ? [] : [`  ${label.padEnd(14)}${visibleLine(value)}`],
  );
  return [
    `${visibleLine(name)} ${describeState(approval, now)}`,
    ...lines,
    ...describeLast(approval),
    ...argumentsOf(approval),
  ];
}

function argumentsOf({ arguments: args }: Approval): string[] {
  if (args === undefined) return ["  arguments are shown to the role approver"];
  return ["  arguments, as they are sent:", ...indented(args)];
}

const indented = (json: string): string[] =>
  visibleJson(json)
    .split("\n")
    .map((line) => `    ${line}`);

function describeChain({ chain, agent_id: agent }: Approval): string | undefined {
  const steps = chain.map(({ agent: via, caller, step }) => {
    const who = via === undefined ? (caller ?? "somebody") : via;
    return step === undefined ? who : `${who} (${step})`;
  });
  const all = agent === null || chain.at(-1)?.agent === agent ? steps : [...steps, agent];
  return all.length === 0 ? undefined : all.join(" → ");
}

/** Claims of the server, which may say what it likes; what it does not say counts as the worst. */
function describeHints({ hints: { read_only: readOnly, destructive } }: Approval): string {
  if (readOnly === true) return "that it only reads";
  if (destructive === false) return "that it changes things and destroys nothing";
  return destructive === true
    ? "that it may delete or overwrite"
    : "nothing of what it does; it may delete or overwrite";
}

function describeDefinition({ definition_changed: isChanged }: Approval): string | undefined {
  if (isChanged === undefined) return undefined;
  return isChanged ? "CHANGED since its last approval" : "as at its last approval";
}

function describeLast({ last_approved: last, agent_id: agent }: Approval): string[] {
  const label = "  last approved ".padEnd(16);
  if (last === null) return [`${label}no other call of this tool${agent === null ? "" : " by this agent"} is kept`];
  const when = visibleLine(`${last.at ?? "once"} by ${last.by ?? "somebody"}`);
  if (last.same_arguments) return [`${label}${when}, with the same arguments`];
  if (last.arguments === undefined) return [`${label}${when}, with other arguments`];
  return [`${label}${when}, with`, ...indented(last.arguments)];
}
