// `pallas approve` and `pallas deny`: shows the call as it is now, and sends the verdict with the hash of what was shown, so that
// what is decided is what was seen.
import type { Clock } from "../../lib/process/clock.ts";
import { ChatError } from "../chat/chat-error.ts";
import { UsageError } from "../manifests/find-files.ts";
import { confirm } from "./confirm.ts";
import { describeApproval, describeState } from "./describe-approval.ts";
import { editArguments, parseArguments } from "./edit-arguments.ts";
import { withApprovals, type Edges } from "./edges.ts";
import type { GatewayApprovals, Verdict } from "./gateway-approvals.ts";
import type { Approval } from "./shown-approval.ts";
import { visibleJson, visibleLine } from "./visible-text.ts";

export interface ApproveOptions {
  readonly name: string;
  readonly gateway: string;
  readonly edit: boolean;
  /** A JSON object in place of the arguments. */
  readonly arguments?: string;
  /** The tool's result; the call is not made. */
  readonly answer?: string;
  readonly scope?: "once" | "session";
  readonly reason?: string;
  /** The hash of what was seen elsewhere; any other is refused. */
  readonly hash?: string;
  /** Asks nothing. */
  readonly yes: boolean;
}

export interface DenyOptions {
  readonly name: string;
  readonly gateway: string;
  /** Ends the run, too. */
  readonly abort: boolean;
  readonly reason?: string;
}

/**
 * @returns the exit code: 0 when the gateway took the verdict, 1 when it did not or the person said no, 130 when interrupted
 * @throws UsageError when it is not clear what is approved
 */
export async function approve(options: ApproveOptions, edges: Edges): Promise<number> {
  const { terminal, process } = edges;
  const given = options.arguments === undefined ? undefined : parseArguments(options.arguments, "--arguments");
  const isAsked = process.stdin.isTTY && terminal.err.isTerminal;
  if (!options.yes && options.hash === undefined && !isAsked) {
    throw new UsageError(
      "nobody can be asked here: give --hash with the hash of what was seen, or --yes for whatever it is",
    );
  }
  if (options.edit && !isAsked) throw new UsageError("--edit needs a terminal; give --arguments with a JSON object");
  return await withApprovals(options.gateway, edges, async ({ approvals, signal, clock }) => {
    const approval = await findPending(options.name, approvals, clock);
    if (options.hash !== undefined && options.hash !== approval.arguments_hash) {
      throw new ChatError(
        `the arguments of ${options.name} are others: their hash is ${approval.arguments_hash}; look at them again`,
      );
    }
    for (const line of describeApproval(approval, clock.wallNow())) terminal.printStyled(line);
    const edited = options.edit ? await edit(approval, process) : given;
    if (edited !== undefined) showEdited(edited, edges);
    if (isAsked && !options.yes && !(await confirm(questionOf(options, edited), process, signal))) {
      terminal.complain("not approved; it still waits");
      return 1;
    }
    const { answer, reason, scope } = options;
    await approvals.decide(options.name, {
      decision: answer === undefined ? "approve" : "answer",
      hash: approval.arguments_hash,
      ...(edited !== undefined && { edited }),
      ...(answer !== undefined && { answer }),
      ...(reason !== undefined && { reason }),
      ...(scope === "session" && { scope }),
    });
    terminal.print(`${options.name} ${outcomeOf(options, edited)}`);
    return 0;
  });
}

/** @returns the exit code, as of `approve`; a no is not asked about again */
export async function deny({ name, gateway, abort, reason }: DenyOptions, edges: Edges): Promise<number> {
  return await withApprovals(gateway, edges, async ({ approvals, clock }) => {
    const approval = await findPending(name, approvals, clock);
    const decision: Verdict["decision"] = abort ? "deny_abort" : "deny_continue";
    await approvals.decide(name, { decision, hash: approval.arguments_hash, ...(reason !== undefined && { reason }) });
    const { server, tool } = approval;
    const how = abort ? "denied, and its run ends" : "denied";
    edges.terminal.print(`${name} ${how}: ${visibleLine(`${server}/${tool}`)}`);
    return 0;
  });
}

/** @throws ChatError when it is not there, not open any more, or not the person's to decide */
async function findPending(name: string, approvals: GatewayApprovals, clock: Clock): Promise<Approval> {
  const approval = await approvals.find(name);
  if (approval === undefined) {
    throw new ChatError(
      `there is no approval "${visibleLine(name)}" that you may see; pallas approvals lists those that wait`,
    );
  }
  if (approval.state !== "pending") {
    throw new ChatError(`${name} waits no longer: ${describeState(approval, clock.wallNow())}`);
  }
  if (approval.may_decide) return approval;
  throw new ChatError(
    `${name} is not yours to decide: ${visibleLine(approval.may_not_because ?? "another role is needed")}`,
  );
}

async function edit({ arguments: args, call_id: name }: Approval, process: NodeJS.Process) {
  if (args === undefined) {
    throw new ChatError(`the arguments of ${name} are not shown to you, so that you cannot edit them`);
  }
  const edited = await editArguments(args, process.env);
  if (edited === undefined) {
    throw new ChatError("nothing was changed, so nothing was decided; approve it without --edit");
  }
  return edited;
}

function showEdited(edited: Readonly<Record<string, unknown>>, { terminal }: Edges): void {
  terminal.printStyled("  sent instead:");
  for (const line of visibleJson(JSON.stringify(edited)).split("\n")) terminal.printStyled(`    ${line}`);
}

function questionOf({ answer, scope }: ApproveOptions, edited: object | undefined): string {
  if (answer !== undefined) return "Answer in the tool's place? The call is not made.";
  if (edited !== undefined) return "Approve with these arguments instead? For one call.";
  if (scope === "session") return "Approve for this conversation? This tool with these arguments, however often.";
  return "Approve? For one call, with these arguments only.";
}

function outcomeOf({ answer, scope }: ApproveOptions, edited: object | undefined): string {
  if (answer !== undefined) return "answered; the call is not made";
  if (edited !== undefined) return "approved with other arguments, for one call";
  return scope === "session" ? "approved for the conversation" : "approved for one call";
}
