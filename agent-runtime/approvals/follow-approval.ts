// One question to the gateway until it is decided (MGM-6): asked, listened to, and taken up again by its name after whatever broke the
// connection, for as long as there is time. A gateway that stays away decides nothing.
import type { ApprovalDecision } from "../../crds/approval.ts";
import type { ApprovalLine, ApprovalQuestion } from "../../crds/approval-wire.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { RefusedByGateway, type GatewayApprovals } from "./gateway-approvals.ts";

export type Followed =
  | { kind: "decided"; name: string; decision: ApprovalDecision }
  /** Why nobody approves: expired, refused, or nobody could be asked. */
  | { kind: "denied"; reason: string };

export interface FollowParts {
  gateway: Pick<GatewayApprovals, "listen">;
  /** Base URL of the gateway as of now; undefined where there is none any more. */
  readUrl: () => Promise<string | undefined>;
  /** How long people may take. */
  timeoutMs: number;
  /** Hears of the name, once for each under which it is asked. */
  onWaiting: (waiting: { name: string; expiresAt: string }) => void;
  log: Logger;
  clock: Clock;
}

const firstBackoffMs = 500;
const maxBackoffMs = 10_000;
/** The gateway's own end comes first, where it can be heard. */
const graceMs = 15_000;

/** Rejects only with the signal's reason. */
export async function followApproval(
  question: ApprovalQuestion,
  signal: AbortSignal,
  parts: FollowParts,
): Promise<Followed> {
  const { clock, log } = parts;
  let deadlineMs = clock.now() + parts.timeoutMs;
  let name: string | undefined;
  let failures = 0;
  let problem = "it was not reachable";
  while (clock.now() < deadlineMs) {
    const late = new AbortController();
    const timer = clock.schedule(deadlineMs - clock.now(), () => late.abort(new Error("nobody decided in time")));
    try {
      const url = await parts.readUrl();
      if (url === undefined) return { kind: "denied", reason: noGateway };
      const ending = AbortSignal.any([signal, late.signal]);
      for await (const line of parts.gateway.listen(url, name === undefined ? question : { name }, ending)) {
        failures = 0;
        if (line.type === "waiting" && line.name !== name) {
          // Of what is asked only now all the time is left, however long the gateway was away.
          deadlineMs = clock.now() + parts.timeoutMs + graceMs;
          ({ name } = line);
          parts.onWaiting(line);
        }
        const end = readEnd(line);
        if (end !== undefined) return end;
      }
      problem = "it broke off";
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RefusedByGateway) {
        // It has forgotten the name, as after its state was lost: asked anew, a decision that is left is found.
        if (error.status !== 404 || name === undefined) return { kind: "denied", reason: renderRefused(error) };
        name = undefined;
      }
      problem = error instanceof Error ? error.message : "it failed";
      log.warn({ err: error, approval: name }, "the gateway cannot be asked for an approval, trying again");
    } finally {
      timer.cancel();
    }
    const waitMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures);
    failures += 1;
    await sleep(clock, Math.min(waitMs, Math.max(0, deadlineMs - clock.now())), signal);
  }
  return { kind: "denied", reason: `nobody decided in time: the gateway could not be asked at last (${problem})` };
}

export const noGateway = "there is no gateway through which people could be asked";

const renderRefused = ({ message }: RefusedByGateway) => `people could not be asked: ${message}`;

function readEnd(line: ApprovalLine): Followed | undefined {
  if (line.type === "decided") return { kind: "decided", name: line.name, decision: line.decision };
  return line.type === "expired" ? { kind: "denied", reason: "nobody decided before the approval expired" } : undefined;
}
